// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// psroipool_forward: R-FCN's position-sensitive RoI average pooling. README.md in this folder is
// the contract.

#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_OP_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_OP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/operand.h"
#include "detops/psroipool_forward.hpp"
#include "runtime/job.h"

namespace detops::psroipool_forward {

// Columns of `rois`: batch index, x1, y1, x2, y2.
inline constexpr int64_t kRoiNumbers = 5;

// Largest number of pixels of a bin that are summed in float; more are summed in double. It keeps
// the relative error of a mean of values of one sign below 1e-6 (docs/numerics.md).
inline constexpr int64_t kMaxFloatPixels = 16;

struct Args {
  const float* input;
  const float* rois;
  int64_t images;
  int64_t height;
  int64_t width;
  int64_t group;  // bins along each axis, G
  int64_t dim;    // channels per bin, D
  int64_t roi_count;
  float scale;
  RoiRounding rounding;
  bool channels_first;
  float* output;
  int32_t* mapping_channel;  // may be null

  int64_t bins() const { return group * group; }
  int64_t channels() const { return bins() * dim; }
  int64_t pixels() const { return height * width; }

  // Returns the input channel that output channel d of bin (ph, pw) is the mean of.
  int64_t ChannelOf(int64_t ph, int64_t pw, int64_t d) const {
    return (d * group + ph) * group + pw;
  }
  // Return the offset of an element of the input and of the results.
  int64_t InputOffset(int64_t image, int64_t y, int64_t x, int64_t channel) const {
    return channels_first ? (image * channels() + channel) * pixels() + y * width + x
                          : (image * pixels() + y * width + x) * channels() + channel;
  }
  int64_t OutputOffset(int64_t roi, int64_t ph, int64_t pw, int64_t d) const {
    return channels_first ? roi * channels() + ChannelOf(ph, pw, d)
                          : ((roi * group + ph) * group + pw) * dim + d;
  }
};

// The tensors of a call and the sizes that the caller states for them.
struct Operands {
  Operand input{};
  Operand rois{};
  Operand output{};
  Operand mapping_channel{};  // optional
  // The C API states these sizes as well; they are checked against the shapes and group_size.
  std::optional<int> output_dim{};
  std::optional<int> pooled_height{};
  std::optional<int> pooled_width{};
  const char* group_size_name = "group_size";  // the caller's name of options.group_size

  std::array<const Operand*, 4> all() const { return {&input, &rois, &output, &mapping_channel}; }
};

Status MakeArgs(const Operands& operands, const PsRoiPoolOptions& options, Args& args);

// Checks and submits a call. The C, C++ and Python functions share it; `function` is the name of
// the one that was called.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const PsRoiPoolOptions& options);

// Returns the size of the scratch that Run needs with this number of threads.
size_t ScratchBytes(const Args& args, int threads);

// Both return BAD_PARAM, and have written nothing, if a batch index is out of range.
Status Run(RunContext& context, const Args& args);
Status Reference(const Args& args);

// Returns the image of a RoI whose first number is `number`, or nothing if there is no such image.
inline std::optional<int64_t> ImageOf(const Args& args, float number) {
  // Fractions are truncated, so -0.5 is image 0.
  if (!(number > -1 && number < static_cast<float>(args.images))) {
    return std::nullopt;
  }
  const auto image = static_cast<int64_t>(number);
  return image < args.images ? std::optional(image) : std::nullopt;
}
// Returns the error for a RoI whose first number is not the index of an image.
Status BatchIndexOutOfRange(const Args& args, int64_t roi, float number);

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_OP_H_
