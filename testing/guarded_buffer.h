// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Memory that ends at an unmapped page, so that a read or write one byte too far is a crash.

#ifndef DETOPS_TESTING_GUARDED_BUFFER_H_
#define DETOPS_TESTING_GUARDED_BUFFER_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace detops {

class GuardedBuffer {
 public:
  // `bytes` of memory, filled with 0xA5, with no access before the page where it begins and none
  // behind its last byte. `slack` bytes behind it can be reached: so a tensor whose size is a
  // multiple of a vector's may start where vectors do not.
  explicit GuardedBuffer(size_t bytes, size_t slack = 0) : bytes_(bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inner = (bytes + slack + page - 1) / page * page;
    mapped_bytes_ = inner + 2 * page;
    mapping_ = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) {
      throw std::bad_alloc();
    }
    auto* const usable = static_cast<std::byte*>(mapping_) + page;
    if (inner != 0 && mprotect(usable, inner, PROT_READ | PROT_WRITE) != 0) {
      munmap(mapping_, mapped_bytes_);
      throw std::bad_alloc();
    }
    std::memset(usable, 0xA5, inner);
    data_ = usable + inner - slack - bytes;
  }
  ~GuardedBuffer() { munmap(mapping_, mapped_bytes_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* data() const { return data_; }
  size_t size() const { return bytes_; }

 private:
  size_t bytes_;
  void* mapping_;
  size_t mapped_bytes_;
  std::byte* data_;
};

}  // namespace detops

#endif  // DETOPS_TESTING_GUARDED_BUFFER_H_
