// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/order.h"

#include <algorithm>
#include <utility>

namespace detops::suppression {
namespace {

// Below this, comparing is faster than counting.
constexpr int64_t kMinCounted = 48;

// How many of the lowest bits a number needs.
int BitWidth(uint32_t number) {
  int bits = 0;
  for (; bits < 32 && number >> bits != 0; ++bits) {
  }
  return bits;
}

// ---- Some hundred: dealt out by their keys, and then by comparing neighbours -------------------

constexpr int64_t kMaxSpread = 1024;
constexpr int kSpreadBits = 9;
constexpr uint32_t kPiles = 1 << kSpreadBits;

// More of these for each entry take longer to compare than all digits to count.
constexpr int64_t kMaxNeighbours = 16;

// Piles of neighbouring keys. What lies far from most, such as a score of 0, goes to the first or
// the last pile and does not make the others coarse.
class Piles {
 public:
  Piles(const Entry* entries, int64_t count) {
    constexpr int64_t kSample = 32;
    uint32_t sample[kSample];
    for (int64_t i = 0; i < kSample; ++i) {
      sample[i] = KeyOf(entries[i * count / kSample]);
    }
    std::sort(sample, sample + kSample);
    least_key_ = sample[1];
    const uint32_t range = sample[kSample - 2] - least_key_;
    shift_ = std::max(BitWidth(range) - kSpreadBits + 1, 0);
  }

  uint32_t Of(Entry entry) const {
    const uint32_t key = KeyOf(entry);
    return key < least_key_ ? 0 : 1 + std::min((key - least_key_) >> shift_, kPiles - 2);
  }

 private:
  uint32_t least_key_;
  int shift_;
};

// Returns false, and leaves the entries as they are, when too many are alike.
bool SortBySpreading(Entry* entries, Entry* spare, int64_t count) {
  const Piles piles(entries, count);
  int32_t end[kPiles] = {};
  for (int64_t i = 0; i < count; ++i) {
    ++end[piles.Of(entries[i])];
  }
  const int32_t first = end[0];
  const int32_t last = end[kPiles - 1];
  int32_t sum = 0;
  int64_t neighbours = 0;
  for (int32_t& pile : end) {
    neighbours += int64_t{pile} * pile;
    sum += std::exchange(pile, sum);
  }
  neighbours -= int64_t{first} * first + int64_t{last} * last;
  if (neighbours > kMaxNeighbours * count || first + last > count / 2) {
    return false;
  }
  for (int64_t i = 0; i < count; ++i) {
    spare[end[piles.Of(entries[i])]++] = entries[i];
  }
  SortEntries(spare, entries, first);
  SortEntries(spare + count - last, entries, last);
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
constexpr int64_t kFewForDigits = 2048;

// A stable sort by each digit leaves equal keys as they came: by index.
void SortByDigits(Entry* entries, Entry* spare, int64_t count, uint32_t least_key, int bits) {
  const int most_bits = count < kFewForDigits ? kDigitBitsOfFew : kMaxDigitBits;
  const int digits = std::max((bits + most_bits - 1) / most_bits, 1);
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

}  // namespace

void SortEntries(Entry* entries, Entry* spare, int64_t count) {
  if (count < kMinCounted) {
    std::sort(entries, entries + count);
    return;
  }
  if (count <= kMaxSpread && SortBySpreading(entries, spare, count)) {
    return;
  }
  uint32_t least_key = KeyOf(entries[0]);
  uint32_t largest_key = least_key;
  for (int64_t i = 1; i < count; ++i) {
    least_key = std::min(least_key, KeyOf(entries[i]));
    largest_key = std::max(largest_key, KeyOf(entries[i]));
  }
  SortByDigits(entries, spare, count, least_key, BitWidth(largest_key - least_key));
}

}  // namespace detops::suppression
