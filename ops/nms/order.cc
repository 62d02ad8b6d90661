// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/nms/order.h"

#include <algorithm>
#include <utility>

namespace detops::nms {
namespace {

constexpr int kDigits = 4;
constexpr int kDigitBits = 8;
constexpr int kDigitValues = 1 << kDigitBits;

// Below this, comparing is faster than counting.
constexpr int64_t kMinRadixCount = 48;

int DigitOf(Entry entry, int digit) {
  return static_cast<int>(KeyOf(entry) >> (digit * kDigitBits)) & (kDigitValues - 1);
}

}  // namespace

void SortEntries(Entry* entries, Entry* spare, int64_t count) {
  if (count < kMinRadixCount) {
    std::sort(entries, entries + count);
    return;
  }
  // A stable sort by each digit, the lowest first, leaves equal keys as they came: by index.
  int32_t counts[kDigits][kDigitValues] = {};
  for (int64_t i = 0; i < count; ++i) {
    for (int digit = 0; digit < kDigits; ++digit) {
      ++counts[digit][DigitOf(entries[i], digit)];
    }
  }
  Entry* from = entries;
  Entry* to = spare;
  for (int digit = 0; digit < kDigits; ++digit) {
    if (counts[digit][DigitOf(from[0], digit)] == count) {
      continue;  // the same digit everywhere
    }
    int32_t position = 0;
    for (int32_t& bucket : counts[digit]) {
      position += std::exchange(bucket, position);
    }
    for (int64_t i = 0; i < count; ++i) {
      to[counts[digit][DigitOf(from[i], digit)]++] = from[i];
    }
    std::swap(from, to);
  }
  if (from != entries) {
    std::copy_n(from, count, entries);
  }
}

}  // namespace detops::nms
