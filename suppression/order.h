// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Sorts boxes by score.

#ifndef DETOPS_SUPPRESSION_ORDER_H_
#define DETOPS_SUPPRESSION_ORDER_H_

#include <cstdint>
#include <cstring>

namespace detops::suppression {

// A sort key in the upper half and an index in the lower half. Entries compare as numbers, so equal
// keys are ordered by index.
using Entry = uint64_t;

inline Entry MakeEntry(uint32_t key, int32_t index) {
  return Entry{key} << 32 | static_cast<uint32_t>(index);
}
inline int32_t IndexOf(Entry entry) { return static_cast<int32_t>(entry & 0xFFFFFFFFu); }
inline uint32_t KeyOf(Entry entry) { return static_cast<uint32_t>(entry >> 32); }

// Sorts in ascending order. Entries with equal keys must come with ascending indices. `spare` has
// room for `count` entries.
void SortEntries(Entry* entries, Entry* spare, int64_t count);

// Returns a key that ascends while scores descend: NaN first, then +infinity. 0 and -0 have the
// same key.
inline uint32_t ScoreKey(float score) {
  if (score != score) {
    return 0;
  }
  uint32_t bits;
  const float no_negative_zero = score + 0.0f;
  std::memcpy(&bits, &no_negative_zero, sizeof(bits));
  // As unsigned numbers, the bits of negative floats already ascend while the floats descend. Those
  // of positive floats must be inverted and come first.
  return (bits & 0x80000000u) != 0 ? bits : ~(bits | 0x80000000u);
}

// Returns the score of a key; a NaN for the key of NaN.
inline float ScoreOfKey(uint32_t key) {
  const uint32_t bits = (key & 0x80000000u) != 0 ? key : ~key & 0x7FFFFFFFu;
  float score;
  std::memcpy(&score, &bits, sizeof(score));
  return score;
}

// Returns a key that ascends with the integer.
inline uint32_t IntegerKey(int32_t value) { return static_cast<uint32_t>(value) ^ 0x80000000u; }

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_ORDER_H_
