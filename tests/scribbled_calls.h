// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls of every operator, through the C API, the C++ API and below both, whose inputs may be
// overwritten while they run. All tensors and workspaces end at an inaccessible page.

#ifndef DETOPS_TESTS_SCRIBBLED_CALLS_H_
#define DETOPS_TESTS_SCRIBBLED_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detops/context.hpp"
#include "mlu_op.h"
#include "testing/guarded_buffer.h"

namespace detops {

// An input as words of 32 bits: a float, an int32 or two halves each.
struct ScribbledInput {
  uint32_t* words;
  std::vector<uint32_t> valid;  // what the words were made with
};

struct ScribbledCall {
  std::string op;    // the operator's name
  std::string name;  // for messages
  std::vector<ScribbledInput> inputs;
  std::vector<std::shared_ptr<GuardedBuffer>> memory;  // of inputs, results and workspaces
  // Makes the call without waiting for the queue. Returns the status of an exception.
  std::function<mluOpStatus_t(Context&)> make;
  // Returns whether the results of a call that succeeded can be used as indices and counts. All
  // other values may be anything.
  std::function<bool()> is_safe = [] { return true; };

  // Returns memory of exactly this size.
  template <class T>
  T* Take(int64_t count) {
    memory.push_back(std::make_shared<GuardedBuffer>(static_cast<size_t>(count) * sizeof(T)));
    return reinterpret_cast<T*>(memory.back()->data());
  }

  // Returns a copy of `values` that is scribbled into. Its size must be a multiple of 4 bytes.
  template <class T>
  const T* Input(const std::vector<T>& values) {
    const size_t bytes = values.size() * sizeof(T);
    T* const copy = Take<T>(static_cast<int64_t>(values.size()));
    std::vector<uint32_t> words(bytes / sizeof(uint32_t));
    std::memcpy(words.data(), values.data(), bytes);
    std::memcpy(copy, values.data(), bytes);
    inputs.push_back({reinterpret_cast<uint32_t*>(copy), std::move(words)});
    return copy;
  }
};

// Returns whether all values are in [low, high].
inline bool AreBetween(const int32_t* values, int64_t count, int64_t low, int64_t high) {
  return std::all_of(values, values + count,
                     [&](int32_t value) { return low <= value && value <= high; });
}

// Returns whether suppression of `count` boxes in `images` images may have this result.
inline bool IsSelection(const int32_t* indices, const int32_t* counts, int64_t count,
                        int64_t images) {
  int64_t sum = 0;
  for (int64_t i = 0; i < images; ++i) {
    sum += counts[i];
  }
  return AreBetween(counts, images, 0, count) && sum <= count &&
         AreBetween(indices, sum, 0, count - 1);
}

std::vector<ScribbledCall> ScribbledCCalls();
std::vector<ScribbledCall> ScribbledCppCalls();
// Calls below both APIs, in scratch memory that the test can see.
std::vector<ScribbledCall> ScribbledRuns();

}  // namespace detops

#endif  // DETOPS_TESTS_SCRIBBLED_CALLS_H_
