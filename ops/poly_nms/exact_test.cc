// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// IoUs compared with exact arithmetic on integer coordinates: disjoint and touching quadrilaterals
// have IoU 0, and other intersections are within the error bound.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "measure/slow_build.h"
#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/test_polygons.h"
#include "suppression/harness.h"

namespace detops::poly_nms {
namespace {

__extension__ using Int128 = __int128;

struct GridPoint {
  int64_t x, y;
};
using GridQuad = std::array<GridPoint, 4>;

// Returns the cross product: positive if b is to the left of a.
Int128 Cross(const GridPoint& a, const GridPoint& b) {
  return Int128{a.x} * b.y - Int128{a.y} * b.x;
}
GridPoint operator-(const GridPoint& a, const GridPoint& b) { return {a.x - b.x, a.y - b.y}; }

// Returns the quadrilateral times 2^exponent. Its coordinates must have at most 24 bits.
Polygon ToFloats(const GridQuad& quad, int exponent) {
  Polygon polygon;
  for (size_t i = 0; i < 4; ++i) {
    const auto x = static_cast<float>(quad[i].x);
    const auto y = static_cast<float>(quad[i].y);
    EXPECT_EQ(static_cast<int64_t>(x), quad[i].x);
    EXPECT_EQ(static_cast<int64_t>(y), quad[i].y);
    polygon[2 * i] = std::ldexp(x, exponent);
    polygon[2 * i + 1] = std::ldexp(y, exponent);
  }
  return polygon;
}

// The width and height of the overlap of two bounding boxes, and of the bounding box of both.
struct Extents {
  double overlap_x, overlap_y, both_x, both_y;

  // The error bound of an intersection in README.md.
  double Error() const { return 0x1p-50 * (21 * overlap_x * both_y + both_x * overlap_y); }
};

Extents ExtentsOf(const Polygon& a, const Polygon& b) {
  double low[2][2];
  double high[2][2];
  for (size_t axis = 0; axis < 2; ++axis) {
    for (size_t which = 0; which < 2; ++which) {
      const Polygon& p = which == 0 ? a : b;
      low[axis][which] = std::min({p[axis], p[axis + 2], p[axis + 4], p[axis + 6]});
      high[axis][which] = std::max({p[axis], p[axis + 2], p[axis + 4], p[axis + 6]});
    }
  }
  const auto overlap = [&](int i) {
    return std::min(high[i][0], high[i][1]) - std::max(low[i][0], low[i][1]);
  };
  const auto both = [&](int i) {
    return std::max(high[i][0], high[i][1]) - std::min(low[i][0], low[i][1]);
  };
  return {overlap(0), overlap(1), both(0), both(1)};
}

// ---- Quadrilaterals without a common interior ---------------------------------------------------

enum class Contact { kNone, kCornerOnEdge, kEdge, kCorner };
constexpr Contact kAllContacts[] = {Contact::kNone, Contact::kCornerOnEdge, Contact::kEdge,
                                    Contact::kCorner};
constexpr int64_t kPairs = kSlowBuild ? 5'000 : 100'000;

// Pairs of polygons with the same index.
struct PolygonPairs {
  std::vector<float> first, second;  // 8 floats per polygon

  int64_t count() const { return static_cast<int64_t>(first.size()) / 8; }
  void Add(const Polygon& a, const Polygon& b) {
    first.insert(first.end(), a.begin(), a.end());
    second.insert(second.end(), b.begin(), b.end());
  }
};

// Makes pairs of quadrilaterals that a line separates. Some are concave or cross themselves. Sizes
// differ by up to 2^18, and by up to 2^48 if the scales are mixed: then corners relative to the
// origin of the pair are rounded.
class SeparatedPairs {
 public:
  PolygonPairs Make(Contact contact, int64_t count) {
    PolygonPairs pairs;
    for (int64_t i = 0; i < count; ++i) {
      AddPair(contact, i % 4 == 0, pairs);
    }
    EXPECT_GT(overlapping_, count / 4) << "most bounding boxes are apart";
    return pairs;
  }

