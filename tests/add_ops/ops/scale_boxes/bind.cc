// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python function.

#include <nanobind/nanobind.h>

#include "core/tensor_view.h"
#include "ops/scale_boxes/op.h"
#include "python/arrays.h"
#include "python/call.h"

namespace detops::scale_boxes {
namespace {

namespace nb = nanobind;

nb::object PythonScaleBoxes(nb::handle boxes, float factor) {
  python::Input input("boxes", boxes);
  const ViewedTensor boxes_tensor("boxes", input.Floats(4));
  const python::Output scaled(nb::none(), "out", MLUOP_DTYPE_FLOAT, {input.dim(0), 4}, {&input});
  const ViewedTensor scaled_tensor("out", scaled.view());
  python::Call("scale_boxes", [&](mluOpHandle_t handle) {
    return Call("scale_boxes", handle, {.boxes = boxes_tensor, .scaled = scaled_tensor},
                {.factor = factor});
  });
  return scaled.Take();
}

constexpr const char* kScaleBoxesDoc =
    R"(Multiplies every coordinate of boxes by a factor.

Args:
    boxes: Boxes, float32 [N, 4]. Shape (0,) is taken as (0, 4).
    factor: Factor; must be finite.

Returns:
    The scaled boxes, float32 [N, 4].

>>> import detops
>>> detops.scale_boxes([[1, 2, 3, 4]], 2)
array([[2., 4., 6., 8.]], dtype=float32)
)";

}  // namespace

void Bind(nb::module_& module) {
  module.def("scale_boxes", &PythonScaleBoxes, nb::arg("boxes"), nb::arg("factor"), kScaleBoxesDoc);
}

}  // namespace detops::scale_boxes
