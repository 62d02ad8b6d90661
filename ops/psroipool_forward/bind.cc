// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python function psroi_pool.

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "core/tensor_view.h"
#include "ops/psroipool_forward/op.h"
#include "python/arrays.h"
#include "python/call.h"

namespace detops::psroipool_forward {
namespace {

namespace nb = nanobind;
using python::Input;
using python::Output;

// One number or, as in torchvision, height and width.
using OutputSize = std::variant<int, std::pair<int, int>>;

int GroupSizeOf(const OutputSize& output_size) {
  if (const int* const size = std::get_if<int>(&output_size)) {
    return *size;
  }
  const auto [height, width] = std::get<std::pair<int, int>>(output_size);
  if (height != width) {
    throw python::ValueError("output_size is ({}, {}); height and width must be equal", height,
                             width);
  }
  return height;
}

int ChannelDimension(ImageLayout layout) { return layout == ImageLayout::kNchw ? 1 : 3; }

// Returns the number of channels per bin, 0 for arguments that the library rejects.
int64_t ChannelsOfBin(const Input& input, const PsRoiPoolOptions& options) {
  const int64_t bins = int64_t{options.group_size} * options.group_size;
  return options.group_size < 1 ? 0 : input.dim(ChannelDimension(options.layout)) / bins;
}

// Returns a shape without elements for arguments that the library rejects.
python::Shape ResultShape(const Input& input, const Input& rois, const PsRoiPoolOptions& options) {
  const int64_t channels = ChannelsOfBin(input, options);
  const int64_t group = channels == 0 ? 0 : options.group_size;
  return options.layout == ImageLayout::kNchw ? python::Shape{rois.dim(0), channels, group, group}
                                              : python::Shape{rois.dim(0), group, group, channels};
}

// Returns whether there are no RoIs and nothing else is wrong. The library rejects such calls; in
// Python their result is empty. Other errors are left to the library to report.
bool HasNoRois(const Input& input, const Input& rois, const PsRoiPoolOptions& options) {
  const int64_t channels = input.dim(ChannelDimension(options.layout));
  const int64_t bins = int64_t{options.group_size} * options.group_size;
  return rois.dim(0) == 0 &&
         (rois.rank() == 1 || (rois.rank() == 2 && rois.dim(1) == kRoiNumbers)) &&
         input.rank() == 4 && channels != 0 && channels == ChannelsOfBin(input, options) * bins &&
         std::isfinite(options.spatial_scale) && options.spatial_scale > 0;
}

nb::object PythonPsRoiPool(nb::handle input, nb::handle rois, const OutputSize& output_size,
                           float spatial_scale, const char* layout, const char* rounding,
                           python::Flag return_mapping, nb::handle out) {
  const PsRoiPoolOptions options{
      GroupSizeOf(output_size), spatial_scale, python::ToLayout(layout),
      python::Choose<RoiRounding>("rounding", rounding,
                                  {"before_scaling", RoiRounding::kBeforeScaling},
                                  {"after_scaling", RoiRounding::kAfterScaling})};
  const auto [out_means, out_mapping] = python::SplitOut(out, return_mapping);
  const char* const means_name = return_mapping ? "out[0]" : "out";
  constexpr const char* kMappingName = "out[1]";
  Input features("input", input);
  Input roi_list("rois", rois);
  const ConstTensorView features_view = features.Floats();
  const ConstTensorView rois_view = roi_list.Floats(kRoiNumbers);
  const python::Shape shape = ResultShape(features, roi_list, options);
  // The library writes nothing for a map without pixels. All bins are empty then.
  const auto fill = features.count() == 0 ? Output::Fill::kZeros : Output::Fill::kNone;
  const std::initializer_list<const Input*> inputs = {&features, &roi_list};
  const Output means(out_means, means_name, MLUOP_DTYPE_FLOAT, shape, inputs, fill);
  std::optional<Output> mapping;
  if (return_mapping) {
    mapping.emplace(out_mapping, kMappingName, MLUOP_DTYPE_INT32, shape, inputs, fill);
  }
  python::CheckSeparate({&means, mapping ? &*mapping : nullptr}, inputs);
  if (HasNoRois(features, roi_list, options)) {
    means.CheckShape(shape);
    if (mapping) {
      mapping->CheckShape(shape);
    }
  } else {
    const std::optional<TensorView> mapping_view =
        mapping ? std::optional(mapping->view()) : std::nullopt;
    constexpr const char* kName = "psroi_pool";
    python::Call(kName, [&](mluOpHandle_t handle) {
      return Call(kName, handle,
                  {.input = ViewedTensor("input", features_view, options.layout),
                   .rois = ViewedTensor("rois", rois_view),
                   .output = ViewedTensor(means_name, means.view(), options.layout),
                   .mapping_channel = ViewedTensor(kMappingName, mapping_view, options.layout),
                   .group_size_name = "output_size"},
                  options);
    });
  }
  return python::OneOrTwo(means, mapping);
}

constexpr const char* kDoc =
    R"(Position-sensitive RoI average pooling (R-FCN).

Splits each RoI into G x G bins and returns the mean of each bin's pixels. Each bin reads channels of its own: output
channel d of bin (ph, pw) is the mean of input channel (d * G + ph) * G + pw. Bins without pixels are 0.

Args:
    input: Feature maps, [N, H, W, G * G * D], float32; [N, G * G * D, H, W] with layout "NCHW".
    rois: RoIs (batch index, x1, y1, x2, y2), [R, 5], float32. Shape (0,) is taken as (0, 5).
    output_size: G, the number of bins along each axis, at least 1; or (G, G).
    spatial_scale: Factor from coordinates of RoIs to pixels of the feature map, finite and above 0.
    layout: Layout of input and results, "NHWC" or "NCHW".
    rounding: Whether the corners of RoIs are rounded to integers "before_scaling", as in R-FCN, or "after_scaling", as in
        torchvision.
    return_mapping: Whether to return the input channel of each mean, too.
    out: Array to write the result to. With return_mapping, a tuple of two arrays.

Returns:
    The means, float32 [R, G, G, D]; [R, D, G, G] with layout "NCHW". With return_mapping, a tuple of the means and their
    input channels, int32 of the same shape.

>>> import numpy as np
>>> import detops
>>> features = np.arange(64, dtype=np.float32).reshape(1, 4, 4, 4)
>>> detops.psroi_pool(features, [[0, 0, 0, 3, 3]], 2).reshape(2, 2)
array([[10., 19.],
       [44., 53.]], dtype=float32)
)";

}  // namespace

void Bind(nb::module_& module) {
  module.def("psroi_pool", &PythonPsRoiPool, nb::arg("input"), nb::arg("rois"),
             nb::arg("output_size"), nb::arg("spatial_scale") = 1.0, nb::kw_only(),
             nb::arg("layout") = "NHWC", nb::arg("rounding") = "before_scaling",
             nb::arg("return_mapping") = false, nb::arg("out") = nb::none(), kDoc);
}

}  // namespace detops::psroipool_forward
