// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python functions.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "detops/poly_nms.hpp"
#include "python/arrays.h"
#include "python/call.h"
#include "suppression/bind.h"

namespace detops::poly_nms {
namespace {

namespace nb = nanobind;
using python::Input;

constexpr int kCoordinates = 8;
constexpr int kCoordinatesAndScore = 9;

nb::object PythonPolyNms(nb::handle dets, float iou_threshold, nb::handle groups,
                         nb::handle image_counts, std::optional<float> score_threshold,
                         std::optional<int64_t> max_outputs, python::Flag sort_by_score,
                         python::Flag return_counts) {
  PolyNmsOptions options;
  options.iou_threshold = iou_threshold;
  options.score_threshold = score_threshold;
  options.max_outputs = max_outputs.value_or(options.max_outputs);
  options.sort_by_score = sort_by_score;
  Input boxes("dets", dets);
  const suppression::PythonGrouping grouping(groups, image_counts, options);
  const ConstTensorView boxes_view = boxes.Floats(kCoordinatesAndScore);
  PolyNmsResult result;
  python::Run([&](Context& context) { result = PolyNms(context, boxes_view, options); });
  return suppression::ToPython(result, return_counts, boxes);
}

nb::object PythonPolygonIou(nb::handle polygons1, nb::handle polygons2, python::Flag aligned,
                            nb::handle out) {
  Input first("polygons1", polygons1);
  Input second("polygons2", polygons2);
  const ConstTensorView first_view = first.Floats(kCoordinates);
  const ConstTensorView second_view = second.Floats(kCoordinates);
  python::Shape shape = {first.dim(0)};
  if (!aligned) {
    shape.push_back(second.dim(0));
  }
  const python::Output ious(out, "out", MLUOP_DTYPE_FLOAT, shape);
  python::Run([&](Context& context) {
    if (aligned) {
      PolygonIouAligned(context, first_view, second_view, ious.view());
    } else {
      PolygonIou(context, first_view, second_view, ious.view());
    }
  });
  return ious.Take({&first, &second});
}

constexpr const char* kPolyNmsDoc = R"(Which quadrilaterals to keep: non-maximum suppression.

From the highest score down, one is kept unless its IoU with a kept one is above the threshold.

Args:
    dets: [N, 9], float32: four corners (x, y) in either sense of rotation, and a score. A shape of (0,) counts as (0, 9).
    iou_threshold: Not negative.
    groups: [N], whole numbers: only detections of the same group (class) suppress each other.
    image_counts: [B], whole numbers: how many of the detections belong to each image, one image after the other.
    score_threshold: Detections whose score is not above this are left out beforehand; NaN scores stay.
    max_outputs: At most so many detections of each image are kept, those of the highest scores.
    sort_by_score: Whether the result goes from the highest score down, and not by index.
    return_counts: Whether to return also how many detections of each image are kept.

Returns:
    The indices of the kept detections, int32, one image after the other; and the counts, int32 [B], when asked for.

>>> import detops
>>> dets = [[0, 0, 40, 10, 36, 26, -4, 16, 0.9], [1, 1, 41, 11, 37, 27, -3, 17, 0.8], [50, 2, 90, 2, 90, 22, 50, 22, 0.7]]
>>> detops.poly_nms(dets, 0.3)
array([0, 2], dtype=int32)
)";

constexpr const char* kPolygonIouDoc =
    R"(IoU of quadrilaterals: every one of polygons1 with every one of polygons2.

Args:
    polygons1: [M, 8], float32: four corners (x, y). A ninth number (a score) is passed over. A shape of (0,) counts as (0, 8).
    polygons2: [N, 8].
    aligned: Whether quadrilateral i meets quadrilateral i only. M and N are equal then.
    out: Where the result goes, instead of into a new array.

Returns:
    float32 [M, N], or [M] when aligned.

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
