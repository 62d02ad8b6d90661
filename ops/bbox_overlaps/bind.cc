// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python functions.

#include <nanobind/nanobind.h>

#include <vector>

#include "core/tensor_view.h"
#include "ops/bbox_overlaps/op.h"
#include "python/arrays.h"
#include "python/call.h"

namespace detops::bbox_overlaps {
namespace {

namespace nb = nanobind;

constexpr int kCoordinates = 4;

BboxOverlapsOptions ToOptions(const char* mode, int offset) {
  return {.mode = python::Choose<OverlapMode>("mode", mode, {"iou", OverlapMode::kIou},
                                              {"iof", OverlapMode::kIof}),
          .offset = offset};
}

// The two lists of boxes that every function takes.
struct BoxInputs {
  BoxInputs(nb::handle bboxes1, nb::handle bboxes2)
      : first("bboxes1", bboxes1),
        second("bboxes2", bboxes2),
        views(python::SameType(first, second, kCoordinates)),
        boxes1("bboxes1", views.first),
        boxes2("bboxes2", views.second) {}

  python::Input first;
  python::Input second;
  python::InputPair views;
  ViewedTensor boxes1;
  ViewedTensor boxes2;
};

nb::object PythonBboxOverlaps(nb::handle bboxes1, nb::handle bboxes2, const char* mode,
                              python::Flag aligned, int offset, nb::handle out) {
  const BboxOverlapsOptions options = ToOptions(mode, offset);
  const BoxInputs inputs(bboxes1, bboxes2);
  python::Shape shape = {inputs.first.dim(0)};
  if (!aligned) {
    shape.push_back(inputs.second.dim(0));
  }
  const mluOpDataType_t dtype = inputs.views.halves ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT;
  const python::Output ious(out, "out", dtype, shape, {&inputs.first, &inputs.second});
  python::CheckSeparate({&ious}, {&inputs.first, &inputs.second});
  const ViewedTensor ious_tensor("out", ious.view());
  python::Call("bbox_overlaps", [&](mluOpHandle_t handle) {
    return Call(
        "bbox_overlaps", handle,
        {.boxes1 = inputs.boxes1, .boxes2 = inputs.boxes2, .ious = ious_tensor, .aligned = aligned},
        options);
  });
  return ious.Take();
}

nb::tuple PythonRowMaximum(nb::handle bboxes1, nb::handle bboxes2, const char* mode, int offset) {
  constexpr const char* kName = "bbox_overlaps_row_maximum";
  const BboxOverlapsOptions options = ToOptions(mode, offset);
  const BoxInputs inputs(bboxes1, bboxes2);
  RowMaximum best;
  python::Call(kName, [&](mluOpHandle_t handle) {
    return CallRowMaximum(kName, handle, {.boxes1 = inputs.boxes1, .boxes2 = inputs.boxes2},
                          options, best);
  });
  const python::Shape shape = {inputs.first.dim(0)};
  return nb::make_tuple(python::ToArray(best.values, shape, {&inputs.first, &inputs.second}),
                        python::ToArray(best.columns, shape, {&inputs.first, &inputs.second}));
}

nb::tuple PythonPairs(nb::handle bboxes1, nb::handle bboxes2, float threshold, const char* mode,
                      int offset) {
  constexpr const char* kName = "bbox_overlaps_pairs";
  const BboxOverlapsOptions options = ToOptions(mode, offset);
  const BoxInputs inputs(bboxes1, bboxes2);
  std::vector<int32_t> indices;
  std::vector<float> overlaps;
  python::Call(kName, [&](mluOpHandle_t handle) -> Status {
    std::vector<OverlapPair> pairs;
    DETOPS_RETURN_IF_ERROR(CallPairs(kName, handle,
                                     {.boxes1 = inputs.boxes1, .boxes2 = inputs.boxes2}, threshold,
                                     options, pairs));
    for (const OverlapPair& pair : pairs) {
      indices.insert(indices.end(), {pair.row, pair.column});
      overlaps.push_back(pair.overlap);
    }
    return {};
  });
  const auto count = static_cast<int64_t>(overlaps.size());
  return nb::make_tuple(python::ToArray(indices, {count, 2}, {&inputs.first, &inputs.second}),
                        python::ToArray(overlaps, {count}, {&inputs.first, &inputs.second}));
}

constexpr const char* kBboxOverlapsDoc =
    R"(Computes the overlap (IoU or IoF) of every box of bboxes1 with every box of bboxes2.

Args:
    bboxes1: Boxes, float32 or float16 [M, 4], as (x1, y1, x2, y2). Shape (0,) is taken as (0, 4).
    bboxes2: Boxes, [N, 4].
    mode: "iou" for intersection over union, or "iof" for intersection over the area of the box of
        bboxes1.
    aligned: If True, computes the overlap of bboxes1[i] with bboxes2[i] only; M must equal N.
    offset: 0 or 1; added to every width and height.
    out: Array for the result. By default, a new array is returned.

Returns:
    The overlaps, [M, N], or [M] if aligned; float16 if both inputs are, otherwise float32.

>>> import numpy as np
>>> import detops
>>> boxes = np.array([[0, 0, 10, 10], [10, 10, 20, 20]], dtype=np.float32)
>>> detops.bbox_overlaps(boxes, [[0, 0, 10, 20], [10, 10, 20, 20]])
array([[0.5, 0. ],
       [0. , 1. ]], dtype=float32)
)";

constexpr const char* kRowMaximumDoc =
    R"(Finds the best match of each box of bboxes1 among bboxes2, without building the matrix.

Args:
    bboxes1: Boxes, float32 or float16 [M, 4], as (x1, y1, x2, y2).
    bboxes2: Boxes, [N, 4].
    mode: "iou" or "iof", see bbox_overlaps.
    offset: 0 or 1; added to every width and height.

Returns:
    A tuple (values, columns). values, float32 [M], has the largest overlap of each box, 0 if N is
    0, NaN if all its overlaps are NaN. columns, int32 [M], has the index of the match in bboxes2:
    the lowest index of equal ones, or -1 if there is no match.

>>> import detops
>>> values, columns = detops.bbox_overlaps_row_maximum([[0, 0, 10, 10]], [[50, 50, 60, 60], [0, 0, 10, 20]])
>>> values, columns
(array([0.5], dtype=float32), array([1], dtype=int32))
)";

constexpr const char* kPairsDoc =
    R"(Finds the pairs of boxes whose overlap is greater than a threshold, without building the matrix.

Args:
    bboxes1: Boxes, float32 or float16 [M, 4], as (x1, y1, x2, y2).
    bboxes2: Boxes, [N, 4].
    threshold: Any number, also negative or infinite, but not NaN.
    mode: "iou" or "iof", see bbox_overlaps.
    offset: 0 or 1; added to every width and height.

Returns:
    A tuple (pairs, values). pairs, int32 [P, 2], has indices into bboxes1 and bboxes2, sorted by
    the first and then by the second. values, float32 [P], has the overlaps.

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
