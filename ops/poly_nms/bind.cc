// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python functions.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "core/tensor_view.h"
#include "ops/poly_nms/op.h"
#include "python/arrays.h"
#include "python/call.h"
#include "suppression/bind.h"

namespace detops::poly_nms {
namespace {

namespace nb = nanobind;
using python::Input;

nb::object PythonPolyNms(nb::handle dets, float iou_threshold, nb::handle groups,
                         nb::handle image_counts, std::optional<float> score_threshold,
                         std::optional<int64_t> max_outputs, python::Flag sort_by_score,
                         python::Flag return_counts) {
  constexpr const char* kName = "poly_nms";
  PolyNmsOptions options;
  options.iou_threshold = iou_threshold;
  options.score_threshold = score_threshold;
  options.max_outputs = max_outputs.value_or(options.max_outputs);
  options.sort_by_score = sort_by_score;
  Input boxes("dets", dets);
  const suppression::PythonGrouping grouping(groups, image_counts, options);
  const ConstTensorView boxes_view = boxes.Floats(kBoxFloats);
  PolyNmsResult result;
  python::Call(kName, [&](mluOpHandle_t handle) {
    return CallWithResult(kName, handle,
                          {.boxes = ViewedTensor("dets", boxes_view),
                           .groups = ViewedTensor("groups", options.groups),
                           .image_counts = ViewedTensor("image_counts", options.image_counts)},
                          options, result);
  });
  return suppression::ToPython(result, return_counts,
                               {&boxes, grouping.groups(), grouping.image_counts()});
}

nb::object PythonPolygonIou(nb::handle polygons1, nb::handle polygons2, python::Flag aligned,
                            nb::handle out) {
  constexpr const char* kName = "polygon_iou";
  constexpr int64_t kCornerFloats = kBoxFloats - 1;
  Input first("polygons1", polygons1);
  Input second("polygons2", polygons2);
  const ConstTensorView first_view = first.Floats(kCornerFloats);
  const ConstTensorView second_view = second.Floats(kCornerFloats);
  python::Shape shape = {first.dim(0)};
  if (!aligned) {
    shape.push_back(second.dim(0));
  }
  const python::Output ious(out, "out", MLUOP_DTYPE_FLOAT, shape, {&first, &second});
  python::CheckSeparate({&ious}, {&first, &second});
  python::Call(kName, [&](mluOpHandle_t handle) {
    return CallIou(kName, handle,
                   {.polygons1 = ViewedTensor("polygons1", first_view),
                    .polygons2 = ViewedTensor("polygons2", second_view),
                    .ious = ViewedTensor("out", ious.view()),
                    .aligned = aligned});
  });
  return ious.Take();
}

constexpr const char* kPolyNmsDoc =
    R"(Quadrilateral NMS: greedy non-maximum suppression of quadrilaterals.

Detections are visited in order of descending score. A detection is kept unless its IoU with a kept detection is greater than
iou_threshold.

Args:
    dets: Detections (x1, y1, x2, y2, x3, y3, x4, y4, score), float32 [N, 9]. Corners run clockwise or counterclockwise. Shape (0,) is taken as (0, 9).
    iou_threshold: IoU threshold, at least 0. A threshold of 1 or more suppresses nothing.
    groups: Group of each detection, such as its class, integers [N]. Detections of different groups do not suppress each other.
    image_counts: Number of detections of each image, integers [B] with the sum N. The detections of an image are consecutive. Detections of different images do not suppress each other.
    score_threshold: If given, detections with a score less than or equal to this are removed before suppression. NaN scores are not removed.
    max_outputs: Maximum number of detections kept per image: the ones with the highest scores.
    sort_by_score: Whether the result is in order of descending score within each image, instead of ascending index.
    return_counts: Whether to return the number of kept detections per image, too.

Returns:
    Indices of the kept detections, int32, one image after the other. With return_counts, a tuple of the indices and the counts, int32 [B].

>>> import detops
>>> dets = [[0, 0, 40, 10, 36, 26, -4, 16, 0.9], [1, 1, 41, 11, 37, 27, -3, 17, 0.8], [50, 2, 90, 2, 90, 22, 50, 22, 0.7]]
>>> detops.poly_nms(dets, 0.3)
array([0, 2], dtype=int32)
)";

constexpr const char* kPolygonIouDoc =
    R"(IoU of quadrilaterals: of every pair, or of quadrilaterals with the same index.

Args:
    polygons1: Corners (x1, y1, x2, y2, x3, y3, x4, y4), float32 [M, 8]. A ninth column, such as a score, is ignored. Shape (0,) is taken as (0, 8).
    polygons2: Corners, float32 [N, 8], as polygons1.
    aligned: Whether to compare polygons1[i] with polygons2[i] only. M must then equal N.
    out: Array that the result is written to, instead of a new one.

Returns:
    IoUs, float32 [M, N]; if aligned, [M].

>>> import detops
>>> detops.polygon_iou([[0, 0, 2, 0, 2, 2, 0, 2]], [[0, 0, 2, 0, 2, 1, 0, 1]])
array([[0.5]], dtype=float32)
)";

}  // namespace

void Bind(nb::module_& module) {
  module.def("poly_nms", &PythonPolyNms, nb::arg("dets"), nb::arg("iou_threshold"), nb::kw_only(),
             nb::arg("groups") = nb::none(), nb::arg("image_counts") = nb::none(),
             nb::arg("score_threshold") = nb::none(), nb::arg("max_outputs") = nb::none(),
             nb::arg("sort_by_score") = false, nb::arg("return_counts") = false, kPolyNmsDoc);
  module.def("polygon_iou", &PythonPolygonIou, nb::arg("polygons1"), nb::arg("polygons2"),
             nb::arg("aligned") = false, nb::kw_only(), nb::arg("out") = nb::none(),
             kPolygonIouDoc);
}

}  // namespace detops::poly_nms