 private:
  int64_t Uniform(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  GridPoint PointWithin(int64_t size) { return {Uniform(-size, size), Uniform(-size, size)}; }

  // Returns a point that is strictly to the left (side 1) or right (side -1) of the line through
  // `through` with this direction.
  GridPoint Beside(const GridPoint& through, const GridPoint& direction, int side, int64_t size,
                   int64_t scale) {
    GridPoint v;
    do {
      v = PointWithin(size);
    } while (Cross(direction, v) == 0);
    const int64_t factor = (Cross(direction, v) > 0) == (side > 0) ? scale : -scale;
    return {through.x + factor * v.x, through.y + factor * v.y};
  }

  void AddPair(Contact contact, bool mixed, PolygonPairs& pairs) {
    const GridPoint corner = mixed ? GridPoint{0, 0} : PointWithin(int64_t{1} << Uniform(0, 22));
    GridPoint step;
    do {
      step = PointWithin(int64_t{1} << Uniform(1, 17));
    } while (step.x == 0 && step.y == 0);
    const int64_t steps = Uniform(2, 4);
    const GridPoint end{corner.x + steps * step.x, corner.y + steps * step.y};
    const int64_t sizes[] = {int64_t{1} << Uniform(2, 20), int64_t{1} << Uniform(2, 20)};
    const int64_t scale = mixed ? int64_t{1} << Uniform(1, 30) : 1;
    GridQuad a;
    GridQuad b;
    for (size_t i = 0; i < 4; ++i) {
      a[i] = Beside(corner, step, 1, sizes[0], scale);
      b[i] = Beside(corner, step, -1, sizes[1], 1);
    }
    if (contact == Contact::kCornerOnEdge) {
      const int64_t at = Uniform(1, steps - 1);
      a[0] = {corner.x + at * step.x, corner.y + at * step.y};
      b[0] = corner;
      b[1] = end;
    } else if (contact == Contact::kEdge) {
      a[0] = b[1] = corner;
      a[1] = b[0] = end;
    } else if (contact == Contact::kCorner) {
      a[0] = b[0] = corner;
    }
    Append(contact, corner, step, a, b, pairs);
  }

  void Append(Contact contact, const GridPoint& corner, const GridPoint& step, GridQuad& a,
              GridQuad& b, PolygonPairs& pairs) {
    // Each corner is on its side of the line, so that the intersection has no area.
    for (size_t i = 0; i < 4; ++i) {
      const bool strictly = contact == Contact::kNone;
      ASSERT_GE(Cross(step, a[i] - corner), Int128{strictly ? 1 : 0});
      ASSERT_LE(Cross(step, b[i] - corner), Int128{strictly ? -1 : 0});
    }
    std::rotate(a.begin(), a.begin() + Uniform(0, 3), a.end());
    std::rotate(b.begin(), b.begin() + Uniform(0, 3), b.end());
    const int exponent = static_cast<int>(Uniform(-60, 60));
    const Polygon first = ToFloats(a, exponent);
    const Polygon second = ToFloats(b, exponent);
    const Extents extents = ExtentsOf(first, second);
    overlapping_ += extents.overlap_x > 0 && extents.overlap_y > 0 ? 1 : 0;
    if (Uniform(0, 1) == 0) {
      pairs.Add(first, second);
    } else {
      pairs.Add(second, first);
    }
  }

  std::mt19937_64 random_{17};
  int64_t overlapping_ = 0;
};

const PolygonPairs& PairsWith(Contact contact) {
  static const std::vector<PolygonPairs> pairs = [] {
    std::vector<PolygonPairs> result;
    for (const Contact each : kAllContacts) {
      result.push_back(SeparatedPairs().Make(each, kPairs));
    }
    return result;
  }();
  return pairs[static_cast<size_t>(contact)];
}

IouArgs AlignedArgs(const PolygonPairs& pairs, std::vector<float>& ious) {
  return {.first = pairs.first.data(),
          .second = pairs.second.data(),
          .rows = pairs.count(),
          .columns = pairs.count(),
          .first_stride = 8,
          .second_stride = 8,
          .aligned = true,
          .ious = ious.data()};
}

TEST(PolygonIouExact, DisjointAndTouchingPairsAreZeroInTheReference) {
  for (const Contact contact : kAllContacts) {
    const PolygonPairs& pairs = PairsWith(contact);
    ASSERT_EQ(pairs.count(), kPairs);
    for (int64_t i = 0; i < pairs.count(); ++i) {
      ASSERT_EQ(ReferencePolygonIou(&pairs.first[8 * i], &pairs.second[8 * i]), 0)
          << "contact " << static_cast<int>(contact) << ", pair " << i;
    }
  }
}

class PolyNmsExact : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PolyNmsExact);

TEST_P(PolyNmsExact, DisjointAndTouchingPairsAreZero) {
  Threads threads(1);
  RunContext context{threads, nullptr};
  for (const Contact contact : kAllContacts) {
    const PolygonPairs& pairs = PairsWith(contact);
    std::vector<float> ious(static_cast<size_t>(kPairs), -1.0f);
    ASSERT_TRUE(RunIou(context, AlignedArgs(pairs, ious)).ok());
    ASSERT_EQ(std::count(ious.begin(), ious.end(), 0.0f), kPairs)
        << "contact " << static_cast<int>(contact);
  }
}

TEST_P(PolyNmsExact, ThresholdZeroKeepsDisjointAndTouchingPairs) {
  for (const Contact contact : kAllContacts) {
    const PolygonPairs& pairs = PairsWith(contact);
    Case input;
    input.iou_threshold = 0;
    for (int64_t i = 0; i < pairs.count(); ++i) {
      for (const std::vector<float>* polygons : {&pairs.first, &pairs.second}) {
        const auto polygon = polygons->begin() + 8 * i;
        input.boxes.insert(input.boxes.end(), polygon, polygon + 8);
        input.boxes.push_back(0.5f);
        input.groups.push_back(static_cast<int32_t>(i));
      }
    }
    ASSERT_EQ(RunOn(1, input).result_num[0], 2 * kPairs) << "contact " << static_cast<int>(contact);
  }
}

// Tiles of a skewed grid share their edges and corners. Only the copy of a tile is suppressed.
TEST_P(PolyNmsExact, ThresholdZeroKeepsATiling) {
  constexpr int64_t kSide = 40;
  for (const int exponent : {-45, 0, 30}) {
    Case input;
    input.iou_threshold = 0;
    const GridPoint u{1013, 577};
    const GridPoint v{-389, 821};
    for (int64_t i = 0; i < kSide * kSide; ++i) {
      const auto at = [&](int64_t column, int64_t row) {
        return GridPoint{column * u.x + row * v.x, column * u.y + row * v.y};
      };
      const int64_t c = i % kSide;
      const int64_t r = i / kSide;
      const Polygon tile =
          ToFloats({at(c, r), at(c + 1, r), at(c + 1, r + 1), at(c, r + 1)}, exponent);
      input.boxes.insert(input.boxes.end(), tile.begin(), tile.end());
      input.boxes.push_back(1.0f / static_cast<float>(1 + i % 7));
    }
    EXPECT_EQ(RunOn(1, input).result_num[0], kSide * kSide) << exponent;
    const std::vector<float> copy(input.boxes.begin(), input.boxes.begin() + 9);
    input.boxes.insert(input.boxes.end(), copy.begin(), copy.end());
    EXPECT_EQ(RunOn(1, input).result_num[0], kSide * kSide) << exponent;
  }
}

// ---- Quadrilaterals that overlap ----------------------------------------------------------------

// An edge as a function of x, with integer ends.
struct GridEdge {
  GridPoint left, right;
  int sign;

