// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of border_align_forward. README.md in this folder is the contract.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_OP_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_OP_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/operand.h"
#include "detops/border_align_forward.hpp"
#include "runtime/job.h"

namespace detops::border_align_forward {

// Top, left, bottom, right.
inline constexpr int64_t kBorders = 4;
// Numbers per box: x1, y1, x2, y2.
inline constexpr int64_t kBoxNumbers = 4;

// The tensors of a call.
struct Operands {
  Operand input{};
  Operand boxes{};
  Operand output{};
  Operand argmax_idx{};  // optional

  std::array<const Operand*, 4> all() const { return {&input, &boxes, &output, &argmax_idx}; }
};

// A validated call.
struct Args {
  const void* input;
  const void* boxes;
  int64_t images;
  int64_t height;
  int64_t width;
  int64_t channels;  // per border
  int64_t boxes_per_image;
  int32_t pool_size;
  bool half;            // input, boxes and output are half, otherwise float
  bool channels_first;  // NCHW, otherwise NHWC
  void* output;
  int32_t* argmax_idx;  // may be null

  int64_t pixels() const { return height * width; }

  // Returns the offset of an element in the input.
  int64_t InputOffset(int64_t image, int64_t y, int64_t x, int64_t border, int64_t channel) const {
    const int64_t all_channels = kBorders * channels;
    const int64_t in_all = border * channels + channel;
    return channels_first ? (image * all_channels + in_all) * pixels() + y * width + x
                          : (image * pixels() + y * width + x) * all_channels + in_all;
  }
  // Returns the offset of an element in the output and in argmax_idx.
  int64_t OutputOffset(int64_t image, int64_t box, int64_t border, int64_t channel) const {
    return channels_first
               ? ((image * channels + channel) * boxes_per_image + box) * kBorders + border
               : ((image * boxes_per_image + box) * kBorders + border) * channels + channel;
  }
};

Status MakeArgs(const Operands& operands, const BorderAlignOptions& options, Args& args);

// The body that all doors share.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const BorderAlignOptions& options);

// Returns the size of the scratch memory that Run requires.
size_t ScratchBytes(const Args& args, int threads);

Status Run(RunContext& context, const Args& args);

void Reference(const Args& args);

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_OP_H_
