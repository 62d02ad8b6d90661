// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <nanobind/nanobind.h>

#include "core/boundary.h"
#include "core/tensor_view.h"
#include "ops/scale_boxes/op.h"
#include "python/arrays.h"
#include "python/call.h"
#include "runtime/submit.h"

namespace detops::scale_boxes {
namespace {

namespace nb = nanobind;

nb::object PythonScaleBoxes(nb::handle boxes, float factor) {
  python::Input input("boxes", boxes);
  const ConstTensorView view = input.Floats(4);
  const python::Output scaled(nb::none(), "out", MLUOP_DTYPE_FLOAT, {input.dim(0), 4});
  python::Run([&](Context& context) {
    const ViewedTensor boxes_tensor("scale_boxes", "boxes", view);
    const ViewedTensor scaled_tensor("scale_boxes", "scaled", scaled.view());
    CppCall("scale_boxes", [&]() -> Status {
      Args args;
      DETOPS_RETURN_IF_ERROR(
          MakeArgs(boxes_tensor.operand(), scaled_tensor.operand(), factor, args));
      return args.values == 0 ? Status() : Submit<Run>(context.handle(), "scale_boxes", args);
    });
  });
  return scaled.Take({&input});
}

}  // namespace

void Bind(nb::module_& module) {
  module.def("scale_boxes", &PythonScaleBoxes, nb::arg("boxes"), nb::arg("factor"),
             R"(Every coordinate times a factor.

>>> import detops
>>> detops.scale_boxes([[1, 2, 3, 4]], 2)
array([[2., 4., 6., 8.]], dtype=float32)
)");
}

}  // namespace detops::scale_boxes
