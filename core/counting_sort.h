// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Stable sorting by small integer keys, in memory that the caller provides, in linear time.
//
// CountingSort and SortByKey do everything. Callers that need to look at the counts, or whose items
// are not numbered, use the steps:
//
//   CountKeys       counts[k] = number of items with key k
//   CountsToBegins  begins[k] = first position of key k in the sorted sequence
//   ScatterByKey    assigns each item its position and advances begins[k] to the end of key k
//   EndsToBegins    restores begins[k]
//
// Keys are asked for twice, to count and to scatter, and must not change in between: positions
// would leave the array, or not be written. Keys from inputs, which other threads may change, must
// be copied first (core/read_once.h).

#ifndef DETOPS_CORE_COUNTING_SORT_H_
#define DETOPS_CORE_COUNTING_SORT_H_

#include <algorithm>
#include <cstdint>
#include <utility>

namespace detops {

// Sets counts[k] to the number of items i in [0, count) for which key_at(i) is k. The keys must be
// in [0, keys).
template <class KeyAt>
void CountKeys(int64_t count, const KeyAt& key_at, int64_t keys, int32_t* counts) {
  std::fill_n(counts, keys, 0);
  for (int64_t i = 0; i < count; ++i) {
    ++counts[key_at(i)];
  }
}

// Replaces each of the `keys` counts by the sum of the counts before it. Returns the sum of all.
inline int32_t CountsToBegins(int32_t* counts, int64_t keys) {
  int32_t sum = 0;
  for (int64_t key = 0; key < keys; ++key) {
    sum += std::exchange(counts[key], sum);
  }
  return sum;
}

// Calls place(i, position) for each item i in [0, count), in this order. The position is
// next[key_at(i)], which is then incremented: the begins of the keys become their ends.
template <class KeyAt, class Place>
void ScatterByKey(int64_t count, const KeyAt& key_at, int32_t* next, const Place& place) {
  for (int64_t i = 0; i < count; ++i) {
    place(i, next[key_at(i)]++);
  }
}

// Turns the ends that ScatterByKey leaves back into begins: a key begins where the one before it
// ends.
inline void EndsToBegins(int32_t* ends, int64_t keys) {
  if (keys > 0) {
    std::copy_backward(ends, ends + keys - 1, ends + keys);
    ends[0] = 0;
  }
}

// Sorts the items 0 to count - 1 by key_at(i), which must be in [0, keys), and keeps the order of
// items with equal keys. Calls place(i, position) for each item, in the order of i. Afterwards the
// items of key k are at [begins[k], begins[k + 1]): `begins` has keys + 1 elements.
template <class KeyAt, class Place>
void SortByKey(int64_t count, const KeyAt& key_at, int64_t keys, int32_t* begins,
               const Place& place) {
  CountKeys(count, key_at, keys, begins);
  begins[keys] = CountsToBegins(begins, keys);
  ScatterByKey(count, key_at, begins, place);
  EndsToBegins(begins, keys);
}

// Writes item(0), ..., item(count - 1) to `order`, sorted by key_of(item), which must be in
// [0, keys). Items with equal keys keep their order. Afterwards order[begins[k]] to
// order[begins[k + 1] - 1] have the key k: `begins` has keys + 1 elements.
template <class ItemAt, class KeyOf>
void CountingSort(int64_t count, const ItemAt& item, int64_t keys, const KeyOf& key_of,
                  int32_t* order, int32_t* begins) {
  SortByKey(
      count, [&](int64_t i) { return key_of(item(i)); }, keys, begins,
      [&](int64_t i, int32_t position) { order[position] = item(i); });
}

}  // namespace detops

#endif  // DETOPS_CORE_COUNTING_SORT_H_