  int64_t width() const { return right.x - left.x; }
  // Returns the height at x, times the width.
  int64_t HeightTimesWidth(int64_t x) const {
    return left.y * width() + (x - left.x) * (right.y - left.y);
  }
};

GridEdge EdgeOf(const GridQuad& quad, size_t i) {
  const GridPoint& from = quad[i];
  const GridPoint& to = quad[(i + 1) % 4];
  return from.x < to.x ? GridEdge{from, to, 1} : GridEdge{to, from, -1};
}

// Returns the area of the intersection of quadrilaterals with coordinates of at most 7 bits. The
// terms are rational numbers, which are truncated to multiples of 2^-64: the error is below 2^-61.
double ExactIntersection(const GridQuad& quad_a, const GridQuad& quad_b) {
  Int128 sum = 0;
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) {
      const GridEdge a = EdgeOf(quad_a, i);
      const GridEdge b = EdgeOf(quad_b, j);
      const int64_t left = std::max(a.left.x, b.left.x);
      const int64_t right = std::min(a.right.x, b.right.x);
      if (left >= right) {
        continue;
      }
      const auto gap = [&](int64_t x) {
        return Int128{a.HeightTimesWidth(x)} * b.width() -
               Int128{b.HeightTimesWidth(x)} * a.width();
      };
      const Int128 l = gap(left);
      const Int128 r = gap(right);
      const Int128 s = (l < 0 ? -l : l) + (r < 0 ? -r : r);
      if (s == 0) {
        continue;
      }
      const bool crosses = (l < 0 && r > 0) || (l > 0 && r < 0);
      const Int128 gaps = crosses ? l * l + r * r : s * s;
      const Int128 term = (gaps * (right - left) << 64) / (s * a.width() * b.width());
      sum += static_cast<Int128>(a.sign) * b.sign * term;
    }
  }
  return std::ldexp(std::abs(static_cast<double>(sum)), -66);
}

double TwiceArea(const GridQuad& quad) {
  return std::abs(static_cast<double>(Cross(quad[2] - quad[0], quad[3] - quad[1])));
}

