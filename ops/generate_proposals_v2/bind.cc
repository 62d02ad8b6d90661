// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python function.

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <optional>

#include "core/tensor_view.h"
#include "detops/generate_proposals_v2.hpp"
#include "ops/generate_proposals_v2/op.h"
#include "python/arrays.h"
#include "python/call.h"

namespace detops::generate_proposals_v2 {
namespace {

namespace nb = nanobind;
using python::Input;

// Returns a tuple of the arrays that the caller asked for.
nb::tuple ToPython(const GenerateProposalsResult& result, bool return_counts,
                   bool return_anchor_indices, std::initializer_list<const Input*> inputs) {
  const auto rows = static_cast<int64_t>(result.probs.size());
  nb::list arrays;
  arrays.append(python::ToArray(result.rois, {rows, kBoxFloats}, inputs));
  arrays.append(python::ToArray(result.probs, {rows, 1}, inputs));
  if (return_counts) {
    arrays.append(
        python::ToArray(result.counts, {static_cast<int64_t>(result.counts.size())}, inputs));
  }
  if (return_anchor_indices) {
    arrays.append(python::ToArray(result.anchor_indices, {rows}, inputs));
  }
  return nb::tuple(arrays);
}

nb::tuple PythonGenerateProposals(nb::handle scores, nb::handle bbox_deltas, nb::handle img_size,
                                  nb::handle anchors, nb::handle variances, int pre_nms_top_n,
                                  int post_nms_top_n, float nms_thresh, float min_size, float eta,
                                  python::Flag pixel_offset, python::Flag return_rois_num,
                                  const char* layout, python::Flag return_anchor_indices) {
  const GenerateProposalsOptions options{.pre_nms_top_n = pre_nms_top_n,
                                         .post_nms_top_n = post_nms_top_n,
                                         .nms_thresh = nms_thresh,
                                         .min_size = min_size,
                                         .eta = eta,
                                         .pixel_offset = pixel_offset,
                                         .layout = python::ToLayout(layout)};
  Input scores_input("scores", scores);
  Input deltas_input("bbox_deltas", bbox_deltas);
  Input sizes_input("img_size", img_size);
  Input anchors_input("anchors", anchors);
  std::optional<Input> variances_input;
  std::optional<ConstTensorView> variances_view;
  if (!variances.is_none()) {
    variances_view = variances_input.emplace("variances", variances).Floats();
  }
  const ViewedTensor scores_tensor("scores", scores_input.Floats());
  const ViewedTensor deltas_tensor("bbox_deltas", deltas_input.Floats());
  const ViewedTensor sizes_tensor("img_size", sizes_input.Floats());
  const ViewedTensor anchors_tensor("anchors", anchors_input.Floats());
  const ViewedTensor variances_tensor("variances", variances_view);
  constexpr const char* kName = "generate_proposals";
  GenerateProposalsResult result;
  python::Call(kName, [&](mluOpHandle_t handle) {
    return CallWithResult(kName, handle,
                          {.scores = scores_tensor,
                           .bbox_deltas = deltas_tensor,
                           .im_shape = sizes_tensor,
                           .anchors = anchors_tensor,
                           .variances = variances_tensor},
                          options, result);
  });
  return ToPython(result, return_rois_num, return_anchor_indices,
                  {&scores_input, &deltas_input, &sizes_input, &anchors_input,
                   variances_input ? &*variances_input : nullptr});
}

constexpr const char* kDoc =
    R"(Generates proposals from the output of a region proposal network (RPN).

For each image: selects the highest scores, decodes their anchors and deltas to boxes, clips the boxes
to the image, drops small boxes, and applies greedy non-maximum suppression. The parameters are named as
in paddle.vision.ops.generate_proposals; unlike there, channels come last by default.

Args:
    scores: Objectness scores, float32 [N, H, W, A], or [N, A, H, W] with layout "NCHW".
    bbox_deltas: Box deltas (dx, dy, dw, dh) of each anchor, [N, H, W, 4A], or [N, 4A, H, W] with layout "NCHW".
    img_size: Height and width of each image, [N, 2].
    anchors: Anchors (x1, y1, x2, y2), [H, W, A, 4].
    variances: Factors that the deltas are multiplied by, [H, W, A, 4]. None means all ones.
    pre_nms_top_n: Number of highest scores selected per image. All if it is 0 or negative.
    post_nms_top_n: Maximum number of proposals per image, at least 1.
    nms_thresh: IoU threshold, greater than 0. A proposal is suppressed if its IoU with a kept one is greater.
    min_size: Minimum width and height of a proposal. Values below 1 count as 1.
    eta: At least 1. Adaptive thresholds (eta below 1) are not supported.
    pixel_offset: Whether the width of a box is x2 - x1 + 1 instead of x2 - x1, and the height likewise.
    return_rois_num: Whether to return the number of proposals of each image.
    layout: Layout of scores and bbox_deltas, "NHWC" or "NCHW".
    return_anchor_indices: Whether to return the anchor of each proposal.

Returns:
    A tuple of:
    rois: Proposals (x1, y1, x2, y2) of all images, one image after the other, float32 [R, 4]. An image
    without any proposal gets one, (0, 0, 0, 0) with score 0.
    probs: Scores of the proposals, float32 [R, 1].
    rois_num: Number of proposals of each image, int32 [N]. Only if return_rois_num is True.
    anchor_indices: Index in [H, W, A] of each proposal's anchor, int32 [R]; -1 for the proposal of an
    image without any. Only if return_anchor_indices is True.

>>> import numpy as np
>>> import detops
>>> rois, probs, counts = detops.generate_proposals(
...     scores=[[[[0.9], [0.6]]]], bbox_deltas=np.zeros((1, 1, 2, 4)), img_size=[[20, 20]],
...     anchors=[[[[0, 0, 10, 10]], [[8, 8, 30, 18]]]])
>>> rois
array([[ 0.,  0., 10., 10.],
       [ 8.,  8., 20., 18.]], dtype=float32)
>>> counts
array([2], dtype=int32)
)";

}  // namespace

void Bind(nb::module_& module) {
  module.def("generate_proposals", &PythonGenerateProposals, nb::arg("scores"),
             nb::arg("bbox_deltas"), nb::arg("img_size"), nb::arg("anchors"),
             nb::arg("variances") = nb::none(), nb::arg("pre_nms_top_n") = 6000,
             nb::arg("post_nms_top_n") = 1000, nb::arg("nms_thresh") = 0.5,
             nb::arg("min_size") = 0.1, nb::arg("eta") = 1.0, nb::arg("pixel_offset") = false,
             nb::arg("return_rois_num") = true, nb::kw_only(), nb::arg("layout") = "NHWC",
             nb::arg("return_anchor_indices") = false, kDoc);
}

}  // namespace detops::generate_proposals_v2
