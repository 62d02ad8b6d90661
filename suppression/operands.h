// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The operands of suppressing operators and their checks. All of them take the same tensors and
// options besides the boxes themselves.

#ifndef DETOPS_SUPPRESSION_OPERANDS_H_
#define DETOPS_SUPPRESSION_OPERANDS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/operand.h"
#include "core/tensor_view.h"
#include "detops/nms.hpp"
#include "runtime/submit.h"
#include "suppression/engine.h"

namespace detops::suppression {

// The tensors of a call.
struct Operands {
  Operand boxes{};
  Operand scores{};        // absent when the score is a number of each box
  Operand groups{};        // optional
  Operand image_counts{};  // optional
  Operand output{};
  Operand result_num{};
  std::optional<CallerWorkspace> workspace{};

  std::array<const Operand*, 6> all() const {
    return {&boxes, &scores, &groups, &image_counts, &output, &result_num};
  }
  int64_t images() const { return image_counts.is_present() ? image_counts.dim(0) : 1; }
};

// Checks everything but memory. Boxes have `box_numbers` numbers, which `columns` explains.
Status CheckShapes(const Operands& operands, const SuppressionOptions& options, int64_t box_numbers,
                   const char* columns);
Status CheckMemory(const Operands& operands);

// Returns the engine's arguments. The operator adds what only it knows, such as its scores' stride.
Args MakeArgs(const Operands& operands, const SuppressionOptions& options);

// Returns why no case file can express a call, whatever the operator; null if nothing is in the
// way.
const char* ObstacleToACase(const Operands& operands, const SuppressionOptions& options);

// The options as text for the log: ", iou_threshold 0.5, ...".
struct OptionsText {
  const SuppressionOptions& options;
  const Operands& operands;

  std::string ToString() const;
};

// Makes a call that returns its result: check(operands) checks shapes, call(operands) runs it with
// the memory that is allocated in between.
template <class Check, class Call>
Status CallWithResult(mluOpHandle_t handle, Operands operands, SuppressionResult& result,
                      const Check& check, const Call& call) {
  const ViewedTensor output("output", MLUOP_DTYPE_INT32, {operands.boxes.dim(0)});
  const ViewedTensor result_num("result_num", MLUOP_DTYPE_INT32, {operands.images()});
  operands.output = output;
  operands.result_num = result_num;
  DETOPS_RETURN_IF_ERROR(check(operands));
  result.indices.resize(static_cast<size_t>(operands.boxes.dim(0)));
  result.counts.resize(static_cast<size_t>(operands.images()));
  operands.output.data = result.indices.data();
  operands.result_num.data = result.counts.data();
  InlineExecution inline_execution;
  DETOPS_RETURN_IF_ERROR(inline_execution.Begin(handle));
  DETOPS_RETURN_IF_ERROR(call(operands));
  size_t kept = 0;
  for (const int32_t count : result.counts) {
    kept += static_cast<size_t>(count);
  }
  result.indices.resize(kept);
  return {};
}

}  // namespace detops::suppression

template <>
struct fmt::formatter<detops::suppression::OptionsText> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const detops::suppression::OptionsText& text, Context& context) const {
    return fmt::formatter<std::string>::format(text.ToString(), context);
  }
};

#endif  // DETOPS_SUPPRESSION_OPERANDS_H_
