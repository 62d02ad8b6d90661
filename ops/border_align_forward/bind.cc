// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python function.

#include <nanobind/nanobind.h>

#include <optional>

#include "detops/border_align_forward.hpp"
#include "python/arrays.h"
#include "python/call.h"

namespace detops::border_align_forward {
namespace {

namespace nb = nanobind;
using python::Input;
using python::Output;

constexpr int kBorders = 4;

python::Shape ResultShape(const Input& input, const Input& boxes, ImageLayout layout) {
  const int64_t images = boxes.dim(0);
  const int64_t count = boxes.dim(1);
  if (layout == ImageLayout::kNchw) {
    return {images, input.dim(1) / kBorders, count, kBorders};
  }
  return {images, count, kBorders, input.dim(3) / kBorders};
}

// The library refuses a call without boxes. Here it gives an empty result, unless something else is
// wrong, which the library then reports.
bool HasNoBoxes(const Input& input, const Input& boxes, const BorderAlignOptions& options) {
  const int64_t channels = input.dim(options.layout == ImageLayout::kNchw ? 1 : 3);
  return boxes.count() == 0 && boxes.rank() == 3 && boxes.dim(2) == 4 && input.rank() == 4 &&
         input.dim(0) == boxes.dim(0) && channels != 0 && channels % kBorders == 0 &&
         options.pool_size >= 1;
}

nb::object PythonBorderAlign(nb::handle input, nb::handle boxes, int pool_size, const char* layout,
                             python::Flag return_argmax, nb::handle out) {
  const BorderAlignOptions options{pool_size, python::ToLayout(layout)};
  const auto [out_values, out_argmax] = python::SplitOut(out, return_argmax);
  Input features("input", input);
  Input borders("boxes", boxes);
  const python::InputPair pair = python::SameType(features, borders);
  const python::Shape shape = ResultShape(features, borders, options.layout);
  const Output values(out_values, "out", pair.halves ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT, shape);
  std::optional<Output> argmax;
  if (return_argmax) {
    argmax.emplace(out_argmax, "out[1]", MLUOP_DTYPE_INT32, shape);
  }
  if (HasNoBoxes(features, borders, options)) {
    values.CheckShape(shape);
    if (argmax) {
      argmax->CheckShape(shape);
    }
  } else {
    const std::optional<TensorView> argmax_view =
        argmax ? std::optional(argmax->view()) : std::nullopt;
    python::Run([&](Context& context) {
      BorderAlignForward(context, pair.first, pair.second, values.view(), argmax_view, options);
    });
  }
  return python::OneOrTwo(values, argmax, {&features, &borders});
}

constexpr const char* kDoc = R"(The strongest features along the borders of boxes.

Args:
    input: [N, H, W, 4C], float32 or float16: C channels each for the top, left, bottom and right border; with layout "NCHW"
        [N, 4C, H, W].
    boxes: [N, K, 4]: x1, y1, x2, y2.
    pool_size: Steps along a border, at least 1. It is sampled once more than that.
    layout: "NHWC" or "NCHW", of input and results.
    return_argmax: Whether to return also which sample is the largest.
    out: Where the result goes, instead of into a new array; a tuple of two with return_argmax.

Returns:
    The largest samples, [N, K, 4, C]; with layout "NCHW" [N, C, K, 4]. And the numbers of the samples, int32 of the same shape, when asked
    for.

>>> import numpy as np
>>> import detops
>>> features = np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4)
>>> detops.border_align(features, [[[0, 0, 1, 1]]], 2)
array([[[[ 4.],
         [ 9.],
         [14.],
         [15.]]]], dtype=float32)
)";

}  // namespace

void Bind(nb::module_& module) {
  module.def("border_align", &PythonBorderAlign, nb::arg("input"), nb::arg("boxes"),
             nb::arg("pool_size"), nb::kw_only(), nb::arg("layout") = "NHWC",
             nb::arg("return_argmax") = false, nb::arg("out") = nb::none(), kDoc);
}

}  // namespace detops::border_align_forward
