// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/order.h"

#include <algorithm>
#include <utility>

#include "core/counting_sort.h"
#include "core/math.h"

namespace detops::suppression {
namespace {

// Below this, a comparison sort is faster.
constexpr int64_t kMinRadix = 48;

// Returns the number of bits up to the highest one that is set.
int BitWidth(uint32_t number) {
  int bits = 0;
  for (; bits < 32 && number >> bits != 0; ++bits) {
  }
  return bits;
}

// ---- Hundreds of entries: distribute into buckets, then insertion sort --------------------------

constexpr int64_t kMaxBucketed = 1024;

// About two buckets per entry: most entries then have a bucket of their own, although scores are
// denser at one end, and clearing the buckets does not take longer than sorting.
constexpr int kMinBucketBits = 9;
constexpr int kMaxBucketBits = 11;
int BucketBits(int64_t count) {
  return std::clamp(BitWidth(static_cast<uint32_t>(count)) + 1, kMinBucketBits, kMaxBucketBits);
}

// With more entries per bucket than this, a radix sort is faster than the insertion sort.
constexpr int64_t kMaxNeighbors = 16;

// Maps keys to buckets of neighboring keys. Outliers, such as scores of 0, go to the first or the
// last bucket and do not make the others coarse.
class Buckets {
 public:
  Buckets(const Entry* entries, int64_t count) : count_(uint32_t{1} << BucketBits(count)) {
    constexpr int64_t kSample = 32;
    uint32_t sample[kSample];
    for (int64_t i = 0; i < kSample; ++i) {
      sample[i] = KeyOf(entries[i * count / kSample]);
    }
    std::sort(sample, sample + kSample);
    lowest_key_ = sample[1];
    const uint32_t range = sample[kSample - 2] - lowest_key_;
    shift_ = std::max(BitWidth(range) - BucketBits(count) + 1, 0);
  }

  uint32_t count() const { return count_; }

  uint32_t Of(Entry entry) const {
    const uint32_t key = KeyOf(entry);
    return key < lowest_key_ ? 0 : 1 + std::min((key - lowest_key_) >> shift_, count_ - 2);
  }

 private:
  uint32_t count_;
  uint32_t lowest_key_;
  int shift_;
};

// Returns false, with the entries unchanged, when too many keys are alike.
bool SortByBuckets(Entry* entries, Entry* spare, int64_t count) {
  const Buckets buckets(entries, count);
  int32_t end[1 << kMaxBucketBits];
  std::fill_n(end, buckets.count(), 0);
  for (int64_t i = 0; i < count; ++i) {
    ++end[buckets.Of(entries[i])];
  }
  const int32_t first = end[0];
  const int32_t last = end[buckets.count() - 1];
  int32_t sum = 0;
  int64_t neighbors = 0;
  for (uint32_t i = 0; i < buckets.count(); ++i) {
    neighbors += int64_t{end[i]} * end[i];
    sum += std::exchange(end[i], sum);
  }
  neighbors -= int64_t{first} * first + int64_t{last} * last;
  if (neighbors > kMaxNeighbors * count || first + last > count / 2) {
    return false;
  }
  for (int64_t i = 0; i < count; ++i) {
    spare[end[buckets.Of(entries[i])]++] = entries[i];
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

// ---- Any number of entries: radix sort, lowest digit first --------------------------------------

constexpr int kMaxDigitBits = 11;
constexpr int kSmallDigitBits = 8;
constexpr int64_t kMinLargeDigits = 2048;

// Stable, so entries with equal keys stay in ascending order of their indices.
void SortByDigits(Entry* entries, Entry* spare, int64_t count, uint32_t lowest_key, int bits) {
  const int most_bits = count < kMinLargeDigits ? kSmallDigitBits : kMaxDigitBits;
  const int digits = std::max(CeilDiv(bits, most_bits), 1);
  const int digit_bits = CeilDiv(bits, digits);
  const uint32_t mask = (uint32_t{1} << digit_bits) - 1;
  Entry* from = entries;
  Entry* to = spare;
  for (int shift = 0; shift < bits; shift += digit_bits) {
    const auto digit = [&](Entry entry) { return (KeyOf(entry) - lowest_key) >> shift & mask; };
    const auto digit_at = [&](int64_t i) { return digit(from[i]); };
    int32_t position[1 << kMaxDigitBits];
    CountKeys(count, digit_at, mask + 1, position);
    if (position[digit(from[0])] == count) {
      continue;  // All entries have the same digit.
    }
    CountsToBegins(position, mask + 1);
    ScatterByKey(count, digit_at, position, [&](int64_t i, int32_t at) { to[at] = from[i]; });
    std::swap(from, to);
  }
  if (from != entries) {
    std::copy_n(from, count, entries);
  }
}

}  // namespace

void SortEntries(Entry* entries, Entry* spare, int64_t count) {
  if (count < kMinRadix) {
    std::sort(entries, entries + count);
    return;
  }
  if (count <= kMaxBucketed && SortByBuckets(entries, spare, count)) {
    return;
  }
  uint32_t lowest_key = KeyOf(entries[0]);
  uint32_t highest_key = lowest_key;
  for (int64_t i = 1; i < count; ++i) {
    lowest_key = std::min(lowest_key, KeyOf(entries[i]));
    highest_key = std::max(highest_key, KeyOf(entries[i]));
  }
  SortByDigits(entries, spare, count, lowest_key, BitWidth(highest_key - lowest_key));
}

}  // namespace detops::suppression
