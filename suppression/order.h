// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Sorting boxes by score.

#ifndef DETOPS_SUPPRESSION_ORDER_H_
#define DETOPS_SUPPRESSION_ORDER_H_

#include <cstdint>
#include <cstring>

namespace detops::suppression {

// Something to sort by above an index: entries compare as numbers, so equal keys go by index.
using Entry = uint64_t;

inline Entry MakeEntry(uint32_t key, int32_t index) {
  return Entry{key} << 32 | static_cast<uint32_t>(index);
}
inline int32_t IndexOf(Entry entry) { return static_cast<int32_t>(entry & 0xFFFFFFFFu); }
inline uint32_t KeyOf(Entry entry) { return static_cast<uint32_t>(entry >> 32); }

// Ascending. Entries of equal keys come with ascending indices; `spare` has room for as many.
void SortEntries(Entry* entries, Entry* spare, int64_t count);

// Ascending for scores from the highest down: NaN first, then +infinity, 0 and -0 alike.
inline uint32_t ScoreKey(float score) {
  if (score != score) {
    return 0;
  }
  uint32_t bits;
  const float no_negative_zero = score + 0.0f;
  std::memcpy(&bits, &no_negative_zero, sizeof(bits));
  // As unsigned numbers, negative floats go down and come before the positive: turn both round.
  return (bits & 0x80000000u) != 0 ? bits : ~(bits | 0x80000000u);
}

// The score of a key; some NaN for the key of NaN.
inline float ScoreOfKey(uint32_t key) {
  const uint32_t bits = (key & 0x80000000u) != 0 ? key : ~key & 0x7FFFFFFFu;
  float score;
  std::memcpy(&score, &bits, sizeof(score));
  return score;
}

// Ascending as the integers are.
inline uint32_t IntegerKey(int32_t value) { return static_cast<uint32_t>(value) ^ 0x80000000u; }

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_ORDER_H_
