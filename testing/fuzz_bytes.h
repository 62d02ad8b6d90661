// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A fuzzer's bytes as the values that a test needs.

#ifndef DETOPS_TESTING_FUZZ_BYTES_H_
#define DETOPS_TESTING_FUZZ_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace detops {

// Takes values off the front; gives zeros when the bytes have run out.
class FuzzBytes {
 public:
  FuzzBytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool empty() const { return size_ == 0; }

  template <class Value>
  Value Take() {
    static_assert(std::is_trivially_copyable_v<Value>);
    Value value{};
    const size_t bytes = std::min(sizeof(value), size_);
    if (bytes != 0) {
      std::memcpy(&value, data_, bytes);
      data_ += bytes;
      size_ -= bytes;
    }
    return value;
  }

  // One byte's worth of choice: an integer in [low, high].
  int TakeInRange(int low, int high) { return low + Take<uint8_t>() % (high - low + 1); }

 private:
  const uint8_t* data_;
  size_t size_;
};

}  // namespace detops

#endif  // DETOPS_TESTING_FUZZ_BYTES_H_
