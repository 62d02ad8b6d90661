// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/operands.h"

#include <cmath>
#include <limits>

#include "core/check.h"

namespace detops::suppression {

Status CheckIntegerVectors(const SelectionOperands& operands) {
  for (const Operand* vector :
       {&operands.output, &operands.result_num, operands.groups, operands.image_counts}) {
    if (vector != nullptr) {
      DETOPS_RETURN_IF_ERROR(CheckRank(*vector, 1));
      DETOPS_RETURN_IF_ERROR(CheckDataType(*vector, {MLUOP_DTYPE_INT32}));
    }
  }
  return {};
}

Status CheckOptions(const SuppressionOptions& options) {
  if (!(options.iou_threshold >= 0)) {
    return BadParam("iou_threshold is {}, expected a number that is not negative",
                    options.iou_threshold);
  }
  if (options.score_threshold && std::isnan(*options.score_threshold)) {
    return BadParam("score_threshold is NaN, expected a number");
  }
  return CheckRange<int64_t>("max_outputs", options.max_outputs, 0,
                             std::numeric_limits<int64_t>::max());
}

Status CheckLengths(const SelectionOperands& operands, int64_t count) {
  DETOPS_RETURN_IF_ERROR(CheckDimension(operands.output, 0, count));
  DETOPS_RETURN_IF_ERROR(CheckDimension(operands.result_num, 0, operands.images()));
  return operands.groups == nullptr ? Status() : CheckDimension(*operands.groups, 0, count);
}

Status CheckSelectionData(const SelectionOperands& operands, int64_t count) {
  if (count != 0) {
    DETOPS_RETURN_IF_ERROR(CheckData(operands.output));
  }
  for (const Operand* vector : {&operands.result_num, operands.groups, operands.image_counts}) {
    if (vector != nullptr && vector->shape->element_count != 0) {
      DETOPS_RETURN_IF_ERROR(CheckData(*vector));
    }
  }
  return {};
}

SuppressCall MakeSuppressCall(const SelectionOperands& operands, const SuppressionOptions& options,
                              int64_t count) {
  const auto data = [](const Operand* vector) {
    return vector == nullptr ? nullptr : static_cast<const int32_t*>(vector->data);
  };
  return {nullptr,
          nullptr,
          1,
          count,
          options.iou_threshold,
          options.score_threshold.value_or(std::numeric_limits<float>::quiet_NaN()),
          options.max_outputs,
          options.sort_by_score,
          data(operands.groups),
          data(operands.image_counts),
          operands.images(),
          static_cast<int32_t*>(operands.output.data),
          static_cast<int32_t*>(operands.result_num.data),
          nullptr};
}

std::string Describe(const SuppressionOptions& options, int64_t count, int64_t images) {
  return fmt::format(
      ", iou_threshold {}{}{}{}{}, images {}", options.iou_threshold,
      options.score_threshold ? fmt::format(", score_threshold {}", *options.score_threshold) : "",
      options.max_outputs < count ? fmt::format(", max_outputs {}", options.max_outputs) : "",
      options.sort_by_score ? ", sorted by score" : "", options.groups ? ", by group" : "", images);
}

ViewedSelection::ViewedSelection(const char* function, const SuppressionOptions& options) {
  if (options.groups) {
    groups_.emplace(function, "groups", *options.groups);
    groups_operand_ = groups_->operand();
  }
  if (options.image_counts) {
    image_counts_.emplace(function, "image_counts", *options.image_counts);
    image_counts_operand_ = image_counts_->operand();
  }
}

int64_t ViewedSelection::images() const {
  if (!image_counts_) {
    return 1;
  }
  return image_counts_operand_.shape->rank > 0 ? image_counts_operand_.dim(0) : 0;
}

}  // namespace detops::suppression
