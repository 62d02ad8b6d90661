// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Memory that ends at an inaccessible page, so that reads and writes past the end crash.

#ifndef DETOPS_TESTING_GUARDED_BUFFER_H_
#define DETOPS_TESTING_GUARDED_BUFFER_H_

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/math.h"
#include "testing/valgrind.h"

namespace detops {

class GuardedBuffer {
 public:
  // Maps `bytes` bytes, filled with 0xA5, that are followed by `bytes_after` accessible bytes and
  // an inaccessible page. The page before the first accessible one is inaccessible, too. The
  // destructor aborts if accessible bytes around the buffer were written.
  explicit GuardedBuffer(size_t bytes, size_t bytes_after = 0) : bytes_(bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    inner_bytes_ = RoundUp(bytes + bytes_after, page);
    mapped_bytes_ = inner_bytes_ + 2 * page;
    mapping_ = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) {
      throw std::bad_alloc();
    }
    inner_ = static_cast<std::byte*>(mapping_) + page;
    if (inner_bytes_ != 0 && mprotect(inner_, inner_bytes_, PROT_READ | PROT_WRITE) != 0) {
      munmap(mapping_, mapped_bytes_);
      throw std::bad_alloc();
    }
    std::memset(inner_, kFill, inner_bytes_);
    data_ = inner_ + inner_bytes_ - bytes_after - bytes;
  }
  ~GuardedBuffer() {
    if (!IsUntouched(inner_, data_) || !IsUntouched(data_ + bytes_, inner_ + inner_bytes_)) {
      std::fprintf(stderr, "memory around a buffer of %zu bytes was written\n", bytes_);
      std::abort();
    }
    munmap(mapping_, mapped_bytes_);
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* data() const { return data_; }
  size_t size() const { return bytes_; }

 private:
  static constexpr int kFill = 0xA5;

  static bool IsUntouched(const std::byte* begin, const std::byte* end) {
    return std::all_of(begin, end, [](std::byte byte) { return byte == std::byte{kFill}; });
  }

  size_t bytes_;
  void* mapping_;
  size_t mapped_bytes_;
  std::byte* inner_;
  size_t inner_bytes_;
  std::byte* data_;
};

// The position of the memory of a call relative to the inaccessible page.
struct Placement {
  // Results begin on a cache line, so that streaming stores are possible. Otherwise they end
  // `elements_after` elements before the inaccessible page.
  bool on_lines = true;
  size_t elements_after = 0;
  // Number of bytes between a workspace and the inaccessible page.
  size_t workspace_bytes_after = 0;

  // Returns the number of bytes between a result and the inaccessible page.
  size_t BytesAfter(size_t bytes, size_t element) const {
    return on_lines ? (kAlignment - bytes % kAlignment) % kAlignment : elements_after * element;
  }
};

// A guarded array for results of a call.
template <class T>
class GuardedArray {
 public:
  GuardedArray(size_t count, T fill, const Placement& placement)
      : count_(count),
        buffer_(count * sizeof(T), placement.BytesAfter(count * sizeof(T), sizeof(T))) {
    std::fill_n(data(), count, fill);
  }

  T* data() const { return reinterpret_cast<T*>(buffer_.data()); }
  std::vector<T> values() const { return {data(), data() + count_}; }

 private:
  size_t count_;
  GuardedBuffer buffer_;
};

// A guarded workspace of exactly the given size; data() is null if the size is 0. Valgrind treats
// it as uninitialized.
class GuardedWorkspace {
 public:
  GuardedWorkspace(size_t bytes, const Placement& placement)
      : buffer_(bytes, placement.workspace_bytes_after) {
    MarkUninitialized(buffer_.data(), buffer_.size());
  }

  void* data() const { return buffer_.size() == 0 ? nullptr : buffer_.data(); }

 private:
  GuardedBuffer buffer_;
};

}  // namespace detops

#endif  // DETOPS_TESTING_GUARDED_BUFFER_H_
