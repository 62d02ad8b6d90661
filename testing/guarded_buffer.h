// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Memory that ends at an unmapped page, so that a read or write one byte too far is a crash.

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
#include "testing/valgrind.h"

namespace detops {

class GuardedBuffer {
 public:
  // `bytes` of memory, filled with 0xA5, with no access before the page where it begins and none
  // from `behind` bytes after its last one on. Whoever writes between it and what cannot be
  // accessed is found out at the end, and ends the program.
  explicit GuardedBuffer(size_t bytes, size_t behind = 0) : bytes_(bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    inner_bytes_ = (bytes + behind + page - 1) / page * page;
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
    data_ = inner_ + inner_bytes_ - behind - bytes;
  }
  ~GuardedBuffer() {
    if (!IsUntouched(inner_, data_) || !IsUntouched(data_ + bytes_, inner_ + inner_bytes_)) {
      std::fprintf(stderr, "something was written beside a buffer of %zu bytes\n", bytes_);
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

// Where the memory of a call lies.
struct Placement {
  // Results begin with a cache line, so that they may be written line by line; or they end so many
  // elements before what cannot be accessed.
  bool on_lines = true;
  size_t elements_behind = 0;
  // Workspaces end so many bytes before.
  size_t workspace_bytes_behind = 0;

  size_t BytesBehind(size_t bytes, size_t element) const {
    return on_lines ? (kAlignment - bytes % kAlignment) % kAlignment : elements_behind * element;
  }
};

// Results of a call.
template <class T>
class GuardedArray {
 public:
  GuardedArray(size_t count, T fill, const Placement& placement)
      : count_(count),
        buffer_(count * sizeof(T), placement.BytesBehind(count * sizeof(T), sizeof(T))) {
    std::fill_n(data(), count, fill);
  }

  T* data() const { return reinterpret_cast<T*>(buffer_.data()); }
  std::vector<T> values() const { return {data(), data() + count_}; }

 private:
  size_t count_;
  GuardedBuffer buffer_;
};

// A workspace of exactly so many bytes, null when there are none. To Valgrind nobody has written
// it.
class GuardedWorkspace {
 public:
  GuardedWorkspace(size_t bytes, const Placement& placement)
      : buffer_(bytes, placement.workspace_bytes_behind) {
    MarkUnwritten(buffer_.data(), buffer_.size());
  }

  void* data() const { return buffer_.size() == 0 ? nullptr : buffer_.data(); }

 private:
  GuardedBuffer buffer_;
};

}  // namespace detops

#endif  // DETOPS_TESTING_GUARDED_BUFFER_H_
