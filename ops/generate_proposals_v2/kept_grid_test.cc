// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The grid of kept boxes, and the search in it.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "core/carver.h"
#include "measure/random_floats.h"
#include "measure/slow_build.h"
#include "ops/generate_proposals_v2/kept_grid.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/test_scenes.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "ops/nms/op.h"

namespace detops::generate_proposals_v2 {
namespace {

// Returns the area as the decoder does: NaN if overlaps cannot be decided in float.
float AreaOf(const float* box, int offset) {
  const float width = box[2] - box[0] + static_cast<float>(offset);
  const float height = box[3] - box[1] + static_cast<float>(offset);
  return width <= 0x1p50f && height <= 0x1p50f ? width * height : kNaN;
}

// A grid, and the list of all boxes in it.
class TestGrid {
 public:
  TestGrid(const std::vector<float>& boxes, float threshold, int offset)
      : boxes_(boxes),
        memory_(count()),
        grid_(memory_.Get(count()), threshold, offset, boxes_.data()) {
    for (size_t i = 0; i < boxes_.size(); i += kBoxFloats) {
      grid_.Add(AreaOf(&boxes_[i], offset));
    }
  }

  using Box = std::array<float, kBoxFloats>;

  // Returns the boxes that a candidate is tested against.
  std::vector<Box> FoundBy(const float* candidate) const {
    const KeptGrid::Cell cell = grid_.CellOf(0.5f * candidate[0] + 0.5f * candidate[2],
                                             0.5f * candidate[1] + 0.5f * candidate[3]);
    const float area = AreaOf(candidate, grid_.offset());
    std::vector<Box> found;
    for (int level = 0; level < grid_.levels(); ++level) {
      for (int32_t run = grid_.FirstRun(level, cell, area); run >= 0; run = grid_.NextRun(run)) {
        for (int64_t i = 0; i < KeptGrid::kRun; ++i) {
          const int64_t at = run * KeptGrid::kRunFloats + i;
          float* const* const columns = grid_.columns().array;
          const Box box = {columns[nms::kX1][at], columns[nms::kY1][at], columns[nms::kX2][at],
                           columns[nms::kY2][at]};
          if (std::isinf(box[0])) {
            EXPECT_EQ(nms::ReferenceIou(box.data(), candidate, grid_.offset()), 0)
                << "an unused entry";
          } else {
            found.push_back(box);
          }
        }
      }
    }
    return found;
  }

  // Checks that the boxes that suppress the candidates are found. Returns their number.
  int ExpectFinds(const std::vector<float>& candidates) const {
    int suppressions = 0;
    for (size_t at = 0; at < candidates.size() && !testing::Test::HasFailure(); at += kBoxFloats) {
      const float* const candidate = &candidates[at];
      const std::vector<Box> found = FoundBy(candidate);
      for (size_t i = 0; i < boxes_.size(); i += kBoxFloats) {
        const double iou = nms::ReferenceIou(&boxes_[i], candidate, grid_.offset());
        if (suppression::Exceeds(iou, grid_.threshold())) {
          ++suppressions;
          const Box box = {boxes_[i], boxes_[i + 1], boxes_[i + 2], boxes_[i + 3]};
          EXPECT_NE(std::find(found.begin(), found.end(), box), found.end())
              << "kept " << testing::PrintToString(box) << ", candidate (" << candidate[0] << ", "
              << candidate[1] << ", " << candidate[2] << ", " << candidate[3] << "), IoU " << iou;
        }
      }
    }
    return suppressions;
  }

 private:
  int64_t count() const { return static_cast<int64_t>(boxes_.size()) / kBoxFloats; }

