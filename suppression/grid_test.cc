// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The grid finds every overlap and visits few cells.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "ops/nms/cases.h"
#include "suppression/grid.h"

namespace detops::suppression {
namespace {

using nms::Kind;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<Bounds> BoundsOf(const std::vector<float>& boxes) {
  std::vector<Bounds> all;
  for (size_t i = 0; i < boxes.size(); i += nms::kBoxFloats) {
    const float* const box = &boxes[i];
    const bool finite = std::all_of(box, box + 4, [](float f) { return std::isfinite(f); });
    const Bounds bounds{box[0], box[1], box[2], box[3]};
    if (finite && bounds.HasInterior()) {
      all.push_back(bounds);
    }
  }
  return all;
}

// Returns whether the intervals overlap, by at least this share of the sum of their lengths.
bool Overlap(double a_low, double a_high, double b_low, double b_high, double share) {
  const double common = std::min(a_high, b_high) - std::max(a_low, b_low);
  return common > 0 && common >= share * (a_high - a_low + b_high - b_low);
}

bool Overlap(const Bounds& a, const Bounds& b, double share) {
  return Overlap(a.x_low, a.x_high, b.x_low, b.x_high, share) &&
         Overlap(a.y_low, a.y_high, b.y_low, b.y_high, share);
}

// Returns how often each cell is visited around the bounds.
std::vector<int> Visits(const Grid& grid, const Bounds& bounds, int first_level) {
  std::vector<int> visits(static_cast<size_t>(grid.cells()));
  Grid::Neighbors neighbors(grid, grid.QueryOf(bounds), first_level);
  CellSpan span;
  while (neighbors.Next(span)) {
    EXPECT_LT(span.begin, span.end);
    for (int64_t cell = span.begin; cell < span.end; ++cell) {
      ++visits.at(static_cast<size_t>(cell));
    }
  }
  return visits;
}

void ExpectGridFindsAllOverlaps(const std::string& name, const std::vector<Bounds>& boxes,
                                double share) {
  SCOPED_TRACE(name);
  const Grid grid(boxes.data(), static_cast<int64_t>(boxes.size()), LeastOverlap(share));
  ASSERT_LE(grid.cells(), Grid::MaxCells(static_cast<int64_t>(boxes.size())));
  for (const Bounds& box : boxes) {
    const int level = grid.LevelOf(box);
    const std::vector<int> all = Visits(grid, box, 0);
    const std::vector<int> from_own = Visits(grid, box, level);
    // More than once only where blocks share cells: at most four blocks meet near a box.
    ASSERT_LE(*std::max_element(all.begin(), all.end()), 4);
    ASSERT_LE(*std::max_element(from_own.begin(), from_own.end()), 4);
    for (const Bounds& other : boxes) {
      const int64_t cell = grid.CellOf(other);
      ASSERT_TRUE(cell >= 0 && cell < grid.cells());
      if (Overlap(box, other, share)) {
        ASSERT_GE(all[static_cast<size_t>(cell)], 1);
        ASSERT_TRUE(grid.LevelOf(other) < level || from_own[static_cast<size_t>(cell)] >= 1);
      }
    }
  }
}

// With each of these shares, of which the largest leaves only boxes that are nearly the same.
void ExpectGridFindsAllOverlaps(const std::string& name, const std::vector<Bounds>& boxes) {
  for (const double share : {0.0, 0.1, 1.0 / 3, 0.45, 0.49999}) {
    ExpectGridFindsAllOverlaps(name + ", share " + std::to_string(share), boxes, share);
  }
}

TEST(Grid, FindsEveryOverlapInScenesOfAllKinds) {
  for (const Kind kind : nms::kAllKinds) {
    for (const int64_t count : {1, 2, 10, 300}) {
      const std::vector<Bounds> boxes =
          BoundsOf(nms::RandomBoxes(kind, count, static_cast<uint32_t>(count)));
      if (!boxes.empty()) {
        ExpectGridFindsAllOverlaps(nms::NameOf(kind), boxes);
      }
    }
  }
}

// Distant clusters, small and large boxes, near and very far from the origin.
TEST(Grid, FindsEveryOverlapInAMixedScene) {
  std::vector<float> scene;
  const auto append = [&](const std::vector<float>& boxes, float scale, float shift) {
    for (const float coordinate : boxes) {
      scene.push_back(coordinate * scale + shift);
    }
  };
  for (int cluster = 0; cluster < 5; ++cluster) {
    append(nms::RandomBoxes(Kind::kHeap, 20, static_cast<uint32_t>(cluster)), 1,
           1e5f * static_cast<float>(cluster));
  }
  append(nms::RandomBoxes(Kind::kSizes, 150, 1), 1, 0);
  append(nms::RandomBoxes(Kind::kScene, 150, 2), 1, 1e6f);
  append(nms::RandomBoxes(Kind::kScene, 100, 3), 4e27f, 0);
  append(nms::RandomBoxes(Kind::kExtremes, 50, 4), 1, 0);
  ExpectGridFindsAllOverlaps("mixed", BoundsOf(scene));
}

// Squares of one size that overlap by the last bit of a coordinate: tests the reach of a cell.
TEST(Grid, FindsNeighborsThatOverlapByOneBit) {
  for (const float origin : {0.0f, -1000.0f, 1e6f}) {
    std::vector<Bounds> boxes;
    for (int i = 0; i < 15; ++i) {
      for (int j = 0; j < 15; ++j) {
        const float x = origin + 4 * static_cast<float>(i);
        const float y = origin + 4 * static_cast<float>(j);
        boxes.push_back({x, y, std::nextafter(x + 4, kInfinity), std::nextafter(y + 4, kInfinity)});
      }
    }
    ExpectGridFindsAllOverlaps("lattice", boxes);
  }
}

// Far more cells than boxes: the grid wraps around, in one direction or in both.
TEST(Grid, WrapsAround) {
  std::mt19937 random(17);
  const auto uniform = [&](float limit) {
    return std::uniform_real_distribution<float>(0, limit)(random);
  };
  for (const float width : {10.0f, 1e3f, 1e6f}) {
    for (const float height : {10.0f, 1e3f, 1e6f}) {
      std::vector<Bounds> boxes;
      for (int i = 0; i < 100; ++i) {
        const float x = uniform(width);
        const float y = uniform(height);
        // A second box overlaps it, so that there are overlaps wherever the grid ends.
        boxes.push_back({x, y, x + 1, y + 1});
        boxes.push_back({x + 0.9f, y - 0.9f, x + 1.9f, y + 0.1f});
      }
      ExpectGridFindsAllOverlaps("scattered", boxes);
    }
  }
}

TEST(Grid, VisitsFewCells) {
  const std::vector<Bounds> boxes = BoundsOf(nms::RandomBoxes(Kind::kScene, 4000, 18));
  const Grid grid(boxes.data(), static_cast<int64_t>(boxes.size()), LeastOverlap(0));
  for (const Bounds& box : boxes) {
    const std::vector<int> visits = Visits(grid, box, 0);
    ASSERT_LE(std::count_if(visits.begin(), visits.end(), [](int n) { return n != 0; }), 200)
        << "of " << grid.cells();
  }
}

// Returns the average number of boxes in the cells around a box: the cost of the search.
double NeighborsPerBox(const std::vector<Bounds>& boxes) {
  const Grid grid(boxes.data(), static_cast<int64_t>(boxes.size()), LeastOverlap(0));
  std::vector<int> boxes_of(static_cast<size_t>(grid.cells()));
  for (const Bounds& box : boxes) {
    ++boxes_of[static_cast<size_t>(grid.CellOf(box))];
  }
  double sum = 0;
  for (const Bounds& box : boxes) {
    Grid::Neighbors neighbors(grid, grid.QueryOf(box), grid.LevelOf(box));
    CellSpan span;
    while (neighbors.Next(span)) {
      for (int64_t cell = span.begin; cell < span.end; ++cell) {
        sum += boxes_of[static_cast<size_t>(cell)];
      }
    }
  }
  return sum / static_cast<double>(boxes.size());
}

// Scenes with hardly any overlaps, each of a kind that is hard for some grids.
TEST(Grid, VisitsFewBoxesInHardScenes) {
  constexpr int kCount = 20'000;
  std::mt19937 random(23);
  const auto uniform = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  const auto make = [&](const auto& box_of) {
    std::vector<Bounds> boxes(kCount);
    for (int i = 0; i < kCount; ++i) {
      boxes[static_cast<size_t>(i)] = box_of(i);
    }
    return boxes;
  };
  const auto square = [](float x, float y, float size) { return Bounds{x, y, x + size, y + size}; };
  EXPECT_LT(NeighborsPerBox(make(
                [&](int) { return square(uniform(0, 6e5f), uniform(0, 6e5f), uniform(8, 40)); })),
            20)
      << "sparse";
  EXPECT_LT(NeighborsPerBox(make([&](int i) {
              const auto at = static_cast<float>(i);
              return square(100 * at, 100 * at, 40);
            })),
            20)
      << "a diagonal";
  EXPECT_LT(NeighborsPerBox(make([&](int i) {
              const auto y = 2 * static_cast<float>(i);
              return Bounds{uniform(0, 10), y, 1e5f, y + 1};
            })),
            20)
      << "strips";
  EXPECT_LT(NeighborsPerBox(make([&](int i) {
              // 200 x 200 is the size of the grid of 20,000 such boxes.
              const auto cluster = static_cast<float>(i % 64);
              return square(std::fmod(cluster, 8.0f) * 40 * 200 + uniform(0, 600),
                            std::floor(cluster / 8) * 40 * 200 + uniform(0, 600), 40);
            })),
            60)
      << "clusters as far apart as the grid repeats";
  EXPECT_LT(NeighborsPerBox(make([&](int i) {
              return i < 3 ? square(1e7f * static_cast<float>(i), 0, 60)
                           : square(uniform(0, 2000), uniform(0, 2000), 8);
            })),
            60)
      << "outliers";
  EXPECT_LT(NeighborsPerBox(make([&](int i) {
              return i < 500 ? square(0, 0, std::ldexp(1.0f, i % 25))
                             : square(uniform(0, 5e4f), uniform(0, 5e4f), 0.01f);
            })),
            700)
      << "many magnitudes";
}

}  // namespace
}  // namespace detops::suppression
