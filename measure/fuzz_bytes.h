// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Turns a fuzzer's bytes into values for test inputs.

#ifndef DETOPS_MEASURE_FUZZ_BYTES_H_
#define DETOPS_MEASURE_FUZZ_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

namespace detops {

// Reads values from the front of a sequence of bytes, and zeros after its end.
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

  // Returns an integer in [low, high] from one byte. The range must have at most 256 values.
  int TakeInRange(int low, int high) { return low + Take<uint8_t>() % (high - low + 1); }

  // Returns true one time in sixteen: for choices that make a test slow.
  bool TakeRarely() { return TakeInRange(0, 15) == 15; }

  // Returns any float, but often a special value, a small integer or a multiple of 1/64.
  float TakeFloat() {
    using Limits = std::numeric_limits<float>;
    constexpr float kSpecial[] = {Limits::quiet_NaN(),
                                  Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::denorm_min(),
                                  Limits::max(),
                                  Limits::lowest(),
                                  -0.0f,
                                  1e20f};
    switch (TakeInRange(0, 7)) {
      case 0:
        return kSpecial[TakeInRange(0, 7)];
      case 1:
        return Take<int8_t>();
      case 2:
        return static_cast<float>(Take<int16_t>()) / 64;
      default:
        return Take<float>();
    }
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

// Overwrites elements of the tensors until the bytes are used up, with values from the bytes or
// with copies of other elements. The bytes also choose the tensor and the element.
inline void TakeNumbers(FuzzBytes& bytes, std::initializer_list<std::vector<float>*> tensors) {
  while (!bytes.empty()) {
    const int choice = bytes.TakeInRange(0, 255);
    std::vector<float>& tensor = *tensors.begin()[static_cast<size_t>(choice / 2) % tensors.size()];
    const auto at = bytes.Take<uint16_t>();
    const float number = bytes.TakeFloat();
    if (!tensor.empty()) {
      tensor[at % tensor.size()] = choice % 2 == 0 ? number : tensor[at / 2 % tensor.size()];
    }
  }
}

}  // namespace detops

#endif  // DETOPS_MEASURE_FUZZ_BYTES_H_
