// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference's IoU compared with two independent computations: GEOS, and sums of clipped
// triangles.

#include <geos_c.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "measure/slow_build.h"
#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/test_polygons.h"

namespace detops::poly_nms {
namespace {

using Triangle = std::array<Point, 3>;

// Returns the largest side of the bounding box.
double ExtentOf(const Corners& corners) {
  double extent = 0;
  for (const Point& a : corners) {
    for (const Point& b : corners) {
      extent = std::max({extent, a.x - b.x, a.y - b.y});
    }
  }
  return extent;
}

// Clips `a` by the sides of `b` and returns the area that is left. Both run counterclockwise.
double TriangleIntersection(const Triangle& a, const Triangle& b) {
  std::vector<Point> rest(a.begin(), a.end());
  for (size_t side = 0; side < 3; ++side) {
    const Point& from = b[side];
    const Point& to = b[(side + 1) % 3];
    std::vector<Point> inside;
    for (size_t i = 0; i < rest.size(); ++i) {
      const Point& p = rest[i];
      const Point& q = rest[(i + 1) % rest.size()];
      const double at_p = Cross(from, to, p);
      const double at_q = Cross(from, to, q);
      if (at_p >= 0) {
        inside.push_back(p);
      }
      if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
        const double t = at_p / (at_p - at_q);
        inside.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
      }
    }
    rest = inside;
  }
  return std::max(SignedArea(rest.data(), rest.size()), 0.0);
}

// Returns the intersection by its definition: a sum over pairs of signed triangles.
double TriangleSum(const Corners& a, const Corners& b) {
  double sum = 0;
  for (size_t i = 2; i < 4; ++i) {
    for (size_t j = 2; j < 4; ++j) {
      Triangle of_a{a[0], a[i - 1], a[i]};
      Triangle of_b{b[0], b[j - 1], b[j]};
      double sign = 1;
      for (Triangle* triangle : {&of_a, &of_b}) {
        if (SignedArea(triangle->data(), 3) < 0) {
          std::swap((*triangle)[1], (*triangle)[2]);
          sign = -sign;
        }
      }
      sum += sign * TriangleIntersection(of_a, of_b);
    }
  }
  return std::abs(sum);
}

// The areas of two polygons and of their intersection.
struct PairAreas {
  double area_a, area_b, inter;

  double base() const { return area_a + area_b - inter; }
  double Iou() const {
    return area_a == 0 || area_b == 0 || base() <= 0 ? 0 : std::clamp(inter / base(), 0.0, 1.0);
  }
};

PairAreas MeasureByTriangles(const Corners& a, const Corners& b) {
  return {std::abs(SignedArea(a.data(), 4)), std::abs(SignedArea(b.data(), 4)), TriangleSum(a, b)};
}

// Polygons of GEOS, which supports only those that do not cross themselves.
class Geos {
 public:
  Geos() : context_(GEOS_init_r(), GEOS_finish_r) {}

  using Geometry = std::unique_ptr<GEOSGeometry, std::function<void(GEOSGeometry*)>>;

  Geometry Make(const Corners& corners) const {
    GEOSCoordSequence* const ring = GEOSCoordSeq_create_r(context_.get(), 5, 2);
    for (unsigned i = 0; i < 5; ++i) {
      GEOSCoordSeq_setXY_r(context_.get(), ring, i, corners[i % 4].x, corners[i % 4].y);
    }
    return Own(GEOSGeom_createPolygon_r(
        context_.get(), GEOSGeom_createLinearRing_r(context_.get(), ring), nullptr, 0));
  }

  bool IsValid(const Geometry& polygon) const {
    return GEOSisValid_r(context_.get(), polygon.get()) == 1;
  }

  PairAreas Measure(const Geometry& a, const Geometry& b) const {
    const Geometry inter = Own(GEOSIntersection_r(context_.get(), a.get(), b.get()));
    return {AreaOf(a), AreaOf(b), inter == nullptr ? std::nan("") : AreaOf(inter)};
  }

 private:
  Geometry Own(GEOSGeometry* geometry) const {
    return {geometry,
            [context = context_.get()](GEOSGeometry* g) { GEOSGeom_destroy_r(context, g); }};
  }
  double AreaOf(const Geometry& geometry) const {
    double area = std::nan("");
    GEOSArea_r(context_.get(), geometry.get(), &area);
    return area;
  }

