// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Divides a workspace into typed arrays.

#ifndef DETOPS_CORE_CARVER_H_
#define DETOPS_CORE_CARVER_H_

#include <cstddef>
#include <cstdint>

#include "core/aligned_buffer.h"
#include "core/math.h"

namespace detops {

// Hands out consecutive arrays of a workspace, each aligned to kAlignment. With a null workspace it
// returns null pointers and only adds up the size: the same code computes how large the workspace
// must be and divides it. A workspace that is not aligned needs kAlignment bytes more.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  // Returns an uninitialized array of `count` elements.
  template <class T>
  T* Take(int64_t count) {
    std::byte* const at = memory_ == nullptr ? nullptr : AlignUp(memory_ + used_);
    const size_t bytes = RoundUp(static_cast<size_t>(count) * sizeof(T), kAlignment);
    used_ = memory_ == nullptr ? used_ + bytes : static_cast<size_t>(at - memory_) + bytes;
    return reinterpret_cast<T*>(at);
  }

  // Returns the number of bytes up to the end of the last array.
  size_t used() const { return used_; }

 private:
  static std::byte* AlignUp(std::byte* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    return pointer + (RoundUp(address, kAlignment) - address);
  }

  std::byte* memory_;
  size_t used_ = 0;
};

}  // namespace detops

#endif  // DETOPS_CORE_CARVER_H_