// Corners in a small window, so that many pairs are disjoint, touch, share corners or edges, lie in
// the notch of a concave quadrilateral, or cross themselves.
TEST(PolygonIouExact, IntersectionsAreWithinTheErrorBound) {
  std::mt19937 random(5);
  int64_t zero = 0;
  int64_t positive = 0;
  for (int64_t i = 0; i < 4 * kPairs; ++i) {
    std::uniform_int_distribution<int64_t> within(0, 1 + random() % (i % 2 == 0 ? 12 : 126));
    GridQuad quads[2];
    for (GridQuad& quad : quads) {
      for (GridPoint& point : quad) {
        point = {within(random), within(random)};
      }
    }
    const double areas = (TwiceArea(quads[0]) + TwiceArea(quads[1])) / 2;
    const double exact = ExactIntersection(quads[0], quads[1]);
    const Polygon a = ToFloats(quads[0], 0);
    const Polygon b = ToFloats(quads[1], 0);
    const double iou = ReferencePolygonIou(a.data(), b.data());
    if (exact < 0x1p-60) {
      ++zero;
      ASSERT_EQ(iou, 0) << "pair " << i;
    } else if (TwiceArea(quads[0]) > 0 && TwiceArea(quads[1]) > 0 && 2 * exact < areas) {
      // Here 0 < exact IoU < 1, so that it was not clamped.
      ++positive;
      const double error = ExtentsOf(a, b).Error();
      ASSERT_GT(exact, 4 * error) << "not clearly above the bound; pair " << i;
      ASSERT_NEAR(iou * areas / (1 + iou), exact, error + 0x1p-50 * areas) << "pair " << i;
    }
  }
  EXPECT_GT(zero, kPairs / 10);
  EXPECT_GT(positive, kPairs);
}

// Two parallelograms that overlap in a parallelogram of known area, down to 2^-40 of their own.
TEST(PolygonIouExact, SliversAboveTheBoundAreNotZero) {
  std::mt19937 random(6);
  const auto uniform = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int64_t pair = 0; pair < kPairs; ++pair) {
    const int64_t steps = int64_t{1} << uniform(5, 20);
    const int64_t size = (int64_t{1} << 21) / steps;
    const GridPoint u{uniform(1, size), uniform(-size, size)};
    const GridPoint v{uniform(-size, size), uniform(1, size)};
    const int64_t columns = uniform(1, 3);  // of the overlap
    const int64_t rows = uniform(0, 1) == 0 ? uniform(1, 3) : steps;
    const auto make = [&](int64_t column, int64_t row) {
      GridQuad quad;
      const int64_t ends[4][2] = {{0, 0}, {steps, 0}, {steps, steps}, {0, steps}};
      for (size_t i = 0; i < 4; ++i) {
        quad[i] = {(column + ends[i][0]) * u.x + (row + ends[i][1]) * v.x,
                   (column + ends[i][0]) * u.y + (row + ends[i][1]) * v.y};
      }
      return ToFloats(quad, -20);
    };
    const Polygon a = make(0, 0);
    const Polygon b = make(steps - columns, steps - rows);
    const double tile = std::ldexp(std::abs(static_cast<double>(Cross(u, v))), -40);
    const double exact = tile * static_cast<double>(columns * rows);
    const double areas = 2 * tile * static_cast<double>(steps * steps);
    const double error = ExtentsOf(a, b).Error();
    const double iou = ReferencePolygonIou(a.data(), b.data());
    ASSERT_NEAR(iou * areas / (1 + iou), exact, error + 0x1p-50 * exact) << "pair " << pair;
    ASSERT_TRUE(iou > 0 || exact <= 2 * error) << "pair " << pair;
  }
}

TEST(PolygonIouExact, ASmallBoxInALargeOneKeepsItsIntersection) {
  const Polygon large = {-0x1p20f, 0, 0, -0x1p20f, 0x1p20f, 0, 0, 0x1p20f};
  for (const float size : {0x1p-1f, 0x1p-10f, 0x1p-20f}) {
    const Polygon small = Upright(-size, -size, size, size);
    const double areas = 0x1p41 + 4.0 * size * size;
    const double iou = ReferencePolygonIou(large.data(), small.data());
    EXPECT_NEAR(iou * areas / (1 + iou) / (4.0 * size * size), 1, 0x1p-45 * 0x1p21 / size) << size;
    EXPECT_GT(iou, 0) << size;
  }
  // The error of the double evaluation exceeds the area of this one.
  const Polygon tiny = Upright(-0x1p-30f, -0x1p-30f, 0x1p-30f, 0x1p-30f);
  EXPECT_EQ(ReferencePolygonIou(large.data(), tiny.data()), 0);
}

}  // namespace
}  // namespace detops::poly_nms
