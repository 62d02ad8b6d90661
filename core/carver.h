// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of a workspace.

#ifndef DETOPS_CORE_CARVER_H_
#define DETOPS_CORE_CARVER_H_

#include <cstddef>
#include <cstdint>

#include "core/aligned_buffer.h"

namespace detops {

// Cuts typed arrays out of the workspace; without one, it only counts.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  template <class T>
  T* Take(int64_t count) {
    // The workspace may start anywhere; a line more makes up for that.
    std::byte* const at = memory_ == nullptr ? nullptr : AlignUp(memory_ + used_);
    const size_t bytes =
        (static_cast<size_t>(count) * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    used_ = memory_ == nullptr ? used_ + bytes : static_cast<size_t>(at - memory_) + bytes;
    return reinterpret_cast<T*>(at);
  }

  size_t used() const { return used_; }

 private:
  static std::byte* AlignUp(std::byte* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    return pointer + ((address + kAlignment - 1) / kAlignment * kAlignment - address);
  }

  std::byte* memory_;
  size_t used_ = 0;
};

}  // namespace detops

#endif  // DETOPS_CORE_CARVER_H_
