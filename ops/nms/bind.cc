// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python functions nms and batched_nms.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "core/tensor_view.h"
#include "ops/nms/op.h"
#include "python/arrays.h"
#include "python/call.h"
#include "suppression/bind.h"

namespace detops::nms {
namespace {

namespace nb = nanobind;
using python::Input;

// Runs the operator for a Python function, whose argument `groups_name` holds the groups.
SuppressionResult RunNms(const char* function, const char* groups_name, Input& boxes, Input& scores,
                         const NmsOptions& options) {
  const ConstTensorView boxes_view = boxes.Floats(kBoxFloats);
  const ConstTensorView scores_view = scores.Floats();
  SuppressionResult result;
  python::Call(function, [&](mluOpHandle_t handle) {
    return CallWithResult(function, handle,
                          {.boxes = ViewedTensor("boxes", boxes_view),
                           .scores = ViewedTensor("scores", scores_view),
                           .groups = ViewedTensor(groups_name, options.groups),
                           .image_counts = ViewedTensor("image_counts", options.image_counts)},
                          options, result);
  });
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
  return suppression::ToPython(
      RunNms("nms", "groups", boxes_input, scores_input, options), return_counts,
      {&boxes_input, &scores_input, grouping.groups(), grouping.image_counts()});
}

nb::object PythonBatchedNms(nb::handle boxes, nb::handle scores, nb::handle idxs,
                            float iou_threshold) {
  NmsOptions options;
  options.iou_threshold = iou_threshold;
  Input boxes_input("boxes", boxes);
  Input scores_input("scores", scores);
  Input groups("idxs", idxs);
  options.groups = groups.Integers();
  return suppression::ToPython(RunNms("batched_nms", "idxs", boxes_input, scores_input, options),
                               false, {&boxes_input, &scores_input, &groups});
}

constexpr const char* kNmsDoc = R"(Greedy non-maximum suppression of axis-aligned boxes.

Visits the boxes in order of descending score and keeps a box unless its IoU with a kept box is above the threshold. Of boxes with
equal scores, the one with the lower index comes first.

Args:
    boxes: Boxes (x1, y1, x2, y2), [N, 4], float32. Shape (0,) is accepted as (0, 4).
    scores: Scores, [N], float32.
    iou_threshold: IoU above which a box is suppressed, at least 0.
    offset: 0 or 1; added to every width and height.
    groups: Group (class) of each box, [N], integers. Boxes of different groups do not suppress each other.
    image_counts: Number of boxes of each image, [B], integers with the sum N. The boxes of the first image come first, then those of
        the second, and so on. Boxes of different images do not suppress each other.
    score_threshold: Boxes whose score is not above this are removed first. Boxes with a NaN score are not removed.
    max_outputs: Maximum number of boxes kept per image: the ones with the highest scores.
    sort_by_score: Whether the kept boxes of an image are sorted by descending score or by index.
    return_counts: Whether to return the number of kept boxes of each image, too.

Returns:
    The indices of the kept boxes, int32, one image after the other. With return_counts, a tuple of the indices and the number of kept
    boxes of each image, int32 [B].

>>> import detops
>>> boxes = [[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30]]
>>> detops.nms(boxes, [0.8, 0.9, 0.7], 0.5)
array([1, 2], dtype=int32)
>>> detops.nms(boxes, [0.8, 0.9, 0.7], 0.5, groups=[0, 1, 1])
array([1, 0, 2], dtype=int32)
)";

constexpr const char* kBatchedNmsDoc =
    R"(Non-maximum suppression within each group, like torchvision.ops.batched_nms.

Groups are compared as integers. No box is moved to keep groups apart, so decisions are exact for any coordinates.

Args:
    boxes: Boxes (x1, y1, x2, y2), [N, 4], float32.
    scores: Scores, [N], float32.
    idxs: Group (class or pyramid level) of each box, [N], integers.
    iou_threshold: IoU above which a box is suppressed, at least 0.

Returns:
    The indices of the kept boxes, int32, sorted by descending score.

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
