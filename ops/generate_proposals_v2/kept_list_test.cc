// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The list of kept boxes, which the candidates of a small map are compared with one by one.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "measure/random_floats.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/test_scenes.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "ops/nms/op.h"
#include "testing/guarded_buffer.h"

namespace detops::generate_proposals_v2 {
namespace {

class GenerateProposalsKeptList : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsKeptList);

// Columns that end at an inaccessible page, with room for whole vectors.
class GuardedColumns {
 public:
  explicit GuardedColumns(int64_t count) {
    for (int i = 0; i < nms::kColumns; ++i) {
      memory_.emplace_back(static_cast<size_t>(count + suppression::kMaxLanes), -7.0f, Placement{});
    }
    for (int i = 0; i < nms::kColumns; ++i) {
      columns_.array[i] = memory_[static_cast<size_t>(i)].data();
    }
  }
  const suppression::Columns& get() const { return columns_; }

 private:
  std::deque<GuardedArray<float>> memory_;  // its elements cannot be moved
  suppression::Columns columns_{};
};

// Candidates as the decoder leaves them. Every fifth is dropped.
struct Candidates {
  Candidates(const std::vector<float>& of, int offset)
      : boxes(of), count(static_cast<int64_t>(boxes.size()) / kBoxFloats), columns(count) {
    for (int64_t i = 0; i < count; ++i) {
      const float* const box = BoxAt(i);
      for (int side = 0; side < kBoxFloats; ++side) {
        columns.get().array[side][i] = box[side];
      }
      const float width = box[2] - box[0] + static_cast<float>(offset);
      const float height = box[3] - box[1] + static_cast<float>(offset);
      // NaN if overlaps cannot be decided in float.
      columns.get().array[nms::kArea][i] =
          width <= 0x1p50f && height <= 0x1p50f ? width * height : kNaN;
      dropped.push_back(i % 5 == 4 ? 1 : 0);
    }
  }

  const float* BoxAt(int64_t i) const { return &boxes[static_cast<size_t>(i * kBoxFloats)]; }

  // Returns the candidates that are kept, at most `most` of them.
  std::vector<int32_t> Keep(float threshold, int offset, int64_t most) const {
    std::vector<int32_t> kept;
    for (int64_t i = 0; i < count && static_cast<int64_t>(kept.size()) < most; ++i) {
      const bool is_suppressed = std::any_of(kept.begin(), kept.end(), [&](int32_t other) {
        return suppression::Exceeds(nms::ReferenceIou(BoxAt(other), BoxAt(i), offset), threshold);
      });
      if (dropped[static_cast<size_t>(i)] == 0 && !is_suppressed) {
        kept.push_back(static_cast<int32_t>(i));
      }
    }
    return kept;
  }

  std::vector<float> boxes;
  int64_t count;
  GuardedColumns columns;
  std::vector<uint8_t> dropped;
};

// A list in guarded memory, which holds copies of a candidate: they would suppress it if the list
// read boxes that were not added.
struct TestList {
  TestList(int64_t most, const Candidates& candidates)
      : columns(most),
        indices(static_cast<size_t>(most), -7, Placement{}),
        list{.columns = columns.get(), .candidates = indices.data(), .count = 0} {
    for (int i = 0; i < nms::kColumns; ++i) {
      std::fill_n(columns.get().array[i], most + suppression::kMaxLanes,
                  candidates.columns.get().array[i][1]);
    }
  }

  std::vector<int32_t> kept() const {
    return std::vector<int32_t>(list.candidates, list.candidates + list.count);
  }

  GuardedColumns columns;
  GuardedArray<int32_t> indices;
  KeptList list;
};

TEST_P(GenerateProposalsKeptList, KeepsWhatTheReferenceKeeps) {
  for (const Place place : kAllPlaces) {
    for (const float threshold : {1e-30f, 0.3f, 0.7f, 0.99f}) {
      for (const int offset : {0, 1}) {
        const Candidates candidates(PlacedBoxes(place, 150, 0.3f, 21), offset);
        for (const int64_t most : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 150}) {
          TestList found(most, candidates);
          const int64_t visited =
              KeepInOrder(candidates.columns.get(), candidates.dropped.data(), 0, candidates.count,
                          threshold, offset, most, found.list);
          const std::vector<int32_t> expected = candidates.Keep(threshold, offset, most);
          ASSERT_EQ(found.kept(), expected) << NameOf(place) << ", threshold " << threshold;
          // It stops at the candidate after the last one that the list has room for.
          const bool is_full = static_cast<int64_t>(expected.size()) == most;
          ASSERT_EQ(visited, is_full ? expected.back() + 1 : candidates.count);
        }
      }
    }
  }
}

TEST_P(GenerateProposalsKeptList, ContinuesWhereItStopped) {
  const Candidates candidates(PlacedBoxes(Place::kImage, 100, 0.3f, 22), 0);
  const std::vector<int32_t> expected = candidates.Keep(0.5f, 0, candidates.count);
  for (const int64_t step : {1, 7, 16, 99}) {
    TestList found(candidates.count, candidates);
    for (int64_t begin = 0; begin < candidates.count; begin += step) {
      const int64_t end = std::min(begin + step, candidates.count);
      EXPECT_EQ(KeepInOrder(candidates.columns.get(), candidates.dropped.data(), begin, end, 0.5f,
                            0, candidates.count, found.list),
                end);
    }
    EXPECT_EQ(found.kept(), expected) << "step " << step;
  }
}

TEST_P(GenerateProposalsKeptList, AFullListVisitsNothing) {
  const Candidates candidates(PlacedBoxes(Place::kImage, 20, 0.3f, 23), 0);
  TestList found(1, candidates);
  for (const int64_t begin : {0, 5}) {
    KeepInOrder(candidates.columns.get(), candidates.dropped.data(), begin, 20, 0.5f, 0, 1,
                found.list);
  }
  EXPECT_EQ(found.kept(), std::vector<int32_t>{0});
}

// The columns of a kept box are copied exactly.
TEST_P(GenerateProposalsKeptList, HasTheColumnsOfItsBoxes) {
  const Candidates candidates(PlacedBoxes(Place::kLimit, 60, 0.3f, 24), 1);
  TestList found(60, candidates);
  KeepInOrder(candidates.columns.get(), candidates.dropped.data(), 0, 60, 0.5f, 1, 60, found.list);
  ASSERT_GT(found.list.count, 16);
  for (int64_t i = 0; i < found.list.count; ++i) {
    for (int column = 0; column < nms::kColumns; ++column) {
      EXPECT_EQ(BitsOf(found.list.columns.array[column][i]),
                BitsOf(candidates.columns.get().array[column][found.list.candidates[i]]));
    }
  }
}

}  // namespace
}  // namespace detops::generate_proposals_v2
