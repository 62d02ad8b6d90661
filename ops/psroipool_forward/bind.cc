// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The Python function.

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "detops/psroipool_forward.hpp"
#include "python/arrays.h"
#include "python/call.h"

namespace detops::psroipool_forward {
namespace {

namespace nb = nanobind;
using python::Input;
using python::Output;

constexpr int kRoiNumbers = 5;

// A number, or height and width as the peers take them.
using OutputSize = std::variant<int, std::pair<int, int>>;

int GroupSizeOf(const OutputSize& output_size) {
  if (const int* const size = std::get_if<int>(&output_size)) {
    return *size;
  }
  const auto [height, width] = std::get<std::pair<int, int>>(output_size);
  if (height != width) {
    throw python::ValueError(
        "output_size is ({}, {}), expected a number or the same number twice: a region has as many "
        "rows of bins as columns",
        height, width);
  }
  return height;
}

// How many channels each bin has; 0 when the library refuses the arguments.
int64_t ChannelsOfBin(const Input& input, const PsRoiPoolOptions& options) {
  const int64_t bins = int64_t{options.group_size} * options.group_size;
  return options.group_size < 1 ? 0
                                : input.dim(options.layout == ImageLayout::kNchw ? 1 : 3) / bins;
}

// Without elements for arguments that the library refuses.
python::Shape ResultShape(const Input& input, const Input& rois, const PsRoiPoolOptions& options) {
  const int64_t channels = ChannelsOfBin(input, options);
  const int64_t group = channels == 0 ? 0 : options.group_size;
  return options.layout == ImageLayout::kNchw ? python::Shape{rois.dim(0), channels, group, group}
                                              : python::Shape{rois.dim(0), group, group, channels};
}

// The library refuses a call without regions. Here it gives an empty result, unless something else
// is wrong, which the library then reports.
bool HasNoRegions(const Input& input, const Input& rois, const PsRoiPoolOptions& options) {
  const int64_t channels = input.dim(options.layout == ImageLayout::kNchw ? 1 : 3);
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
  Input features("input", input);
  Input regions("rois", rois);
  const ConstTensorView features_view = features.Floats();
  const ConstTensorView regions_view = regions.Floats(kRoiNumbers);
  const python::Shape shape = ResultShape(features, regions, options);
  // Of a map without pixels the library writes nothing: every bin is empty.
  const auto fill = features.count() == 0 ? Output::Fill::kZeros : Output::Fill::kNone;
  const Output means(out_means, "out", MLUOP_DTYPE_FLOAT, shape, fill);
  std::optional<Output> mapping;
  if (return_mapping) {
    mapping.emplace(out_mapping, "out[1]", MLUOP_DTYPE_INT32, shape, fill);
  }
  if (HasNoRegions(features, regions, options)) {
    means.CheckShape(shape);
    if (mapping) {
      mapping->CheckShape(shape);
    }
  } else {
    const std::optional<TensorView> mapping_view =
        mapping ? std::optional(mapping->view()) : std::nullopt;
    python::Run([&](Context& context) {
      PsRoiPoolForward(context, features_view, regions_view, means.view(), mapping_view, options);
    });
  }
  return python::OneOrTwo(means, mapping, {&features, &regions});
}

constexpr const char* kDoc =
    R"(The means of the bins of regions, each bin from channels of its own (position-sensitive RoI pooling).

Args:
    input: [N, H, W, G * G * D], float32; with layout "NCHW" [N, G * G * D, H, W].
    rois: [R, 5]: number of the image, x1, y1, x2, y2. A shape of (0,) counts as (0, 5).
    output_size: G, the bins along each axis, at least 1; or (G, G).
    spatial_scale: From coordinates of regions to positions in the map; above 0.
    layout: "NHWC" or "NCHW", of input and results.
    rounding: When the corners of a region become whole numbers: "before_scaling", as in R-FCN, or "after_scaling", as in
        torchvision.
    return_mapping: Whether to return also of which channel each mean is.
    out: Where the result goes, instead of into a new array; a tuple of two with return_mapping.

Returns:
    The means, float32 [R, G, G, D]; with layout "NCHW" [R, D, G, G]. And the channels, int32 of the same shape, when asked for.

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
             nb::arg("output_size"), nb::arg("spatial_scale") = 1.0f, nb::kw_only(),
             nb::arg("layout") = "NHWC", nb::arg("rounding") = "before_scaling",
             nb::arg("return_mapping") = false, nb::arg("out") = nb::none(), kDoc);
}

}  // namespace detops::psroipool_forward
