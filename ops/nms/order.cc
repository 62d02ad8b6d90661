// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/nms/order.h"

#include <algorithm>
#include <utility>

namespace detops::nms {
namespace {

// Below this, comparing is faster than counting.
constexpr int64_t kMinCounted = 48;

// ---- Some hundred: by one digit, and then by comparing neighbours -------------------------------

constexpr int64_t kMaxSpread = 1024;
constexpr int kSpreadBits = 9;
constexpr int64_t kSpreadValues = 1 << kSpreadBits;

// More of these for each entry take longer to compare than all digits to count.
constexpr int64_t kMaxNeighbours = 16;

// Returns false, and leaves the entries as they are, when too many have the same digit.
bool SortBySpreading(Entry* entries, Entry* spare, int64_t count, uint32_t least_key, int bits) {
  const int shift = std::max(bits - kSpreadBits, 0);
  const auto digit = [&](Entry entry) { return (KeyOf(entry) - least_key) >> shift; };
  int32_t position[kSpreadValues] = {};
  for (int64_t i = 0; i < count; ++i) {
    ++position[digit(entries[i])];
  }
  int32_t sum = 0;
  int64_t neighbours = 0;
  for (int32_t& digit_count : position) {
    neighbours += digit_count * digit_count;
    sum += std::exchange(digit_count, sum);
  }
  if (neighbours > kMaxNeighbours * count) {
    return false;
  }
  for (int64_t i = 0; i < count; ++i) {
    spare[position[digit(entries[i])]++] = entries[i];
  }
  entries[0] = spare[0];
  for (int64_t i = 1; i < count; ++i) {
    int64_t at = i;
    for (; at > 0 && entries[at - 1] > spare[i]; --at) {
      entries[at] = entries[at - 1];
    }
    entries[at] = spare[i];
  }
  return true;
}

// ---- Any number: by all digits, the lowest first ------------------------------------------------

constexpr int kMaxDigitBits = 11;
constexpr int kDigitBitsOfFew = 8;
constexpr int64_t kFew = 2048;

// A stable sort by each digit leaves equal keys as they came: by index.
void SortByDigits(Entry* entries, Entry* spare, int64_t count, uint32_t least_key, int bits) {
  const int most_bits = count < kFew ? kDigitBitsOfFew : kMaxDigitBits;
  const int digits = (bits + most_bits - 1) / most_bits;
  const int digit_bits = (bits + digits - 1) / digits;
  const uint32_t mask = (uint32_t{1} << digit_bits) - 1;
  Entry* from = entries;
  Entry* to = spare;
  for (int shift = 0; shift < bits; shift += digit_bits) {
    const auto digit = [&](Entry entry) { return (KeyOf(entry) - least_key) >> shift & mask; };
    int32_t position[1 << kMaxDigitBits];
    std::fill_n(position, mask + 1, 0);
    for (int64_t i = 0; i < count; ++i) {
      ++position[digit(from[i])];
    }
    if (position[digit(from[0])] == count) {
      continue;  // the same digit everywhere
    }
    int32_t sum = 0;
    for (uint32_t value = 0; value <= mask; ++value) {
      sum += std::exchange(position[value], sum);
    }
    for (int64_t i = 0; i < count; ++i) {
      to[position[digit(from[i])]++] = from[i];
    }
    std::swap(from, to);
  }
  if (from != entries) {
    std::copy_n(from, count, entries);
  }
}

// How many of the lowest bits a number needs.
int BitsOf(uint32_t number) {
  int bits = 0;
  for (; number >> bits != 0 && bits < 32; ++bits) {
  }
  return bits;
}

}  // namespace

void SortEntries(Entry* entries, Entry* spare, int64_t count) {
  if (count < kMinCounted) {
    std::sort(entries, entries + count);
    return;
  }
  uint32_t least_key = KeyOf(entries[0]);
  uint32_t largest_key = least_key;
  for (int64_t i = 1; i < count; ++i) {
    least_key = std::min(least_key, KeyOf(entries[i]));
    largest_key = std::max(largest_key, KeyOf(entries[i]));
  }
  const int bits = BitsOf(largest_key - least_key);
  if (bits == 0) {
    return;  // they come by index
  }
  if (count > kMaxSpread || !SortBySpreading(entries, spare, count, least_key, bits)) {
    SortByDigits(entries, spare, count, least_key, bits);
  }
}

}  // namespace detops::nms
