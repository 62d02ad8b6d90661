// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of border_align_forward. README.md in this folder is the contract.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_OP_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_OP_H_

#include <cstddef>
#include <cstdint>

#include "core/tensor.h"
#include "detops/border_align_forward.hpp"
#include "runtime/job.h"

namespace detops::border_align_forward {

inline constexpr int64_t kBorders = 4;
inline constexpr int64_t kBoxNumbers = 4;

struct Args {
  const void* input;
  const void* boxes;
  int64_t images;
  int64_t height;
  int64_t width;
  int64_t channels;  // of one border
  int64_t boxes_per_image;
  int32_t pool_size;
  bool half;  // of input, boxes and output
  bool channels_first;
  void* output;
  int32_t* argmax_idx;  // or null

  int64_t pixels() const { return height * width; }

  // Where an element of the input or of the results lies.
  int64_t InputOffset(int64_t image, int64_t y, int64_t x, int64_t border, int64_t channel) const {
    const int64_t all_channels = kBorders * channels;
    const int64_t of_border = border * channels + channel;
    return channels_first ? (image * all_channels + of_border) * pixels() + y * width + x
                          : (image * pixels() + y * width + x) * all_channels + of_border;
  }
  int64_t OutputOffset(int64_t image, int64_t box, int64_t border, int64_t channel) const {
    return channels_first
               ? ((image * channels + channel) * boxes_per_image + box) * kBorders + border
               : ((image * boxes_per_image + box) * kBorders + border) * channels + channel;
  }
};

// The tensors of a call, under the names of the C API.
struct Operands {
  Operand input;
  Operand boxes;
  Operand output;
  const Operand* argmax_idx;  // null when nobody wants it
  bool tagged;                // whether layouts have to be given
};

Status MakeArgs(const Operands& operands, const BorderAlignOptions& options, Args& args);

size_t ScratchBytes(const Args& args, int threads);

Status Run(RunContext& context, const Args& args);

void Reference(const Args& args);

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_OP_H_
