// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python functions.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "detops/nms.hpp"
#include "python/arrays.h"
#include "python/call.h"
#include "suppression/bind.h"

namespace detops::nms {
namespace {

namespace nb = nanobind;
using python::Input;

constexpr int kCoordinates = 4;

SuppressionResult RunNms(Input& boxes, Input& scores, const NmsOptions& options) {
  const ConstTensorView boxes_view = boxes.Floats(kCoordinates);
  const ConstTensorView scores_view = scores.Floats();
  SuppressionResult result;
  python::Run([&](Context& context) { result = Nms(context, boxes_view, scores_view, options); });
  return result;
}

nb::object PythonNms(nb::handle boxes, nb::handle scores, float iou_threshold, int offset,
                     nb::handle groups, nb::handle image_counts,
                     std::optional<float> score_threshold, std::optional<int64_t> max_outputs,
                     python::Flag sort_by_score, python::Flag return_counts) {
  NmsOptions options;
  options.iou_threshold = iou_threshold;
  options.offset = offset;
  options.score_threshold = score_threshold;
  options.max_outputs = max_outputs.value_or(options.max_outputs);
  options.sort_by_score = sort_by_score;
  Input boxes_input("boxes", boxes);
  Input scores_input("scores", scores);
  const suppression::PythonGrouping grouping(groups, image_counts, options);
  return suppression::ToPython(RunNms(boxes_input, scores_input, options), return_counts,
                               boxes_input);
}

nb::object PythonBatchedNms(nb::handle boxes, nb::handle scores, nb::handle idxs,
                            float iou_threshold) {
  NmsOptions options;
  options.iou_threshold = iou_threshold;
  Input boxes_input("boxes", boxes);
  Input scores_input("scores", scores);
  Input groups("idxs", idxs);
  options.groups = groups.Integers();
  return suppression::ToPython(RunNms(boxes_input, scores_input, options), false, boxes_input);
}

constexpr const char* kNmsDoc = R"(Which boxes to keep: non-maximum suppression.

From the highest score down, a box is kept unless its IoU with a kept box is above the threshold.

Args:
    boxes: [N, 4], float32: x1, y1, x2, y2. A shape of (0,) counts as (0, 4).
    scores: [N], float32.
    iou_threshold: Not negative.
    offset: 0 or 1, added to every width and height.
    groups: [N], whole numbers: only boxes of the same group (class) suppress each other.
    image_counts: [B], whole numbers: how many of the boxes belong to each image, one image after the other.
    score_threshold: Boxes whose score is not above this are left out beforehand; NaN scores stay.
    max_outputs: At most so many boxes of each image are kept, those of the highest scores.
    sort_by_score: Whether the result goes from the highest score down, and not by index.
    return_counts: Whether to return also how many boxes of each image are kept.

Returns:
    The indices of the kept boxes, int32, one image after the other; and the counts, int32 [B], when asked for.

>>> import detops
>>> boxes = [[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30]]
>>> detops.nms(boxes, [0.8, 0.9, 0.7], 0.5)
array([1, 2], dtype=int32)
>>> detops.nms(boxes, [0.8, 0.9, 0.7], 0.5, groups=[0, 1, 1])
array([1, 0, 2], dtype=int32)
)";

constexpr const char* kBatchedNmsDoc =
    R"(nms of each group on its own, as torchvision.ops.batched_nms.

Groups are compared as numbers; no box is moved, so far away boxes of many groups are decided as exactly as near ones.

Args:
    boxes: [N, 4], float32: x1, y1, x2, y2.
    scores: [N], float32.
    idxs: [N], whole numbers: the group (class, level) of each box.
    iou_threshold: Not negative.

Returns:
    The indices of the kept boxes, int32, from the highest score down.

>>> import detops
>>> detops.batched_nms([[0, 0, 10, 10], [1, 1, 11, 11], [2, 2, 12, 12]], [0.8, 0.9, 0.7], [0, 1, 1], 0.5)
array([1, 0], dtype=int32)
)";

}  // namespace

void Bind(nb::module_& module) {
  module.def("nms", &PythonNms, nb::arg("boxes"), nb::arg("scores"), nb::arg("iou_threshold"),
             nb::kw_only(), nb::arg("offset") = 0, nb::arg("groups") = nb::none(),
             nb::arg("image_counts") = nb::none(), nb::arg("score_threshold") = nb::none(),
             nb::arg("max_outputs") = nb::none(), nb::arg("sort_by_score") = true,
             nb::arg("return_counts") = false, kNmsDoc);
  module.def("batched_nms", &PythonBatchedNms, nb::arg("boxes"), nb::arg("scores"), nb::arg("idxs"),
             nb::arg("iou_threshold"), kBatchedNmsDoc);
}

}  // namespace detops::nms
