// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python function.

#include <nanobind/nanobind.h>

#include <optional>

#include "detops/generate_proposals_v2.hpp"
#include "python/arrays.h"
#include "python/call.h"

namespace detops::generate_proposals_v2 {
namespace {

namespace nb = nanobind;
using python::Input;

// As many as were asked for.
nb::tuple ToPython(const GenerateProposalsResult& result, bool return_counts,
                   bool return_anchor_indices, const Input& scores) {
  const auto rows = static_cast<int64_t>(result.probs.size());
  nb::list arrays;
  arrays.append(python::ToArray(result.rois, {rows, 4}, {&scores}));
  arrays.append(python::ToArray(result.probs, {rows, 1}, {&scores}));
  if (return_counts) {
    arrays.append(
        python::ToArray(result.counts, {static_cast<int64_t>(result.counts.size())}, {&scores}));
  }
  if (return_anchor_indices) {
    arrays.append(python::ToArray(result.anchor_indices, {rows}, {&scores}));
  }
  return nb::tuple(arrays);
}

nb::tuple PythonGenerateProposals(nb::handle scores, nb::handle bbox_deltas, nb::handle img_size,
                                  nb::handle anchors, nb::handle variances, int pre_nms_top_n,
                                  int post_nms_top_n, float nms_thresh, float min_size, float eta,
                                  python::Flag pixel_offset, python::Flag return_rois_num,
                                  const char* layout, python::Flag return_anchor_indices) {
  GenerateProposalsOptions options;
  options.pre_nms_top_n = pre_nms_top_n;
  options.post_nms_top_n = post_nms_top_n;
  options.nms_thresh = nms_thresh;
  options.min_size = min_size;
  options.eta = eta;
  options.pixel_offset = pixel_offset;
  options.layout = python::ToLayout(layout);
  Input scores_input("scores", scores);
  Input deltas_input("bbox_deltas", bbox_deltas);
  Input sizes_input("img_size", img_size);
  Input anchors_input("anchors", anchors);
  std::optional<Input> variances_input;
  if (!variances.is_none()) {
    options.variances = variances_input.emplace("variances", variances).Floats();
  }
  const ConstTensorView scores_view = scores_input.Floats();
  const ConstTensorView deltas_view = deltas_input.Floats();
  const ConstTensorView sizes_view = sizes_input.Floats();
  const ConstTensorView anchors_view = anchors_input.Floats();
  GenerateProposalsResult result;
  python::Run([&](Context& context) {
    result =
        GenerateProposalsV2(context, scores_view, deltas_view, sizes_view, anchors_view, options);
  });
  return ToPython(result, return_rois_num, return_anchor_indices, scores_input);
}

constexpr const char* kDoc =
    R"(Regions of interest from the scores and deltas of a region proposal network.

Args:
    scores: [N, H, W, A], float32; with layout "NCHW" [N, A, H, W].
    bbox_deltas: [N, H, W, 4A]; with layout "NCHW" [N, 4A, H, W].
    img_size: [N, 2]: height and width of each image.
    anchors: [H, W, A, 4]: x1, y1, x2, y2.
    variances: [H, W, A, 4]; all ones without.
    pre_nms_top_n: Proposals of each image that are decoded, those of the highest scores; all when it is not positive.
    post_nms_top_n: Proposals of each image that are kept at most.
    nms_thresh: A proposal goes when its IoU with a kept one of a higher score is above this.
    min_size: Proposals that are narrower or lower than this, or than 1, are dropped.
    eta: Not below 1: the adaptive threshold is not supported.
    pixel_offset: Whether a box reaches one pixel beyond its last coordinate.
    return_rois_num: Whether to return the counts.
    layout: "NHWC" or "NCHW", of scores and bbox_deltas.
    return_anchor_indices: Whether to return also which anchor each proposal is from.

Returns:
    rois, float32 [R, 4], one image after the other; probs, float32 [R, 1]; how many belong to each image, int32 [N]; and the
    indices into [H, W, A], int32 [R], when asked for: -1 for the empty proposal of an image that has none.

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
             nb::arg("post_nms_top_n") = 1000, nb::arg("nms_thresh") = 0.5f,
             nb::arg("min_size") = 0.1f, nb::arg("eta") = 1.0f, nb::arg("pixel_offset") = false,
             nb::arg("return_rois_num") = true, nb::kw_only(), nb::arg("layout") = "NHWC",
             nb::arg("return_anchor_indices") = false, kDoc);
}

}  // namespace detops::generate_proposals_v2
