// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/operands.h"

#include <cmath>
#include <limits>

#include "core/check.h"

namespace detops::suppression {
namespace {

Status CheckTypes(const Operands& operands) {
  return CheckEach(operands.all(), [&](const Operand& operand) {
    const bool is_float = &operand == &operands.boxes || &operand == &operands.scores;
    return CheckDataType(operand, {is_float ? MLUOP_DTYPE_FLOAT : MLUOP_DTYPE_INT32});
  });
}

Status CheckOptions(const SuppressionOptions& options) {
  if (!(options.iou_threshold >= 0)) {
    return BadParam("iou_threshold is {}; it must be 0 or more", options.iou_threshold);
  }
  if (options.score_threshold && std::isnan(*options.score_threshold)) {
    return BadParam("score_threshold is NaN; it must be a number");
  }
  return CheckAtLeast<int64_t>("max_outputs", options.max_outputs, 0);
}

}  // namespace

Status CheckShapes(const Operands& operands, const SuppressionOptions& options, int64_t box_numbers,
                   const char* columns) {
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckTypes(operands));
  DETOPS_RETURN_IF_ERROR(CheckOptions(options));
  DETOPS_RETURN_IF_ERROR(CheckShape(operands.boxes, {kAnySize, box_numbers}, columns));
  const int64_t count = operands.boxes.dim(0);
  const std::array per_box = {&operands.scores, &operands.groups, &operands.output};
  DETOPS_RETURN_IF_ERROR(
      CheckEach(per_box, [&](const Operand& operand) { return CheckShape(operand, {count}); }));
  if (operands.image_counts.is_present()) {
    DETOPS_RETURN_IF_ERROR(CheckRank(operands.image_counts, 1));
  }
  DETOPS_RETURN_IF_ERROR(CheckShape(operands.result_num, {operands.images()}));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckContiguous));
  return CheckEach(operands.all(), CheckElementCount);
}

Status CheckMemory(const Operands& operands) {
  return CheckEach(operands.all(), [](const Operand& operand) {
    return operand.shape->element_count == 0 ? Status() : CheckData(operand);
  });
}

Args MakeArgs(const Operands& operands, const SuppressionOptions& options) {
  return {
      .boxes = operands.boxes.data,
      .scores = operands.scores.as<const float>(),
      .count = operands.boxes.dim(0),
      .iou_threshold = options.iou_threshold,
      .score_threshold = options.score_threshold.value_or(std::numeric_limits<float>::quiet_NaN()),
      .max_outputs = options.max_outputs,
      .sort_by_score = options.sort_by_score,
      .groups = operands.groups.as<const int32_t>(),
      .image_counts = operands.image_counts.as<const int32_t>(),
      .images = operands.images(),
      .output = operands.output.as<int32_t>(),
      .result_num = operands.result_num.as<int32_t>(),
      .workspace = operands.workspace ? operands.workspace->data : nullptr};
}

const char* ObstacleToACase(const Operands& operands, const SuppressionOptions& options) {
  const bool is_plain = !operands.groups.is_present() && !operands.image_counts.is_present() &&
                        !options.score_threshold;
  return is_plain ? nullptr : "case files have no groups, image_counts and score_threshold";
}

std::string OptionsText::ToString() const {
  return fmt::format(
      ", iou_threshold {}{}{}{}{}, images {}", options.iou_threshold,
      options.score_threshold ? fmt::format(", score_threshold {}", *options.score_threshold) : "",
      options.max_outputs < operands.boxes.dim(0)
          ? fmt::format(", max_outputs {}", options.max_outputs)
          : "",
      options.sort_by_score ? ", sorted by score" : "",
      operands.groups.is_present() ? ", by group" : "", operands.images());
}

}  // namespace detops::suppression
