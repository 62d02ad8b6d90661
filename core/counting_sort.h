// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Sorting by small keys, in memory of the caller.

#ifndef DETOPS_CORE_COUNTING_SORT_H_
#define DETOPS_CORE_COUNTING_SORT_H_

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace detops {

// Writes item(0), ..., item(count - 1) to `order` by key_of(item), from 0 to keys - 1; equal ones
// stay in their order. Those of key k are from begins[k] to begins[k + 1]: `begins` has one more
// than there are keys.
template <class ItemAt, class KeyOf>
void CountingSort(int64_t count, const ItemAt& item, int64_t keys, const KeyOf& key_of,
                  int32_t* order, int32_t* begins) {
  std::fill_n(begins, keys + 1, 0);
  for (int64_t i = 0; i < count; ++i) {
    ++begins[key_of(item(i))];
  }
  // Where those of each key end. Writing them from the last to the first moves it to the beginning.
  std::partial_sum(begins, begins + keys + 1, begins);
  for (int64_t i = count - 1; i >= 0; --i) {
    const int32_t number = item(i);
    order[--begins[key_of(number)]] = number;
  }
}

}  // namespace detops

#endif  // DETOPS_CORE_COUNTING_SORT_H_