  const std::vector<float> boxes_;
  SpaceInMemory<KeptGrid::Space> memory_;
  KeptGrid grid_;
};

// Adding an offset to a null pointer is undefined behavior.
TEST(GenerateProposalsKeptGrid, ColumnsAreNullWhenOnlySizesAreAddedUp) {
  Carver carver(nullptr);
  const KeptGrid::Space space(carver, 10);
  EXPECT_GT(carver.used(), 0u);
  for (int i = 0; i < nms::kColumns; ++i) {
    EXPECT_EQ(space.columns.array[i], nullptr);
  }
}

TEST(GenerateProposalsKeptGrid, FindsEveryBoxThatSuppresses) {
  constexpr int kSeeds = kSlowBuild ? 1 : 4;
  int suppressions = 0;
  for (const Place place : kAllPlaces) {
    for (const float threshold : {1e-44f, 1e-30f, 0.01f, 0.3f, 0.5f, 0.7f, 0.99f, 0.999999f}) {
      for (const int offset : {0, 1}) {
        for (int seed = 0; seed < kSeeds; ++seed) {
          const float jitter = threshold > 0.9f ? 0.002f : 0.3f;
          const std::vector<float> all =
              PlacedBoxes(place, 700, jitter, static_cast<uint32_t>(24 + seed));
          std::vector<float> kept;
          std::vector<float> candidates;
          for (size_t i = 0; i < all.size(); i += kBoxFloats) {
            std::vector<float>& side = i / kBoxFloats % 2 == 0 ? kept : candidates;
            side.insert(side.end(), all.begin() + static_cast<int64_t>(i),
                        all.begin() + static_cast<int64_t>(i + kBoxFloats));
          }
          const TestGrid grid(kept, threshold, offset);
          suppressions += grid.ExpectFinds(candidates);
          ASSERT_FALSE(HasFailure()) << NameOf(place) << ", threshold " << threshold << ", offset "
                                     << offset << ", seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(suppressions, 25'000 * kSeeds);
}

// Pairs whose centers are as far apart as the threshold allows: one box lies inside the other, at
// its border. Cells are small, so that a reach that is slightly too short fails.
TEST(GenerateProposalsKeptGrid, FindsBoxesAtTheLargestDistance) {
  Random random(25);
  int suppressions = 0;
  for (const float threshold : {0.02f, 0.1f, 0.3f, 0.5f, 0.7f, 0.9f}) {
    for (int round = 0; round < 120; ++round) {
      const int offset = round % 2;
      // Boxes have the size of a few cells; with the offset, some are one pixel.
      const float scene = round % 4 < 2 ? 400.0f : 40.0f;
      std::vector<float> kept;
      std::vector<float> candidates;
      for (int i = 0; i < 40; ++i) {
        const float x = Uniform(random, scene / 2, scene);
        const float y = Uniform(random, scene / 2, scene);
        const float w = UniformSize(random, 1, scene / 10);
        const float h = UniformSize(random, 1, scene / 10);
        const float wider = w / threshold * 0.9995f;
        const float higher = h / threshold * 0.9995f;
        const float right = x + w - static_cast<float>(offset);
        const float bottom = y + h - static_cast<float>(offset);
        kept.insert(kept.end(), {x, y, right, bottom});
        const std::vector<float> others[] = {{x, y, right - w + wider, bottom},
                                             {x + w - wider, y, right, bottom},
                                             {x, y, right, bottom - h + higher},
                                             {x, y + h - higher, right, bottom}};
        const std::vector<float>& other = others[random() % 4];
        candidates.insert(candidates.end(), other.begin(), other.end());
      }
      kept.resize(4000, 0.0f);  // boxes in the corner, to get more cells
      const TestGrid grid(kept, threshold, offset);
      suppressions += grid.ExpectFinds(candidates);
      ASSERT_FALSE(HasFailure()) << "threshold " << threshold << ", round " << round;
    }
  }
  EXPECT_GT(suppressions, 20'000);
}

// Far from the origin, the rounding error of centers exceeds the reach: some centers are rounded
// into a neighboring cell.
TEST(GenerateProposalsKeptGrid, FindsBoxesWhoseCentersAreRoundedIntoAnotherCell) {
  constexpr float kEnd = 1e6f;
  for (const bool vertical : {false, true}) {
    Random random(35);
    std::vector<float> boxes;
    for (int i = 0; i < 50'000; ++i) {
      const float at = Uniform(random, 0, kEnd);
      const float end = at + Uniform(random, 2, 9);
      if (vertical) {
        boxes.insert(boxes.end(), {0, at, 2, end});
      } else {
        boxes.insert(boxes.end(), {at, 0, end, 2});
      }
    }
    const TestGrid grid(boxes, 0.99999f, 0);
    for (size_t i = 0; i < boxes.size(); i += kBoxFloats) {
      const TestGrid::Box box = {boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3]};
      const std::vector<TestGrid::Box> found = grid.FoundBy(box.data());
      ASSERT_NE(std::find(found.begin(), found.end(), box), found.end())
          << testing::PrintToString(box);
    }
  }
}

// Each box needs more cells than the mean that there is memory for.
TEST(GenerateProposalsKeptGrid, FindsBoxesWhenTheFinerLevelsAreFull) {
  for (const int64_t count : {1, 2, 7, 8, 9, 100, 1000, 3000}) {
    Random random(26);
    std::vector<float> kept;
    for (int64_t i = 0; i < count; ++i) {
      const float size = Uniform(random, 60, 100);
      const float x = Uniform(random, 0, 1000);
      const float y = Uniform(random, 0, 1000);
      kept.insert(kept.end(), {x, y, x + size, y + size});
    }
    for (const float threshold : {0.1f, 0.5f}) {
      const TestGrid grid(kept, threshold, 0);
      EXPECT_GE(grid.ExpectFinds(std::vector<float>(
                    kept.begin(), kept.begin() + std::min<int64_t>(count, 100) * kBoxFloats)),
                std::min<int64_t>(count, 100));
    }
  }
}

// A candidate is tested against the boxes around it, a small part of all 2000.
TEST(GenerateProposalsKeptGrid, TestsFewBoxes) {
  const auto mean_found = [](const std::vector<float>& boxes) {
    const TestGrid grid(boxes, 0.5f, 0);
    size_t found = 0;
    for (size_t at = 0; at < boxes.size(); at += kBoxFloats) {
      found += grid.FoundBy(&boxes[at]).size();
    }
    return static_cast<double>(found * kBoxFloats) / static_cast<double>(boxes.size());
  };
  std::vector<float> lattice;
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 50; ++column) {
      const auto x = static_cast<float>(15 * column);
      const auto y = static_cast<float>(15 * row);
      lattice.insert(lattice.end(), {x, y, x + 10, y + 10});
    }
  }
  // Boxes come row by row, so cells are laid several times, the last time over half of the rows.
  EXPECT_LT(mean_found(lattice), 30);
  std::vector<TestGrid::Box> boxes(lattice.size() / kBoxFloats);
  std::memcpy(boxes.data(), lattice.data(), lattice.size() * sizeof(float));
  std::shuffle(boxes.begin(), boxes.end(), Random(36));
  std::memcpy(lattice.data(), boxes.data(), lattice.size() * sizeof(float));
  EXPECT_LT(mean_found(lattice), 10);
  EXPECT_LT(mean_found(PlacedBoxes(Place::kImage, 2000, 0.1f, 27)), 40);
  EXPECT_LT(mean_found(PlacedBoxes(Place::kSizes, 2000, 0.1f, 27)), 300);
  EXPECT_LT(mean_found(PlacedBoxes(Place::kLine, 2000, 0.1f, 27)), 10);
}

class GenerateProposalsSearch : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsSearch);

TEST_P(GenerateProposalsSearch, MarksSuppressedCandidatesInItsRangeOnly) {
  for (const Place place : kAllPlaces) {
    for (const float threshold : {1e-30f, 0.3f, 0.7f}) {
      constexpr int64_t kCount = 300;
      const std::vector<float> kept = PlacedBoxes(place, 200, 0.3f, 28);
      const std::vector<float> candidates = PlacedBoxes(place, kCount, 0.3f, 28);
      SpaceInMemory<KeptGrid::Space> memory(200);
      KeptGrid grid(memory.Get(200), threshold, 0, kept.data());
      for (size_t i = 0; i < kept.size(); i += kBoxFloats) {
        grid.Add(AreaOf(&kept[i], 0));
      }
      std::vector<float> numbers[nms::kColumns];
      suppression::Columns columns{};
      for (size_t i = 0; i < candidates.size(); i += kBoxFloats) {
        for (size_t side = 0; side < kBoxFloats; ++side) {
          numbers[side].push_back(candidates[i + side]);
        }
        numbers[nms::kArea].push_back(AreaOf(&candidates[i], 0));
      }
      for (int column = 0; column < nms::kColumns; ++column) {
        columns.array[column] = numbers[column].data();
      }
      std::vector<uint8_t> suppressed(kCount, 0);
      suppressed[100] = 1;
      suppressed[101] = 1;
      FindSuppressed(grid, columns, 20, 280, suppressed.data());
      for (int64_t i = 0; i < kCount; ++i) {
        const float* const candidate = &candidates[static_cast<size_t>(i * kBoxFloats)];
        bool expected = i == 100 || i == 101;
        for (size_t k = 0; k < kept.size() && i >= 20 && i < 280; k += kBoxFloats) {
          expected |= suppression::Exceeds(nms::ReferenceIou(&kept[k], candidate, 0), threshold);
        }
        ASSERT_EQ(suppressed[static_cast<size_t>(i)] != 0, expected)
            << NameOf(place) << ", candidate " << i << ", threshold " << threshold;
      }
    }
  }
}

}  // namespace
}  // namespace detops::generate_proposals_v2
