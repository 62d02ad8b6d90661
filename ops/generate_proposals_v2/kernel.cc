// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles: the search among kept boxes, and the dispatch of all tiles to the instruction
// set of the processor.

#include <algorithm>

#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/generate_proposals_v2/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/generate_proposals_v2/collect-inl.h"
#include "ops/generate_proposals_v2/decode-inl.h"
#include "ops/generate_proposals_v2/exp-inl.h"
#include "ops/nms/box_pairs-inl.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::generate_proposals_v2 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace nms_simd = nms::HWY_NAMESPACE;

using suppression::Columns;
using suppression::Entry;

using DF = hn::CappedTag<float, suppression::kMaxLanes>;

int64_t CollectTileT(const Scores& scores, float threshold, int64_t begin, int64_t end,
                     Entry* entries) {
  return scores.channels_first ? CollectChannelsFirst(DF(), scores, threshold, begin, end, entries)
                               : CollectChannelsLast(DF(), scores, threshold, begin, end, entries);
}

void ExpTileT(const float* x, int64_t count, float* result) {
  const DF d;
  for (int64_t i = 0; i < count; i += LanesOf(d)) {
    hn::StoreU(ExpOfFloats(d, hn::LoadU(d, x + i)), d, result + i);
  }
}

void DecodeTileT(const Decoder& decoder, const Entry* candidates, int64_t begin, int64_t end,
                 const Columns& columns, uint8_t* dropped) {
  Gathered gathered;
  for (int64_t i = begin; i < end; i += kGatherCount) {
    const int64_t count = std::min(kGatherCount, end - i);
    Gather(decoder, candidates + i, count, gathered);
    if (decoder.variances != nullptr) {
      DecodeGathered<true>(DF(), decoder, gathered, count, columns, i, dropped + i);
    } else {
      DecodeGathered<false>(DF(), decoder, gathered, count, columns, i, dropped + i);
    }
  }
}

// The tag of the search: no more lanes than a run of kept boxes has boxes.
using DR = hn::CappedTag<float, KeptGrid::kRun>;

// Returns whether one of the kept boxes in the vector at `at` suppresses `box`.
template <class D>
HWY_INLINE bool IsSuppressedByBoxes(D d, const nms_simd::BoxPairs<D>& pairs,
                                    const nms_simd::BoxLanes<D>& box, const Columns& kept,
                                    int64_t at) {
  const auto others = nms_simd::LoadBoxes(d, kept, at);
  const auto not_these = pairs.SurelyNot(box, others);
  if (HWY_LIKELY(hn::AllTrue(d, not_these))) {
    return false;
  }
  const uint32_t all = (uint32_t{1} << LanesOf(d)) - 1;
  return pairs.Decide(box, others, ~BitsOf(d, not_these) & all) != 0;
}

// Returns whether a box of the run that starts at `begin` suppresses `box`.
template <class D>
HWY_INLINE bool IsSuppressedByRun(D d, const nms_simd::BoxPairs<D>& pairs,
                                  const nms_simd::BoxLanes<D>& box, const Columns& kept,
                                  int64_t begin) {
  for (int64_t i = begin; i < begin + KeptGrid::kRun; i += LanesOf(d)) {
    if (IsSuppressedByBoxes(d, pairs, box, kept, i)) {
      return true;
    }
  }
  return false;
}

// Returns whether a kept box suppresses candidate i. Adds the number of runs searched to `runs`.
template <class D>
HWY_INLINE bool IsSuppressed(D d, const KeptGrid& kept, const nms_simd::BoxPairs<D>& pairs,
                             const Columns& columns, int64_t i, int64_t& runs) {
  const auto box = nms_simd::RepeatBox(d, columns, i);
  const float area = columns.array[nms::kArea][i];
  const KeptGrid::Cell cell =
      kept.CellOf(0.5f * columns.array[nms::kX1][i] + 0.5f * columns.array[nms::kX2][i],
                  0.5f * columns.array[nms::kY1][i] + 0.5f * columns.array[nms::kY2][i]);
  for (int level = 0; level < kept.levels(); ++level) {
    for (int32_t run = kept.FirstRun(level, cell, area); run >= 0; run = kept.NextRun(run)) {
      ++runs;
      if (IsSuppressedByRun(d, pairs, box, kept.columns(), run * KeptGrid::kRunFloats)) {
        return true;
      }
    }
  }
  return false;
}

