// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Builds the tiles of kernels.h from a class that compares one box with a run of others.

#if defined(DETOPS_SUPPRESSION_PAIR_SEARCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SUPPRESSION_PAIR_SEARCH_INL_H_
#undef DETOPS_SUPPRESSION_PAIR_SEARCH_INL_H_
#else
#define DETOPS_SUPPRESSION_PAIR_SEARCH_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "simd/lanes-inl.h"
#include "suppression/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace detops::suppression {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The tiles below take a class template PairFinder<Emit> with these members:
//
// - PairFinder(const PreparedBoxes& prepared, float threshold, const Emit& emit);
//
// - int64_t Find(const Columns& columns, int64_t index, int32_t slot, int32_t name,
//                const Columns& others, int64_t begin, int64_t end, slot_of, name_of);
//   Compares the box at `index` of the columns, which is in `slot`, with the boxes [begin, end) of
//   `others`. Calls emit(name, name_of(j)) for each pair that exceeds the threshold, at once or in
//   Flush. When emit returns true, the rest of the run may be skipped. Returns the number of tests.
//
// - double SmallestPartner(const Columns& columns, int64_t index);
//   Only FindSuppressed calls it. Returns the smallest bounding-box area that can exceed the
//   threshold with the box at `index`.
//
// - void Flush();
//   Emits the pairs that are still pending.

template <template <class> class PairFinder>
void FindInBlock(const Block& block, int64_t row_begin, int64_t row_end) {
  const auto emit = [&block](int32_t row, int32_t column) HWY_ATTR {
    block.rows[row * block.words_per_row + column / 64] |= uint64_t{1} << (column % 64);
    return false;
  };
  const auto slot_of = [&block](int64_t i) HWY_ATTR {
    return block.slot_of == nullptr ? static_cast<int32_t>(i) : block.slot_of[i];
  };
  const auto name_of = [](int64_t i) HWY_ATTR { return static_cast<int32_t>(i); };
  PairFinder<decltype(emit)> finder(*block.prepared, block.threshold, emit);
  for (int64_t row = row_begin; row < row_end; ++row) {
    finder.Find(block.columns, row, slot_of(row), static_cast<int32_t>(row), block.columns, row + 1,
                block.count, slot_of, name_of);
  }
  finder.Flush();
}

// Kept boxes per step. After each step the search checks whether the candidate is suppressed.
constexpr int64_t kRun = 64;

// Work that a thread does before it reports. Small enough to notice crowded scenes early.
constexpr int64_t kMaxUnreportedWork = 1 << 14;

// A span of cells takes as long as about this many tests of pairs, which are done in vectors.
constexpr int64_t kWorkPerSpan = 8;

// Calls find(first, count) for runs of kept boxes near a candidate until it is suppressed. `slot`
// is the candidate's, whose partners have bounding boxes of at least `least_area`. Adds visited
// cells to `work`.
template <class Find>
HWY_INLINE void VisitKeptBoxes(const KeptSearch& search, int32_t slot, double least_area,
                               const uint8_t& suppressed, const Find& find, int64_t& work) {
  CellSpan cells;
  if (search.grid != nullptr) {
    Grid::Neighbors neighbors(*search.grid, search.grid->QueryOf(search.bounds[slot], least_area),
                              0);
    while (suppressed == 0 && neighbors.Next(cells)) {
      work += cells.end - cells.begin;
      for (int64_t cell = cells.begin; cell < cells.end && suppressed == 0; ++cell) {
        find(search.cell_begin[cell], search.kept_count[cell]);
      }
    }
  } else if (search.tree != nullptr) {
    BoxTree::Neighbors neighbors(*search.tree, search.bounds[slot]);
    while (suppressed == 0 && neighbors.Next(cells, work)) {
      find(search.cell_begin[cells.begin], search.kept_count[cells.begin]);
    }
  } else {
    const int64_t all = search.kept_count[0];
    for (int64_t first = 0; first < all && suppressed == 0; first += kRun) {
      find(first, std::min(kRun, all - first));
    }
  }
}

template <template <class> class PairFinder>
void FindSuppressed(const KeptSearch& search, int64_t begin, int64_t end) {
  const auto emit = [&search](int32_t candidate, int32_t /*kept*/) HWY_ATTR {
    search.suppressed[candidate] = 1;
    return true;
  };
  const auto slot_of = [&search](int64_t kept) HWY_ATTR { return search.kept_slots[kept]; };
  const auto name_of = [](int64_t /*kept*/) HWY_ATTR { return 0; };
  PairFinder<decltype(emit)> finder(*search.prepared, search.threshold, emit);
  int64_t work = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int32_t slot = search.candidates[i];
    const auto find = [&](int64_t first, int64_t count) HWY_ATTR {
      work += finder.Find(search.prepared->columns, slot, slot, static_cast<int32_t>(i),
                          search.kept, first, first + count, slot_of, name_of);
    };
    VisitKeptBoxes(search, slot, finder.SmallestPartner(search.prepared->columns, slot),
                   search.suppressed[i], find, work);
    if (work > kMaxUnreportedWork) {
      if (search.work->Add(work)) {
        return;
      }
      work = 0;
    }
  }
  finder.Flush();
  search.work->Add(work);
}

