// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of psroipool_forward. README.md in this folder is the contract.

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

inline constexpr int64_t kRoiNumbers = 5;

// More pixels are summed in double: the mean of n floats of one sign takes n - 1 sums and a
// division, each rounded by at most 2^-24 of its result, which is below 1e-6 together up to here.
inline constexpr int64_t kMaxFloatPixels = 16;

struct Args {
  const float* input;
  const float* rois;
  int64_t images;
  int64_t height;
  int64_t width;
  int64_t group;  // bins along an axis
  int64_t dim;    // channels of a bin
  int64_t roi_count;
  float scale;
  RoiRounding rounding;
  bool channels_first;
  float* output;
  int32_t* mapping_channel;  // or null

  int64_t bins() const { return group * group; }
  int64_t channels() const { return bins() * dim; }
  int64_t pixels() const { return height * width; }

  // The channel that bin (ph, pw) of output channel d is made of.
  int64_t ChannelOf(int64_t ph, int64_t pw, int64_t d) const {
    return (d * group + ph) * group + pw;
  }
  // Where an element of the input or of the results lies.
  int64_t InputOffset(int64_t image, int64_t y, int64_t x, int64_t channel) const {
    return channels_first ? (image * channels() + channel) * pixels() + y * width + x
                          : (image * pixels() + y * width + x) * channels() + channel;
  }
  int64_t OutputOffset(int64_t roi, int64_t ph, int64_t pw, int64_t d) const {
    return channels_first ? roi * channels() + ChannelOf(ph, pw, d)
                          : ((roi * group + ph) * group + pw) * dim + d;
  }
};

// The tensors of a call.
struct Operands {
  Operand input{};
  Operand rois{};
  Operand output{};
  Operand mapping_channel{};  // optional
  // The C API states these sizes as well; they are checked against the shapes and group_size.
  std::optional<int> output_dim{};
  std::optional<int> pooled_height{};
  std::optional<int> pooled_width{};

  std::array<const Operand*, 4> all() const { return {&input, &rois, &output, &mapping_channel}; }
};

Status MakeArgs(const Operands& operands, const PsRoiPoolOptions& options, Args& args);

// The body that all doors share.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const PsRoiPoolOptions& options);

size_t ScratchBytes(const Args& args, int threads);

// BAD_PARAM when a roi's image does not exist; nothing is written then.
Status Run(RunContext& context, const Args& args);
Status Reference(const Args& args);

// The number of a roi's image; none when there is no such image.
inline std::optional<int64_t> ImageOf(const Args& args, int64_t roi) {
  const float number = args.rois[roi * kRoiNumbers];
  // A fraction is cut off, so -0.5 is image 0.
  if (!(number > -1 && number < static_cast<float>(args.images))) {
    return std::nullopt;
  }
  const auto image = static_cast<int64_t>(number);
  return image < args.images ? std::optional(image) : std::nullopt;
}
Status NoSuchImage(const Args& args, int64_t roi);

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_OP_H_