  std::unique_ptr<GEOSContextHandle_HS, void (*)(GEOSContextHandle_t)> context_;
};

// Returns 1e-6, or more if the union is tiny compared with the squared extent: the error of an area
// in double is proportional to the squared extent.
double ToleranceOf(const PairAreas& expected, double extent) {
  return 1e-6 * std::max(1.0, 1e-6 * extent * extent / std::abs(expected.base()));
}

struct PairCounts {
  int64_t pairs = 0;
  int64_t geos_pairs = 0;
  int64_t overlapping = 0;
};

// Compares all pairs of boxes.
void ComparePairs(const Geos& geos, const std::vector<float>& boxes, PairCounts& counts) {
  const Point origin{boxes[0], boxes[1]};
  const size_t count = boxes.size() / kBoxFloats;
  std::vector<Corners> corners(count);
  std::vector<Geos::Geometry> geometries(count);
  std::vector<bool> valid(count);
  for (size_t i = 0; i < count; ++i) {
    corners[i] = CornersAround(origin, &boxes[i * kBoxFloats]);
    geometries[i] = geos.Make(corners[i]);
    valid[i] = geos.IsValid(geometries[i]);
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i; j < count; ++j) {
      const float* const a = &boxes[i * kBoxFloats];
      const float* const b = &boxes[j * kBoxFloats];
      const double iou = ReferencePolygonIou(a, b);
      ASSERT_GE(iou, 0);
      ASSERT_LE(iou, 1);
      ASSERT_EQ(iou, ReferencePolygonIou(b, a)) << "boxes " << i << " and " << j;
      const double extent = std::max(ExtentOf(corners[i]), ExtentOf(corners[j]));
      const PairAreas triangles = MeasureByTriangles(corners[i], corners[j]);
      ASSERT_NEAR(iou, triangles.Iou(), ToleranceOf(triangles, extent))
          << "triangles, boxes " << i << " and " << j;
      if (valid[i] && valid[j]) {
        const PairAreas expected = geos.Measure(geometries[i], geometries[j]);
        ASSERT_NEAR(iou, expected.Iou(), ToleranceOf(expected, extent))
            << "GEOS, boxes " << i << " and " << j;
        ++counts.geos_pairs;
        counts.overlapping += iou > 0 && iou < 1 ? 1 : 0;
      }
      if (i == j && valid[i] && triangles.area_a >= 1e-6 * extent * extent) {
        ASSERT_EQ(static_cast<float>(iou), 1.0f) << "box " << i;
      }
      ++counts.pairs;
    }
  }
}

TEST(PolygonIouAccuracy, MatchesGeosAndSignedTriangles) {
  constexpr uint32_t kSeeds = kSlowBuild ? 10 : 70;
  const Geos geos;
  PairCounts counts;
  for (const Kind kind : kAllKinds) {
    if (kind == Kind::kExtremes) {
      continue;  // not finite, or too large for the arithmetic of GEOS
    }
    // Few boxes at a time, because then they are close together.
    for (uint32_t seed = 0; seed < kSeeds; ++seed) {
      ComparePairs(geos, RandomBoxes(kind, 24, seed), counts);
      ASSERT_FALSE(HasFatalFailure()) << NameOf(kind) << ", seed " << seed;
    }
  }
  EXPECT_GT(counts.pairs, 2'860 * kSeeds);
  EXPECT_GT(counts.geos_pairs, 2'145 * kSeeds) << "too few boxes are simple";
  EXPECT_GT(counts.overlapping, 715 * kSeeds) << "too few pairs overlap";
}

TEST(PolygonIouAccuracy, IsInRangeAndSymmetricForAnyNumbers) {
  const std::vector<float> boxes = RandomBoxes(Kind::kExtremes, 400, 1);
  for (size_t i = 0; i < boxes.size(); i += kBoxFloats) {
    for (size_t j = 0; j < boxes.size(); j += kBoxFloats) {
      const double iou = ReferencePolygonIou(&boxes[i], &boxes[j]);
      ASSERT_TRUE(iou >= 0 && iou <= 1) << iou;
      ASSERT_EQ(iou, ReferencePolygonIou(&boxes[j], &boxes[i]));
    }
  }
}

}  // namespace
}  // namespace detops::poly_nms
