// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What calls of all suppressing operators have in common besides their boxes: options, groups,
// images, the result.

#ifndef DETOPS_SUPPRESSION_OPERANDS_H_
#define DETOPS_SUPPRESSION_OPERANDS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/tensor.h"
#include "core/tensor_view.h"
#include "detops/nms.hpp"
#include "suppression/engine.h"

namespace detops::suppression {

// The tensors; null for those that a call does not have.
struct SelectionOperands {
  Operand output;
  Operand result_num;
  const Operand* groups = nullptr;
  const Operand* image_counts = nullptr;

  int64_t images() const { return image_counts == nullptr ? 1 : image_counts->dim(0); }
};

// The checks of an operator's MakeArgs, in the order in which it makes them.
Status CheckIntegerVectors(const SelectionOperands& operands);  // rank and type
Status CheckOptions(const SuppressionOptions& options);
Status CheckLengths(const SelectionOperands& operands, int64_t count);
Status CheckSelectionData(const SelectionOperands& operands, int64_t count);

// A call with everything but its boxes and scores.
SuppressCall MakeSuppressCall(const SelectionOperands& operands, const SuppressionOptions& options,
                              int64_t count);

// For the log: ", iou_threshold 0.5, ...".
std::string Describe(const SuppressionOptions& options, int64_t count, int64_t images);

// The options' tensors as operands.
class ViewedSelection {
 public:
  ViewedSelection(const char* function, const SuppressionOptions& options);

  // With these results.
  SelectionOperands operands(const Operand& output, const Operand& result_num) const {
    return {output, result_num, groups_ ? &groups_operand_ : nullptr,
            image_counts_ ? &image_counts_operand_ : nullptr};
  }
  // How many counts a result has.
  int64_t images() const;

 private:
  std::optional<ViewedTensor> groups_;
  std::optional<ViewedTensor> image_counts_;
  Operand groups_operand_{};
  Operand image_counts_operand_{};
};

// Runs a call whose result is returned: make(operands) checks everything, with results of the right
// shape that have no memory yet, and run(output, result_num) does it.
template <class Make, class Run>
Status CallWithResult(const ViewedSelection& selection, const Operand& boxes,
                      SuppressionResult& result, const Make& make, const Run& run) {
  const int64_t count = boxes.shape->rank > 0 ? boxes.dim(0) : 0;  // checked in make
  const int64_t images = selection.images();
  const TensorShape output_shape = MakeShape(MLUOP_DTYPE_INT32, {count});
  const TensorShape counts_shape = MakeShape(MLUOP_DTYPE_INT32, {images});
  int32_t later = 0;  // stands for the memory
  DETOPS_RETURN_IF_ERROR(make(selection.operands({"output", &output_shape, &later},
                                                 {"result_num", &counts_shape, &later})));
  result.indices.resize(static_cast<size_t>(count));
  result.counts.resize(static_cast<size_t>(images));
  DETOPS_RETURN_IF_ERROR(run(result.indices.data(), result.counts.data()));
  size_t kept = 0;
  for (const int32_t of_image : result.counts) {
    kept += static_cast<size_t>(of_image);
  }
  result.indices.resize(kept);
  return {};
}

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_OPERANDS_H_
