// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Pairs for which users of other libraries have reported wrong IoUs.

#include <gtest/gtest.h>

#include <cmath>

#include "detops/poly_nms.hpp"
#include "ops/poly_nms/test_polygons.h"

namespace detops::poly_nms {
namespace {

float IouOf(const Polygon& a, const Polygon& b) {
  float iou = -1;
  PolygonIou({a.data(), {1, 8}}, {b.data(), {1, 8}}, {&iou, {1, 1}});
  return iou;
}

constexpr double kDegree = 3.14159265358979323846 / 180;

TEST(PolygonIouKnownDefects, IdenticalBoxesWereOneThird) {
  for (const Polygon& box : {Rectangle(0, 0, 180.6422271729, 136.3633728027, 0.9559648633),
                             Rectangle(672.4067, 290.7776, 791.0275, 38.9333, 34.1454 * kDegree),
                             Rectangle(672.4067, 290.7776, 791.0275, 38.9333, 34.1454)}) {
    EXPECT_EQ(IouOf(box, box), 1.0f);
  }
}

TEST(PolygonIouKnownDefects, IdenticalBoxesWereZero) {
  const Polygon parallelogram{0, 0, 100, 0, 200, 100, 100, 100};
  EXPECT_EQ(IouOf(parallelogram, parallelogram), 1.0f);
  const Polygon diamond = Rectangle(0, 0, 2, 2, 45 * kDegree);
  EXPECT_EQ(IouOf(diamond, diamond), 1.0f);
}

TEST(PolygonIouKnownDefects, NearlyIdenticalBoxesWereMuchLessThanOne) {
  for (const double unit : {1.0, kDegree}) {
    EXPECT_GT(IouOf(Rectangle(296.6620178222656, 458.73883056640625, 23.515729904174805,
                              47.677001953125, 0.08795166015625 * unit),
                    Rectangle(296.66201, 458.73882, 23.51573, 47.67702, 0.087951 * unit)),
              0.9999f)
        << "was 0.60";
    EXPECT_GT(IouOf(Rectangle(2563.744628906250, 1436.7901611328125, 2174.7033691406250,
                              214.0950012207031, 115.1183471679688 * unit),
                    Rectangle(2563.744628906250, 1436.7902832031250, 2174.7028808593750,
                              214.0949554443359, 115.1183547973633 * unit)),
              0.9999f)
        << "was 0.58";
  }
}

TEST(PolygonIouKnownDefects, SharedEdgesAndCorners) {
  EXPECT_EQ(IouOf(Upright(-1, -1, 1, 1), Upright(-1, 1, 1, 3)), 0.0f) << "was 0.33";
  EXPECT_EQ(IouOf(Upright(0, 0, 8, 10), Upright(0, 0, 6, 8)), 0.6f) << "was 0.54 and 1";
}

TEST(PolygonIouKnownDefects, ResultsWereNegativeOrAboveOne) {
  const float small = IouOf(Rectangle(46.83, 44.03, 3.9, 1.63, 0),  //
                            Rectangle(46.83, 44.03, 1.63, 3.9, 1.45));
  EXPECT_GT(small, 0.8f);
  EXPECT_LT(small, 1.0f) << "was 1.35";
  // This one runs clockwise: its area and the intersection had the wrong sign.
  const Polygon clockwise{0, 0, 0, 2, 2, 2, 2, 0};
  EXPECT_EQ(IouOf(clockwise, Upright(1, 0, 3, 2)), static_cast<float>(1.0 / 3));
  EXPECT_EQ(IouOf(Upright(1, 0, 3, 2), clockwise), static_cast<float>(1.0 / 3));
}

TEST(PolygonIouKnownDefects, LargeCoordinatesLostPrecision) {
  // The spacing of floats near 1e8 is 8.
  const Polygon far = Upright(1e8f, 1e8f, 1e8f + 80, 1e8f + 40);
  EXPECT_EQ(IouOf(far, far), 1.0f) << "was 0";
  EXPECT_EQ(IouOf(far, Upright(1e8f, 1e8f, 1e8f + 40, 1e8f + 40)), 0.5f);
  const Polygon point = Upright(1e8f, 1e8f, 1e8f + 1, 1e8f + 1);
  EXPECT_EQ(IouOf(point, point), 0.0f) << "all four corners are the same float";
  const Polygon georeferenced = Upright(4'000'000, 500'000, 4'000'008, 500'008);
  EXPECT_EQ(IouOf(georeferenced, Upright(4'000'004, 500'000, 4'000'012, 500'008)),
            static_cast<float>(1.0 / 3));
}

TEST(PolygonIouKnownDefects, ConcavePolygonsWereReplacedByTheirHulls) {
  const Polygon arrow{0, 0, 4, 2, 0, 4, 1, 2};
  EXPECT_EQ(IouOf(arrow, Upright(-1, 1.5f, 1, 2.5f)), static_cast<float>(0.125 / (6 + 2 - 0.125)))
      << "only the parts beside the notch overlap";
  EXPECT_EQ(IouOf(arrow, arrow), 1.0f);
}

// The two lobes have opposite orientations, so they count with opposite signs.
TEST(PolygonIouKnownDefects, SelfIntersectingPolygonsFollowTheDefinition) {
  const Polygon bow{0, 0, 3, 3, 3, 0, 0, 3};  // equal lobes: the signed area is 0
  EXPECT_EQ(IouOf(bow, bow), 0.0f);
  const Polygon uneven{0, 0, 4, 4, 4, 0, 0, 2};
  const Polygon everything = Upright(-10, -10, 10, 10);
  const Corners corners = CornersAround({0, 0}, uneven.data());
  const double area = std::abs(SignedArea(corners.data(), 4));
  EXPECT_FLOAT_EQ(IouOf(uneven, everything), static_cast<float>(area / 400));
  // With itself, the lobes add up: to more than the union if one is more than three times as large
  // as the other (here four times), and otherwise the union is negative.
  EXPECT_EQ(IouOf(uneven, uneven), 1.0f);
  const Polygon less_uneven{0, 0, 4, 4, 4, 0, 0, 3};
  EXPECT_EQ(IouOf(less_uneven, less_uneven), 0.0f);
}

}  // namespace
}  // namespace detops::poly_nms
