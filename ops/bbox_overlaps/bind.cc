// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python functions.

#include <nanobind/nanobind.h>

#include "detops/bbox_overlaps.hpp"
#include "python/arrays.h"
#include "python/call.h"

namespace detops::bbox_overlaps {
namespace {

namespace nb = nanobind;
using python::Input;

constexpr int kCoordinates = 4;

BboxOverlapsOptions ToOptions(const char* mode, int offset) {
  return {python::Choose<OverlapMode>("mode", mode, {"iou", OverlapMode::kIou},
                                      {"iof", OverlapMode::kIof}),
          offset};
}

nb::object PythonBboxOverlaps(nb::handle bboxes1, nb::handle bboxes2, const char* mode,
                              python::Flag aligned, int offset, nb::handle out) {
  const BboxOverlapsOptions options = ToOptions(mode, offset);
  Input boxes1("bboxes1", bboxes1);
  Input boxes2("bboxes2", bboxes2);
  const python::InputPair boxes = python::SameType(boxes1, boxes2, kCoordinates);
  python::Shape shape = {boxes1.dim(0)};
  if (!aligned) {
    shape.push_back(boxes2.dim(0));
  }
  const python::Output ious(out, "out", boxes.halves ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT, shape);
  python::Run([&](Context& context) {
    if (aligned) {
      BboxOverlapsAligned(context, boxes.first, boxes.second, ious.view(), options);
    } else {
      BboxOverlaps(context, boxes.first, boxes.second, ious.view(), options);
    }
  });
  return ious.Take({&boxes1, &boxes2});
}

nb::tuple PythonRowMaximum(nb::handle bboxes1, nb::handle bboxes2, const char* mode, int offset) {
  const BboxOverlapsOptions options = ToOptions(mode, offset);
  Input boxes1("bboxes1", bboxes1);
  Input boxes2("bboxes2", bboxes2);
  const python::InputPair boxes = python::SameType(boxes1, boxes2, kCoordinates);
  RowMaximum best;
  python::Run([&](Context& context) {
    best = BboxOverlapsRowMaximum(context, boxes.first, boxes.second, options);
  });
  const python::Shape shape = {boxes1.dim(0)};
  return nb::make_tuple(python::ToArray(best.values, shape, {&boxes1, &boxes2}),
                        python::ToArray(best.columns, shape, {&boxes1, &boxes2}));
}

nb::tuple PythonPairs(nb::handle bboxes1, nb::handle bboxes2, float threshold, const char* mode,
                      int offset) {
  const BboxOverlapsOptions options = ToOptions(mode, offset);
  Input boxes1("bboxes1", bboxes1);
  Input boxes2("bboxes2", bboxes2);
  const python::InputPair boxes = python::SameType(boxes1, boxes2, kCoordinates);
  std::vector<int32_t> indices;
  std::vector<float> overlaps;
  python::Run([&](Context& context) {
    for (const OverlapPair& pair :
         BboxOverlapsPairs(context, boxes.first, boxes.second, threshold, options)) {
      indices.insert(indices.end(), {pair.row, pair.column});
      overlaps.push_back(pair.overlap);
    }
  });
  const auto count = static_cast<int64_t>(overlaps.size());
  return nb::make_tuple(python::ToArray(indices, {count, 2}, {&boxes1, &boxes2}),
                        python::ToArray(overlaps, {count}, {&boxes1, &boxes2}));
}

constexpr const char* kBboxOverlapsDoc =
    R"(How much boxes overlap: every box of bboxes1 with every box of bboxes2.

Args:
    bboxes1: [M, 4], float32 or float16: x1, y1, x2, y2. A shape of (0,) counts as (0, 4).
    bboxes2: [N, 4].
    mode: "iou", the intersection over the union, or "iof", over the area of the first box.
    aligned: Whether box i meets box i only. M and N are equal then.
    offset: 0 or 1, added to every width and height.
    out: Where the result goes, instead of into a new array.

Returns:
    [M, N], or [M] when aligned: float16 when both inputs are, else float32.

>>> import numpy as np
>>> import detops
>>> boxes = np.array([[0, 0, 10, 10], [10, 10, 20, 20]], dtype=np.float32)
>>> detops.bbox_overlaps(boxes, [[0, 0, 10, 20], [10, 10, 20, 20]])
array([[0.5, 0. ],
       [0. , 1. ]], dtype=float32)
)";

constexpr const char* kRowMaximumDoc =
    R"(The best match of each box of bboxes1 among bboxes2, without the matrix.

Takes what bbox_overlaps takes.

Returns:
    The largest overlaps, float32 [M], and which box of bboxes2 has each, int32 [M]: the lowest index of equals. 0 and -1
    where there is none.

>>> import detops
>>> values, columns = detops.bbox_overlaps_row_maximum([[0, 0, 10, 10]], [[50, 50, 60, 60], [0, 0, 10, 20]])
>>> values, columns
(array([0.5], dtype=float32), array([1], dtype=int32))
)";

constexpr const char* kPairsDoc =
    R"(The pairs of boxes that overlap by more than a threshold, without the matrix.

Takes what bbox_overlaps takes, and the threshold.

Returns:
    The pairs, int32 [P, 2]: indices into bboxes1 and bboxes2, by the first and then by the second; and their overlaps, float32
    [P].

>>> import detops
>>> pairs, values = detops.bbox_overlaps_pairs([[0, 0, 10, 10]], [[50, 50, 60, 60], [0, 0, 10, 20]], 0.3)
>>> pairs, values
(array([[0, 1]], dtype=int32), array([0.5], dtype=float32))
)";

}  // namespace

void Bind(nb::module_& module) {
  module.def("bbox_overlaps", &PythonBboxOverlaps, nb::arg("bboxes1"), nb::arg("bboxes2"),
             nb::arg("mode") = "iou", nb::arg("aligned") = false, nb::arg("offset") = 0,
             nb::kw_only(), nb::arg("out") = nb::none(), kBboxOverlapsDoc);
  module.def("bbox_overlaps_row_maximum", &PythonRowMaximum, nb::arg("bboxes1"), nb::arg("bboxes2"),
             nb::arg("mode") = "iou", nb::arg("offset") = 0, kRowMaximumDoc);
  module.def("bbox_overlaps_pairs", &PythonPairs, nb::arg("bboxes1"), nb::arg("bboxes2"),
             nb::arg("threshold"), nb::arg("mode") = "iou", nb::arg("offset") = 0, kPairsDoc);
}

}  // namespace detops::bbox_overlaps
