// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python function border_align.

#include <nanobind/nanobind.h>

#include <optional>

#include "core/tensor_view.h"
#include "ops/border_align_forward/op.h"
#include "python/arrays.h"
#include "python/call.h"

namespace detops::border_align_forward {
namespace {

namespace nb = nanobind;
using python::Input;
using python::Output;

int ChannelDimension(ImageLayout layout) { return layout == ImageLayout::kNchw ? 1 : 3; }

python::Shape ResultShape(const Input& input, const Input& boxes, ImageLayout layout) {
  const int64_t images = boxes.dim(0);
  const int64_t count = boxes.dim(1);
  const int64_t channels = input.dim(ChannelDimension(layout)) / kBorders;
  return layout == ImageLayout::kNchw ? python::Shape{images, channels, count, kBorders}
                                      : python::Shape{images, count, kBorders, channels};
}

// Returns whether there are no boxes and nothing else is wrong. The library rejects such calls; in
// Python their result is empty. Other errors are left to the library to report.
bool HasNoBoxes(const Input& input, const Input& boxes, const BorderAlignOptions& options) {
  const int64_t channels = input.dim(ChannelDimension(options.layout));
  return boxes.count() == 0 && boxes.rank() == 3 && boxes.dim(2) == kBoxNumbers &&
         input.rank() == 4 && input.dim(0) == boxes.dim(0) && channels != 0 &&
         channels % kBorders == 0 && options.pool_size >= 1;
}

nb::object PythonBorderAlign(nb::handle input, nb::handle boxes, int pool_size, const char* layout,
                             python::Flag return_argmax, nb::handle out) {
  const BorderAlignOptions options{pool_size, python::ToLayout(layout)};
  const auto [out_values, out_argmax] = python::SplitOut(out, return_argmax);
  const char* const values_name = return_argmax ? "out[0]" : "out";
  constexpr const char* kArgmaxName = "out[1]";
  Input features("input", input);
  Input borders("boxes", boxes);
  const python::InputPair pair = python::SameType(features, borders);
  const python::Shape shape = ResultShape(features, borders, options.layout);
  const std::initializer_list<const Input*> inputs = {&features, &borders};
  const Output values(out_values, values_name, pair.halves ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT,
                      shape, inputs);
  std::optional<Output> argmax;
  if (return_argmax) {
    argmax.emplace(out_argmax, kArgmaxName, MLUOP_DTYPE_INT32, shape, inputs);
  }
  python::CheckSeparate({&values, argmax ? &*argmax : nullptr}, inputs);
  if (HasNoBoxes(features, borders, options)) {
    values.CheckShape(shape);
    if (argmax) {
      argmax->CheckShape(shape);
    }
  } else {
    const std::optional<TensorView> argmax_view =
        argmax ? std::optional(argmax->view()) : std::nullopt;
    constexpr const char* kName = "border_align";
    python::Call(kName, [&](mluOpHandle_t handle) {
      return Call(kName, handle,
                  {.input = ViewedTensor("input", pair.first, options.layout),
                   .boxes = ViewedTensor("boxes", pair.second),
                   .output = ViewedTensor(values_name, values.view(), options.layout),
                   .argmax_idx = ViewedTensor(kArgmaxName, argmax_view, options.layout)},
                  options);
    });
  }
  return python::OneOrTwo(values, argmax);
}

constexpr const char* kDoc = R"(BorderAlign (BorderDet): max pooling along the borders of boxes.

Samples each border of each box bilinearly at pool_size + 1 points and returns the largest sample of each channel.
Samples more than one pixel outside the feature map are 0.

Args:
    input: Feature maps, [N, H, W, 4C], float32 or float16: C channels each for the top, left, bottom and right border.
        [N, 4C, H, W] with layout "NCHW".
    boxes: Boxes (x1, y1, x2, y2) of each image, [N, K, 4], in pixels of the feature map.
    pool_size: Number of steps along a border, at least 1.
    layout: Layout of input and results, "NHWC" or "NCHW".
    return_argmax: Whether to return the indices of the largest samples, too.
    out: Array to write the result to. With return_argmax, a tuple of two arrays.

Returns:
    The largest samples, [N, K, 4, C], in the type of the input; [N, C, K, 4] with layout "NCHW". With return_argmax, a
    tuple of the largest samples and their indices (0 to pool_size), int32 of the same shape.

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
