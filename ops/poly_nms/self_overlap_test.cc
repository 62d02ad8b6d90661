// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The IoU of a quadrilateral with itself: 1 if it is simple and not extremely thin, and 1 or 0 if
// it crosses itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "measure/slow_build.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/test_polygons.h"

namespace detops::poly_nms {
namespace {

// Returns the IoU as suppression uses it: rounded to float.
float IouWithItself(const Polygon& polygon) {
  return static_cast<float>(ReferencePolygonIou(polygon.data(), polygon.data()));
}

// Returns the area divided by the squared extent, the larger side of the bounding box.
double RelativeArea(const Polygon& polygon) {
  const Corners corners = CornersAround({polygon[0], polygon[1]}, polygon.data());
  double extent = 0;
  for (const Point& a : corners) {
    for (const Point& b : corners) {
      extent = std::max({extent, a.x - b.x, a.y - b.y});
    }
  }
  return std::abs(SignedArea(corners.data(), 4)) / (extent * extent);
}

// Returns whether two edges that have no common corner are clearly apart.
bool AreApart(const Corners& corners, size_t first, size_t second) {
  const Point& a = corners[first];
  const Point& b = corners[(first + 1) % 4];
  const Point& c = corners[second];
  const Point& d = corners[(second + 1) % 4];
  return Cross(a, b, c) * Cross(a, b, d) > 0 || Cross(c, d, a) * Cross(c, d, b) > 0;
}

bool IsSimple(const Polygon& polygon) {
  const Corners corners = CornersAround({polygon[0], polygon[1]}, polygon.data());
  return AreApart(corners, 0, 2) && AreApart(corners, 1, 3);
}

// Returns a convex or concave quadrilateral of any direction, size and position, whose height is
// `height` times its length.
Polygon RandomSimple(std::mt19937& random, double height) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  // Two corners are the ends of the x axis. The others are above it and below it, or, if the
  // quadrilateral is concave, one of them is in the triangle of the other three.
  const double above = uniform(0.5, 1) * height;
  const double middle = uniform(-0.4, 0.4);
  const bool is_concave = random() % 2 == 0;
  const double below = is_concave ? above * uniform(0.05, 0.4) : -uniform(0.1, 1) * height;
  const double other = is_concave ? middle * uniform(0.5, 1) : uniform(-0.4, 0.4);
  const Corners corners = {Point{-0.5, 0}, {other, below}, {0.5, 0}, {middle, above}};
  const double turn = uniform(0, 6.3);
  const double size = std::exp2(uniform(-30, 30));
  const double x = uniform(-2, 2);
  const double y = uniform(-2, 2);
  Polygon polygon;
  for (size_t i = 0; i < 4; ++i) {
    const Point& p = corners[i];
    polygon[2 * i] = static_cast<float>(size * (x + p.x * std::cos(turn) - p.y * std::sin(turn)));
    polygon[2 * i + 1] =
        static_cast<float>(size * (y + p.x * std::sin(turn) + p.y * std::cos(turn)));
  }
  return polygon;
}

TEST(PolygonIouWithItself, IsOneIfSimpleAndNotExtremelyThin) {
  constexpr int kPolygons = kSlowBuild ? 20'000 : 300'000;
  std::mt19937 random(41);
  int thin = 0;
  for (int i = 0; i < kPolygons; ++i) {
    const double height = std::exp2(std::uniform_real_distribution<double>(-21, 0)(random));
    const Polygon polygon = RandomSimple(random, height);
    const double area = RelativeArea(polygon);
    if (area < 1e-6 || !IsSimple(polygon)) {
      continue;  // rounding the corners may make a thin one cross itself
    }
    thin += area < 1e-5 ? 1 : 0;
    ASSERT_EQ(IouWithItself(polygon), 1.0f) << testing::PrintToString(polygon) << ", " << area;
  }
  EXPECT_GT(thin, kPolygons / 50) << "too few are thin";
}

// The area of the first is about 2^-47, less than the error bound of the intersection.
TEST(PolygonIouWithItself, IsZeroBelowTheErrorBound) {
  constexpr float kUnit = 0x1p-23f;
  const Polygon sliver = {0, 0, 1 + kUnit, 1, 1, 1 - kUnit, 0.5f, 0.5f - kUnit / 2};
  EXPECT_GT(RelativeArea(sliver), 0);
  EXPECT_LT(RelativeArea(sliver), 0x1p-46);
  EXPECT_EQ(IouWithItself(sliver), 0.0f);
}

// Two right-angled lobes that meet in the origin, with areas of left^2 and right^2.
TEST(PolygonIouWithItself, OfCrossingBoxesDependsOnTheLobes) {
  for (int left = 1; left <= 40; ++left) {
    for (int right = 1; right <= 40; ++right) {
      const auto l = static_cast<float>(left);
      const auto r = static_cast<float>(right);
      const Polygon bow = {-l, -l, r, r, r, -r, -l, l};
      const int larger = std::max(left * left, right * right);
      const int smaller = std::min(left * left, right * right);
      EXPECT_EQ(IouWithItself(bow), larger > 3 * smaller ? 1.0f : 0.0f) << left << ", " << right;
    }
  }
}

}  // namespace
}  // namespace detops::poly_nms