// Collects the suppressions that one thread finds, so that the shared counter is updated rarely.
class SuppressionBuffer {
 public:
  explicit SuppressionBuffer(const PairSearch& search) : search_(search) {}

  void Add(Suppression suppression) {
    buffer_[count_] = suppression;
    if (++count_ == kCapacity) {
      Flush();
    }
  }

  void Flush() {
    const int64_t at = search_.found->fetch_add(count_, std::memory_order_relaxed);
    if (at + count_ <= search_.capacity) {
      std::copy_n(buffer_, count_, search_.suppressions + at);
    }
    count_ = 0;
  }

 private:
  static constexpr int64_t kCapacity = 64;

  const PairSearch& search_;
  int64_t count_ = 0;
  Suppression buffer_[kCapacity];
};

HWY_INLINE Bounds Union(const Bounds& a, const Bounds& b) {
  return {std::min(a.x_low, b.x_low), std::min(a.y_low, b.y_low), std::max(a.x_high, b.x_high),
          std::max(a.y_high, b.y_high)};
}

// Reports the work of a thread and sets it to 0. Returns whether the search is exhausted.
HWY_INLINE bool ReportWork(const PairSearch& search, int64_t& work) {
  search.work->Add(work);
  work = 0;
  return search.Exhausted();
}

// Finds the pairs of the slots [first, last), which are in one cell, with the boxes that the query
// finds. Returns false when the search is exhausted.
template <class Finder>
HWY_INLINE bool FindPairsNear(const PairSearch& search, const Grid::Query& query, int level,
                              int64_t first, int64_t last, Finder& finder, int64_t& work) {
  const auto itself = [](int64_t slot) HWY_ATTR { return static_cast<int32_t>(slot); };
  Grid::Neighbors neighbors(*search.grid, query, level);
  CellSpan cells;
  int64_t spans = 0;
  while (neighbors.Next(cells)) {
    const int64_t others_begin = search.cell_begin[cells.begin];
    const int64_t others_end = search.cell_begin[cells.end];
    ++spans;
    for (int64_t slot = first; slot < last; ++slot) {
      // Finds each pair once: boxes of this level and of higher levels that come earlier in the
      // order have already been compared with this one.
      const int64_t others = std::max(others_begin, slot + 1);
      if (others >= others_end) {
        break;
      }
      if (work > kMaxUnreportedWork && ReportWork(search, work)) {
        return false;
      }
      work += finder.Find(search.prepared->columns, slot, static_cast<int32_t>(slot),
                          static_cast<int32_t>(slot), search.prepared->columns, others, others_end,
                          itself, itself);
    }
  }
  work += spans * kWorkPerSpan;
  return work <= kMaxUnreportedWork || !ReportWork(search, work);
}

template <template <class> class PairFinder>
void FindPairs(const PairSearch& search, int64_t cell_begin, int64_t cell_end) {
  SuppressionBuffer suppressions(search);
  const auto emit = [&](int32_t a, int32_t b) HWY_ATTR {
    suppressions.Add(search.ranks[a] < search.ranks[b] ? Suppression{a, b} : Suppression{b, a});
    return false;
  };
  PairFinder<decltype(emit)> finder(*search.prepared, search.threshold, emit);
  int64_t work = 0;
  for (int64_t cell = cell_begin; cell < cell_end; ++cell) {
    int64_t first = search.cell_begin[cell];
    const int64_t last = search.cell_begin[cell + 1];
    if (first == last) {
      continue;
    }
    const int level = search.grid->LevelOf(search.bounds[first]);
    const bool may_be_far_apart = search.grid->HasBlocks(level);
    // Boxes that are really close to each other have nearly the same neighbors: search them
    // together.
    while (first < last) {
      Bounds bounds = search.bounds[first];
      Grid::Query query = search.grid->QueryOf(bounds);
      int64_t end = first + 1;
      for (; end < last; ++end) {
        const Bounds both = Union(bounds, search.bounds[end]);
        if (may_be_far_apart && !search.grid->IsSmall(both, level)) {
          break;
        }
        bounds = both;
        query.Add(search.grid->QueryOf(search.bounds[end]));
      }
      if (!FindPairsNear(search, query, level, first, end, finder, work)) {
        return;
      }
      first = end;
    }
  }
  finder.Flush();
  suppressions.Flush();
  search.work->Add(work);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::suppression
HWY_AFTER_NAMESPACE();

#endif  // include guard