int64_t SearchTileT(const KeptGrid& kept, const Columns& columns, int64_t begin, int64_t end,
                    uint8_t* suppressed) {
  const nms_simd::BoxPairs<DR> pairs(kept.threshold(), kept.offset());
  int64_t runs = 0;
  for (int64_t i = begin; i < end; ++i) {
    if (suppressed[i] == 0 && IsSuppressed(DR(), kept, pairs, columns, i, runs)) {
      suppressed[i] = 1;
    }
  }
  return runs * KeptGrid::kRun;
}

// Returns whether a box of the list suppresses `box`.
template <class D>
HWY_INLINE bool IsSuppressedByList(D d, const nms_simd::BoxPairs<D>& pairs,
                                   const nms_simd::BoxLanes<D>& box, const KeptList& kept) {
  for (int64_t i = 0; i < kept.count; i += LanesOf(d)) {
    if (IsSuppressedByBoxes(d, pairs, box, kept.columns, i)) {
      return true;
    }
  }
  return false;
}

// Adds a candidate to the list. The rest of a new vector is filled with boxes that overlap nothing.
template <class D>
HWY_INLINE void AddToList(D d, const Columns& candidates, int64_t i, KeptList& kept) {
  const int64_t at = kept.count++;
  for (int column = 0; column < nms::kColumns; ++column) {
    float* const floats = kept.columns.array[column];
    if (at % LanesOf(d) == 0) {
      hn::StoreU(hn::Set(d, KeptGrid::kOverlapsNothing[column]), d, floats + at);
    }
    floats[at] = candidates.array[column][i];
  }
  kept.candidates[at] = static_cast<int32_t>(i);
}

int64_t KeepTileT(const Columns& candidates, const uint8_t* dropped, int64_t begin, int64_t end,
                  float threshold, int offset, int64_t most, KeptList& kept) {
  const DF d;
  const nms_simd::BoxPairs<DF> pairs(threshold, offset);
  int64_t i = begin;
  for (; i < end && kept.count < most; ++i) {
    if (dropped[i] == 0 &&
        !IsSuppressedByList(d, pairs, nms_simd::RepeatBox(d, candidates, i), kept)) {
      AddToList(d, candidates, i, kept);
    }
  }
  return i;
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::generate_proposals_v2
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::generate_proposals_v2 {

HWY_EXPORT(CollectTileT);
HWY_EXPORT(DecodeTileT);
HWY_EXPORT(SearchTileT);
HWY_EXPORT(KeepTileT);
HWY_EXPORT(ExpTileT);

int64_t CollectScores(const Scores& scores, float threshold, int64_t begin, int64_t end,
                      suppression::Entry* entries) {
  return HWY_DYNAMIC_DISPATCH(CollectTileT)(scores, threshold, begin, end, entries);
}

void DecodeCandidates(const Decoder& decoder, const suppression::Entry* candidates, int64_t begin,
                      int64_t end, const suppression::Columns& columns, uint8_t* dropped) {
  HWY_DYNAMIC_DISPATCH(DecodeTileT)(decoder, candidates, begin, end, columns, dropped);
}

int64_t FindSuppressed(const KeptGrid& kept, const suppression::Columns& columns, int64_t begin,
                       int64_t end, uint8_t* suppressed) {
  return HWY_DYNAMIC_DISPATCH(SearchTileT)(kept, columns, begin, end, suppressed);
}

int64_t KeepInOrder(const suppression::Columns& candidates, const uint8_t* dropped, int64_t begin,
                    int64_t end, float threshold, int offset, int64_t most, KeptList& kept) {
  return HWY_DYNAMIC_DISPATCH(KeepTileT)(candidates, dropped, begin, end, threshold, offset, most,
                                         kept);
}

void ComputeExp(const float* x, int64_t count, float* result) {
  HWY_DYNAMIC_DISPATCH(ExpTileT)(x, count, result);
}

}  // namespace detops::generate_proposals_v2
#endif  // HWY_ONCE
