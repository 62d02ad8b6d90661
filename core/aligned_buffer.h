// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Memory for vector code: uninitialized and aligned to a cache line.

#ifndef DETOPS_CORE_ALIGNED_BUFFER_H_
#define DETOPS_CORE_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace detops {

// Alignment of all allocations, in bytes: a cache line, which is also the widest vector.
inline constexpr size_t kAlignment = 64;

// Returns null when out of memory.
inline void* AllocateAligned(size_t bytes) noexcept {
  // libstdc++ rounds the size up to a multiple of the alignment, so a size near SIZE_MAX would wrap
  // around to almost nothing.
  return bytes > PTRDIFF_MAX ? nullptr
                             : ::operator new (bytes, std::align_val_t{kAlignment}, std::nothrow);
}

inline void FreeAligned(void* memory) noexcept {
  ::operator delete (memory, std::align_val_t{kAlignment});
}

// Owns an aligned allocation. Movable, not copyable.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  // Throws std::bad_alloc when out of memory.
  explicit AlignedBuffer(size_t bytes)
      : data_(bytes == 0 ? nullptr : AllocateAligned(bytes)), size_(bytes) {
    if (bytes != 0 && data_ == nullptr) {
      throw std::bad_alloc();
    }
  }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~AlignedBuffer() { FreeAligned(data_); }

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace detops

#endif  // DETOPS_CORE_ALIGNED_BUFFER_H_
