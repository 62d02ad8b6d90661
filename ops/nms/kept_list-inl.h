// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares candidates with lists of kept boxes. A candidate of a crowded scene is suppressed
// somewhere in a list, which branches cannot predict. So several vectors are compared before the
// next branch.

#if defined(DETOPS_OPS_NMS_KEPT_LIST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_NMS_KEPT_LIST_INL_H_
#undef DETOPS_OPS_NMS_KEPT_LIST_INL_H_
#else
#define DETOPS_OPS_NMS_KEPT_LIST_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/nms/box_pairs-inl.h"
#include "suppression/kernels.h"
#include "suppression/pair_search-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What a few vectors of kept boxes say about a candidate.
enum class Answer { kNone, kSuppressed, kUnsure };

// Compares the box with kVectors vectors of kept boxes from `begin` on.
template <int kVectors, class D>
HWY_INLINE Answer CompareVectors(const BoxPairs<D>& pairs, const BoxLanes<D>& box,
                                 const suppression::Columns& kept, int64_t begin) {
  const D d;
  auto all = pairs.Classify(box, LoadBoxes(d, kept, begin));
  for (int i = 1; i < kVectors; ++i) {
    const auto next = pairs.Classify(box, LoadBoxes(d, kept, begin + i * LanesOf(d)));
    all = {hn::Or(all.surely, next.surely), hn::And(all.surely_not, next.surely_not)};
  }
  return !hn::AllFalse(d, all.surely)      ? Answer::kSuppressed
         : !hn::AllTrue(d, all.surely_not) ? Answer::kUnsure
                                           : Answer::kNone;
}

// Returns whether one of the kept boxes [begin, end) exceeds the threshold with the box.
template <class D>
HWY_NOINLINE bool Suppresses(const BoxPairs<D>& pairs, const suppression::Columns& candidates,
                             int64_t candidate, const suppression::Columns& kept, int64_t begin,
                             int64_t end) {
  const D d;
  const BoxLanes<D> box = RepeatBox(d, candidates, candidate);
  for (; begin < end; begin += LanesOf(d)) {
    const BoxLanes<D> run = LoadBoxes(d, kept, begin);
    const uint32_t valid = (uint32_t{1} << std::min(LanesOf(d), end - begin)) - 1;
    const uint32_t open = ~BitsOf(d, pairs.SurelyNot(box, run)) & valid;
    if (open != 0 && pairs.Decide(box, run, open) != 0) {
      return true;
    }
  }
  return false;
}

// Returns whether one of `all` kept boxes from `first` on exceeds the threshold with the
// candidate, or one of the kept boxes after them that are in the same vector. Adds the number of
// boxes that were compared to `work`.
template <class D>
HWY_INLINE bool ListSuppresses(const BoxPairs<D>& pairs, const suppression::Columns& candidates,
                               int64_t candidate, const suppression::Columns& kept, int64_t first,
                               int64_t all, int64_t& work) {
  const int64_t lanes = LanesOf(D());
  const BoxLanes<D> box = RepeatBox(D(), candidates, candidate);
  const int64_t step = 4 * lanes;
  for (const int64_t end = first + all; first < end; first += step) {
    // The length of the last step is the same for all candidates of a list, so its branches are
    // predictable.
    const int64_t count = std::min(step, end - first);
    const Answer answer = count > 3 * lanes   ? CompareVectors<4>(pairs, box, kept, first)
                          : count > 2 * lanes ? CompareVectors<3>(pairs, box, kept, first)
                          : count > lanes     ? CompareVectors<2>(pairs, box, kept, first)
                                              : CompareVectors<1>(pairs, box, kept, first);
    work += count;
    if (answer == Answer::kSuppressed) {
      return true;
    }
    if (HWY_UNLIKELY(answer == Answer::kUnsure) &&
        Suppresses(pairs, candidates, candidate, kept, first, first + count)) {
      return true;
    }
  }
  return false;
}

// Marks the candidates [begin, end) that kept boxes suppress.
template <class D>
void FindSuppressedByLists(D /*d*/, const suppression::KeptSearch& search, int64_t begin,
                           int64_t end) {
  const BoxPairs<D> pairs(search.threshold,
                          static_cast<const Metric*>(search.prepared->metric)->offset);
  const suppression::Columns candidates = search.prepared->columns;
  const suppression::Columns kept = search.kept;
  const bool has_cells = search.grid != nullptr || search.tree != nullptr;
  int64_t work = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int32_t slot = search.candidates[i];
    uint8_t suppressed = 0;
    const auto find = [&](int64_t first, int64_t count) HWY_ATTR {
      suppressed = ListSuppresses(pairs, candidates, slot, kept, first, count, work) ? 1 : 0;
    };
    if (has_cells) {
      suppression::HWY_NAMESPACE::VisitKeptBoxes(search, slot, 0, suppressed, find, work);
    } else {
      find(0, search.kept_count[0]);
    }
    search.suppressed[i] = suppressed;
    if (work > suppression::HWY_NAMESPACE::kMaxUnreportedWork) {
      if (search.work->Add(work)) {
        return;
      }
      work = 0;
    }
  }
  search.work->Add(work);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::nms
HWY_AFTER_NAMESPACE();

#endif  // include guard
