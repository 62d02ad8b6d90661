// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <geos_c.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "detops/detops.hpp"
#include "measure/slow_build.h"
#include "ops/poly_nms/harness.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"
#include "runtime/queue.h"
#include "suppression/print_kept.h"
#include "testing/error_message.h"
#include "testing/gate.h"
#include "testing/guarded_buffer.h"
#include "testing/log_capture.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops::poly_nms {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

constexpr float kThresholds[] = {0.0f, 0.05f, 0.1f, 0.3f, 0.5f, 0.7f, 0.99f, 1.0f};

// Around every vector width, and more than the kernels pack at once.
constexpr int64_t kCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 127, 129};

// ---- The reference against others ---------------------------------------------------------------

struct Point {
  double x, y;
};
using Corners = std::array<Point, 4>;
using Triangle = std::array<Point, 3>;

Corners Around(const Point& origin, const float* polygon) {
  Corners corners;
  for (size_t i = 0; i < 4; ++i) {
    corners[i] = {polygon[2 * i] - origin.x, polygon[2 * i + 1] - origin.y};
  }
  return corners;
}

// Above 0 when c lies to the left of the line from a to b.
double Cross(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

double SignedArea(const Point* corners, size_t count) {
  double twice = 0;
  for (size_t i = 2; i < count; ++i) {
    twice += Cross(corners[0], corners[i - 1], corners[i]);
  }
  return twice / 2;
}

// The largest side of the bounding box.
double ExtentOf(const Corners& corners) {
  double extent = 0;
  for (const Point& a : corners) {
    for (const Point& b : corners) {
      extent = std::max({extent, a.x - b.x, a.y - b.y});
    }
  }
  return extent;
}

// Of two triangles that run anticlockwise: what the sides of `b` leave of `a`.
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

// The definition as the contract words it: the sum over pairs of signed triangles.
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

// An intersection and two areas, from whoever computed them.
struct Measured {
  double area_a, area_b, inter;

  double base() const { return area_a + area_b - inter; }
  double Iou() const {
    return area_a == 0 || area_b == 0 || base() <= 0 ? 0 : std::clamp(inter / base(), 0.0, 1.0);
  }
};

Measured MeasureByTriangles(const Corners& a, const Corners& b) {
  return {std::abs(SignedArea(a.data(), 4)), std::abs(SignedArea(b.data(), 4)), TriangleSum(a, b)};
}

// The polygons of GEOS. It knows only those that do not cross themselves.
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

  Measured Measure(const Geometry& a, const Geometry& b) const {
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

// 1e-6, as long as the union is not much smaller than the polygons are long: areas in double have
// errors in proportion to the squared extent.
double ToleranceOf(const Measured& expected, double extent) {
  return 1e-6 * std::max(1.0, 1e-6 * extent * extent / std::abs(expected.base()));
}

struct PairCounts {
  int64_t pairs = 0;
  int64_t pairs_of_geos = 0;
  int64_t overlapping = 0;
};

// Compares all pairs of some boxes.
void ComparePairs(const Geos& geos, const std::vector<float>& boxes, PairCounts& counts) {
  const Point origin{boxes[0], boxes[1]};
  const size_t count = boxes.size() / kBoxFloats;
  std::vector<Corners> corners(count);
  std::vector<Geos::Geometry> geometries(count);
  std::vector<bool> valid(count);
  for (size_t i = 0; i < count; ++i) {
    corners[i] = Around(origin, &boxes[i * kBoxFloats]);
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
      const Measured triangles = MeasureByTriangles(corners[i], corners[j]);
      ASSERT_NEAR(iou, triangles.Iou(), ToleranceOf(triangles, extent))
          << "triangles, boxes " << i << " and " << j;
      if (valid[i] && valid[j]) {
        const Measured expected = geos.Measure(geometries[i], geometries[j]);
        ASSERT_NEAR(iou, expected.Iou(), ToleranceOf(expected, extent))
            << "GEOS, boxes " << i << " and " << j;
        ++counts.pairs_of_geos;
        counts.overlapping += iou > 0 && iou < 1 ? 1 : 0;
      }
      if (i == j && valid[i] && triangles.area_a >= 1e-6 * extent * extent) {
        ASSERT_EQ(static_cast<float>(iou), 1.0f) << "box " << i;
      }
      ++counts.pairs;
    }
  }
}

TEST(PolygonIouAccuracy, IsThatOfGeosAndOfSignedTriangles) {
  constexpr uint32_t kSeeds = kSlowBuild ? 10 : 70;
  const Geos geos;
  PairCounts counts;
  for (const Kind kind : kAllKinds) {
    if (kind == Kind::kExtremes) {
      continue;  // what is not finite, and scales that GEOS cannot square
    }
    // Few boxes at a time lie close together.
    for (uint32_t seed = 0; seed < kSeeds; ++seed) {
      ComparePairs(geos, RandomBoxes(kind, 24, seed), counts);
      ASSERT_FALSE(HasFatalFailure()) << NameOf(kind) << ", seed " << seed;
    }
  }
  EXPECT_GT(counts.pairs, 2'860 * kSeeds);
  EXPECT_GT(counts.pairs_of_geos, 2'145 * kSeeds) << "hardly any is simple";
  EXPECT_GT(counts.overlapping, 715 * kSeeds) << "hardly any overlaps";
}

TEST(PolygonIouAccuracy, IsWithinBoundsAndSymmetricForAnyNumbers) {
  const std::vector<float> boxes = RandomBoxes(Kind::kExtremes, 400, 1);
  for (size_t i = 0; i < boxes.size(); i += kBoxFloats) {
    for (size_t j = 0; j < boxes.size(); j += kBoxFloats) {
      const double iou = ReferencePolygonIou(&boxes[i], &boxes[j]);
      ASSERT_TRUE(iou >= 0 && iou <= 1) << iou;
      ASSERT_EQ(iou, ReferencePolygonIou(&boxes[j], &boxes[i]));
    }
  }
}

using Polygon = std::array<float, 8>;

// By its centre, sides and rotation.
Polygon Rectangle(double x, double y, double width, double height, double radians) {
  Polygon polygon;
  const double signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (size_t i = 0; i < 4; ++i) {
    const double u = signs[i][0] * width / 2;
    const double v = signs[i][1] * height / 2;
    polygon[2 * i] = static_cast<float>(x + u * std::cos(radians) - v * std::sin(radians));
    polygon[2 * i + 1] = static_cast<float>(y + u * std::sin(radians) + v * std::cos(radians));
  }
  return polygon;
}

Polygon Upright(float x1, float y1, float x2, float y2) { return {x1, y1, x2, y1, x2, y2, x1, y2}; }

float IouOf(const Polygon& a, const Polygon& b) {
  float iou = -1;
  PolygonIou({a.data(), {1, 8}}, {b.data(), {1, 8}}, {&iou, {1, 1}});
  return iou;
}

constexpr double kDegree = 3.14159265358979323846 / 180;

// Each of these came out wrong somewhere, as users have reported.
TEST(PolygonIouKnownDefects, IdenticalBoxesThatWereAThird) {
  for (const Polygon& box : {Rectangle(0, 0, 180.6422271729, 136.3633728027, 0.9559648633),
                             Rectangle(672.4067, 290.7776, 791.0275, 38.9333, 34.1454 * kDegree),
                             Rectangle(672.4067, 290.7776, 791.0275, 38.9333, 34.1454)}) {
    EXPECT_EQ(IouOf(box, box), 1.0f);
  }
}

TEST(PolygonIouKnownDefects, IdenticalBoxesThatWereZero) {
  const Polygon parallelogram{0, 0, 100, 0, 200, 100, 100, 100};
  EXPECT_EQ(IouOf(parallelogram, parallelogram), 1.0f);
  const Polygon diamond = Rectangle(0, 0, 2, 2, 45 * kDegree);
  EXPECT_EQ(IouOf(diamond, diamond), 1.0f);
}

TEST(PolygonIouKnownDefects, NearlyIdenticalBoxesThatWereMuchLess) {
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

TEST(PolygonIouKnownDefects, CommonEdgesAndCorners) {
  EXPECT_EQ(IouOf(Upright(-1, -1, 1, 1), Upright(-1, 1, 1, 3)), 0.0f) << "was 0.33";
  EXPECT_EQ(IouOf(Upright(0, 0, 8, 10), Upright(0, 0, 6, 8)), 0.6f) << "was 0.54 and 1";
}

TEST(PolygonIouKnownDefects, AreNeitherNegativeNorAboveOne) {
  const float small = IouOf(Rectangle(46.83, 44.03, 3.9, 1.63, 0),  //
                            Rectangle(46.83, 44.03, 1.63, 3.9, 1.45));
  EXPECT_GT(small, 0.8f);
  EXPECT_LT(small, 1.0f) << "was 1.35";
  // The one runs clockwise: its area and the intersection had the wrong sign.
  const Polygon clockwise{0, 0, 0, 2, 2, 2, 2, 0};
  EXPECT_EQ(IouOf(clockwise, Upright(1, 0, 3, 2)), static_cast<float>(1.0 / 3));
  EXPECT_EQ(IouOf(Upright(1, 0, 3, 2), clockwise), static_cast<float>(1.0 / 3));
}

TEST(PolygonIouKnownDefects, FarFromTheOriginTheStoredNumbersCount) {
  // Floats near 1e8 are 8 apart.
  const Polygon far = Upright(1e8f, 1e8f, 1e8f + 80, 1e8f + 40);
  EXPECT_EQ(IouOf(far, far), 1.0f) << "was 0";
  EXPECT_EQ(IouOf(far, Upright(1e8f, 1e8f, 1e8f + 40, 1e8f + 40)), 0.5f);
  const Polygon point = Upright(1e8f, 1e8f, 1e8f + 1, 1e8f + 1);
  EXPECT_EQ(IouOf(point, point), 0.0f) << "nothing is left of it";
  const Polygon georeferenced = Upright(4'000'000, 500'000, 4'000'008, 500'008);
  EXPECT_EQ(IouOf(georeferenced, Upright(4'000'004, 500'000, 4'000'012, 500'008)),
            static_cast<float>(1.0 / 3));
}

TEST(PolygonIouKnownDefects, ConcaveOnesAreNotTheirHulls) {
  const Polygon arrow{0, 0, 4, 2, 0, 4, 1, 2};
  EXPECT_EQ(IouOf(arrow, Upright(-1, 1.5f, 1, 2.5f)), static_cast<float>(0.125 / (6 + 2 - 0.125)))
      << "only the corners beside the notch";
  EXPECT_EQ(IouOf(arrow, arrow), 1.0f);
}

// The two lobes turn in different senses, and the integral sees that.
TEST(PolygonIouKnownDefects, CrossingOnesFollowTheDefinition) {
  const Polygon bow{0, 0, 3, 3, 3, 0, 0, 3};  // equal lobes: no area at all
  EXPECT_EQ(IouOf(bow, bow), 0.0f);
  const Polygon uneven{0, 0, 4, 4, 4, 0, 0, 2};
  const Polygon everything = Upright(-10, -10, 10, 10);
  const Corners corners = Around({0, 0}, uneven.data());
  const double area = std::abs(SignedArea(corners.data(), 4));
  EXPECT_FLOAT_EQ(IouOf(uneven, everything), static_cast<float>(area / 400));
}

// ---- The IoU as a result, on every target -------------------------------------------------------

class PolygonIouKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PolygonIouKernel);

// With or without scores.
struct Polygons {
  Polygons(Kind kind, int64_t count_in, int64_t stride_in, uint32_t seed)
      : count(count_in), stride(stride_in) {
    const std::vector<float> boxes = RandomBoxes(kind, count, seed);
    for (int64_t i = 0; i < count; ++i) {
      const auto box = boxes.begin() + i * kBoxFloats;
      floats.insert(floats.end(), box, box + stride);
    }
  }

  int64_t count;
  int64_t stride;
  std::vector<float> floats;
};

IouArgs MakeArgs(const Polygons& first, const Polygons& second, bool aligned, float* ious) {
  return {first.floats.data(), second.floats.data(), first.count, second.count,
          first.stride,        second.stride,        aligned,     ious};
}

// 0 and -0 differ, too.
std::vector<uint32_t> BitsOf(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

std::vector<uint32_t> ReferenceIouBits(const Polygons& first, const Polygons& second,
                                       bool aligned) {
  IouArgs args = MakeArgs(first, second, aligned, nullptr);
  std::vector<float> ious(static_cast<size_t>(args.count()));
  args.ious = ious.data();
  ReferenceIou(args);
  return BitsOf(ious);
}

std::vector<uint32_t> RunIouBits(int thread_count, const Polygons& first, const Polygons& second,
                                 bool aligned) {
  IouArgs args = MakeArgs(first, second, aligned, nullptr);
  std::vector<float> ious(static_cast<size_t>(args.count()), -7.0f);
  args.ious = ious.data();
  Threads threads(thread_count);
  RunContext context{threads, nullptr};
  EXPECT_TRUE(RunIou(context, args).ok());
  return BitsOf(ious);
}

TEST_P(PolygonIouKernel, MatrixHasTheReferencesBits) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t stride : {8, 9}) {
      for (const int64_t rows : {1, 3, 18}) {
        const Polygons first(kind, rows, stride, 1);
        for (const int64_t columns : kCounts) {
          const Polygons second(kind, columns, 17 - stride, 2);
          ASSERT_EQ(RunIouBits(1, first, second, false), ReferenceIouBits(first, second, false))
              << NameOf(kind) << ", " << rows << " x " << columns << ", stride " << stride;
        }
      }
    }
  }
}

TEST_P(PolygonIouKernel, AlignedHasTheReferencesBits) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t stride : {8, 9}) {
      for (const int64_t count : kCounts) {
        const Polygons first(kind, count, stride, 1);
        // The same seed: many pairs overlap, some are identical.
        for (const uint32_t seed : {1u, 2u}) {
          const Polygons second(kind, count, 17 - stride, seed);
          ASSERT_EQ(RunIouBits(1, first, second, true), ReferenceIouBits(first, second, true))
              << NameOf(kind) << ", " << count << ", stride " << stride << ", seed " << seed;
        }
      }
    }
  }
}

TEST_P(PolygonIouKernel, BitsDoNotDependOnThreads) {
  for (const Kind kind : {Kind::kHeap, Kind::kNormal, Kind::kExtremes}) {
    const Polygons first(kind, 150, 8, 3);
    const Polygons second(kind, 301, 9, 4);
    const Polygons many(kind, 20'003, 9, 5);
    const Polygons as_many(kind, 20'003, 8, 6);
    const std::vector<uint32_t> expected = ReferenceIouBits(first, second, false);
    const std::vector<uint32_t> expected_aligned = ReferenceIouBits(many, as_many, true);
    for (const int threads : {1, 2, 7}) {
      ASSERT_EQ(RunIouBits(threads, first, second, false), expected)
          << NameOf(kind) << ", threads " << threads;
      ASSERT_EQ(RunIouBits(threads, many, as_many, true), expected_aligned)
          << NameOf(kind) << ", threads " << threads;
    }
  }
}

// Polygons and results that end at an unmapped page and start wherever that makes them start.
TEST_P(PolygonIouKernel, StaysInsideItsMemory) {
  for (const bool aligned : {false, true}) {
    for (const int64_t stride : {8, 9}) {
      for (const int64_t count : kCounts) {
        const Polygons first(Kind::kHeap, aligned ? count : 3, stride, 1);
        const Polygons second(Kind::kHeap, count, 17 - stride, 2);
        IouArgs args = MakeArgs(first, second, aligned, nullptr);
        const GuardedBuffer first_memory(first.floats.size() * sizeof(float));
        const GuardedBuffer second_memory(second.floats.size() * sizeof(float));
        const GuardedBuffer ious(static_cast<size_t>(args.count()) * sizeof(float));
        std::memcpy(first_memory.data(), first.floats.data(), first_memory.size());
        std::memcpy(second_memory.data(), second.floats.data(), second_memory.size());
        args.first = reinterpret_cast<const float*>(first_memory.data());
        args.second = reinterpret_cast<const float*>(second_memory.data());
        args.ious = reinterpret_cast<float*>(ious.data());
        // In two tiles, of which the second must not touch what the first has written.
        ComputeIous(args, {0, args.rows / 2, 0, args.columns});
        ComputeIous(args, {args.rows / 2, args.rows, 0, args.columns});
        const std::vector<uint32_t> expected = ReferenceIouBits(first, second, aligned);
        ASSERT_EQ(std::memcmp(ious.data(), expected.data(), ious.size()), 0)
            << count << ", stride " << stride << ", aligned " << aligned;
      }
    }
  }
}

// ---- What is kept, on every target --------------------------------------------------------------

class PolyNmsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PolyNmsKernel);

// A call and what must come out. Made once for all targets: the reference takes its time.
struct Scene {
  std::string name;
  Case input;
  Kept expected;
};

Scene MakeScene(const std::string& name, const Case& input) {
  return {name, input, RunReference(input)};
}

Scene MakeScene(const std::string& name, const std::vector<float>& boxes, float threshold) {
  Case input;
  input.boxes = boxes;
  input.iou_threshold = threshold;
  return MakeScene(name, input);
}

void ExpectScenes(const std::vector<Scene>& scenes, std::initializer_list<int> thread_counts) {
  for (const Scene& scene : scenes) {
    for (const int threads : thread_counts) {
      ASSERT_EQ(RunOn(threads, scene.input), scene.expected)
          << scene.name << ", threads " << threads << ", " << scene.input.ToString();
    }
  }
}

TEST_P(PolyNmsKernel, KeepsWhatTheReferenceKeeps) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const int64_t count : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 70, 159, 160, 161, 300}) {
        for (const float threshold : kThresholds) {
          result.push_back(MakeScene(
              NameOf(kind), RandomBoxes(kind, count, static_cast<uint32_t>(count)), threshold));
        }
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1});
}

// Some are searched for pairs all at once, heaps are gone through in blocks. A threshold that lets
// all of a heap stay fills the largest block.
TEST_P(PolyNmsKernel, ManyBoxesOnAnyNumberOfThreads) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const float threshold : {0.05f, 0.5f}) {
        result.push_back(MakeScene(NameOf(kind), RandomBoxes(kind, 700, 7), threshold));
      }
    }
    result.push_back(MakeScene("many aerial", RandomBoxes(Kind::kAerial, 8000, 8), 0.1f));
    result.push_back(MakeScene("many heaped", RandomBoxes(Kind::kHeap, 2100, 9), 0.999f));
    result.push_back(MakeScene("many crossing", RandomBoxes(Kind::kNormal, 2600, 10), 0.3f));
    return result;
  }();
  ExpectScenes(scenes, {1, 2, 7});
}

void Append(const std::vector<float>& boxes, float scale, float x, float y,
            std::vector<float>& scene) {
  for (size_t i = 0; i < boxes.size(); ++i) {
    const size_t field = i % kBoxFloats;
    scene.push_back(field == 8 ? boxes[i] : boxes[i] * scale + (field % 2 == 0 ? x : y));
  }
}

// Heaps far apart, sizes of 1e-3 to 1e4, coordinates of 1e6 and of 1e30.
std::vector<float> MixedScene(int64_t heap_size) {
  std::vector<float> scene;
  for (uint32_t heap = 0; heap < 5; ++heap) {
    Append(RandomBoxes(Kind::kHeap, heap_size, heap), 1, 1e5f * static_cast<float>(heap),
           -3e4f * static_cast<float>(heap), scene);
  }
  Append(RandomBoxes(Kind::kSizes, 150, 1), 1, 0, 0, scene);
  Append(RandomBoxes(Kind::kAerial, 150, 2), 1, 1e6f, 1e6f, scene);
  Append(RandomBoxes(Kind::kAerial, 100, 3), 4e27f, 0, 0, scene);
  Append(RandomBoxes(Kind::kExtremes, 50, 4), 1, 0, 0, scene);
  return scene;
}

TEST_P(PolyNmsKernel, ScalesAndPlacesMayBeMixed) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const float threshold : {0.0f, 0.1f, 0.5f, 0.9f}) {
      result.push_back(MakeScene("small heaps", MixedScene(5), threshold));
      result.push_back(MakeScene("large heaps", MixedScene(120), threshold));
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 7});
}

std::vector<float> Turned(std::vector<float> boxes, const std::function<bool(size_t)>& clockwise) {
  for (size_t i = 0; i < boxes.size() / kBoxFloats; ++i) {
    float* const box = &boxes[i * kBoxFloats];
    const Corners corners = Around({box[0], box[1]}, box);
    if ((SignedArea(corners.data(), 4) < 0) != clockwise(i)) {
      std::swap(box[2], box[6]);
      std::swap(box[3], box[7]);
    }
  }
  return boxes;
}

TEST_P(PolyNmsKernel, SenseOfRotationDoesNotMatter) {
  for (const Kind kind : {Kind::kAerial, Kind::kConcave, Kind::kHeap}) {
    for (const int64_t count : {100, 400}) {
      const std::vector<float> boxes = RandomBoxes(kind, count, 11);
      Case input;
      input.iou_threshold = 0.1f;
      input.boxes = Turned(boxes, [](size_t) { return true; });
      const Kept clockwise = RunOn(1, input);
      ASSERT_LT(clockwise.result_num[0], count) << "nothing was suppressed";
      ASSERT_EQ(clockwise, RunReference(input)) << NameOf(kind);
      input.boxes = Turned(boxes, [](size_t) { return false; });
      ASSERT_EQ(RunOn(1, input), clockwise) << NameOf(kind);
      input.boxes = Turned(boxes, [](size_t i) { return i % 3 == 0; });
      ASSERT_EQ(RunOn(1, input), clockwise) << NameOf(kind);
    }
  }
}

std::vector<float> WithScore(const Polygon& polygon, float score) {
  std::vector<float> box(polygon.begin(), polygon.end());
  box.push_back(score);
  return box;
}

// Two boxes whose IoU is a ratio of small integers.
struct ExactPair {
  Polygon first, second;
  double iou;
};

const std::vector<ExactPair>& ExactPairs() {
  static const std::vector<ExactPair> pairs = {
      {Upright(0, 0, 1, 1), Upright(0.5f, 0, 1.5f, 1), 1.0 / 3},
      {Upright(0, 0, 1, 1), Upright(0.5f, 0.5f, 1.5f, 1.5f), 1.0 / 7},
      {Upright(0, 0, 1, 1), Upright(0, 0, 2, 1), 0.5},
      {Upright(0, 0, 1, 1), Upright(0.25f, 0, 1.25f, 1), 0.6},
      {Upright(0, 0, 10, 10), Upright(0, 3, 10, 10), 0.7},
      {{0, 0, 2, 0, 2, 2, 0, 2}, {0, 0, 2, 0, 2, 2, 1, 1}, 0.5},
      {{0, 2, 2, 0, 4, 2, 2, 4}, {1, 3, 3, 1, 5, 3, 3, 5}, 1.0 / 3},
      {{0, 2, 2, 0, 4, 2, 2, 4}, {2, 4, 4, 2, 6, 4, 4, 6}, 0},
  };
  return pairs;
}

// Only what exceeds the threshold goes. No other place shows as well which arithmetic decides.
TEST_P(PolyNmsKernel, AnIouThatEqualsTheThresholdIsKept) {
  for (const ExactPair& pair : ExactPairs()) {
    const auto threshold = static_cast<float>(pair.iou);
    for (const float origin : {0.0f, 65536.0f}) {
      // One pair; many, far apart; and many in the same place.
      for (const int copies : {1, 150}) {
        for (const float step : {0.0f, 100.0f}) {
          Case input;
          for (int i = 0; i < copies; ++i) {
            const float x = origin + step * static_cast<float>(i);
            Append(WithScore(pair.first, 2), 1, x, origin, input.boxes);
            Append(WithScore(pair.second, 1), 1, x, origin, input.boxes);
          }
          const int32_t places = step == 0 ? 1 : copies;
          input.iou_threshold = threshold;
          const Kept kept = RunOn(1, input);
          ASSERT_EQ(kept.result_num[0], 2 * places) << pair.iou << ", " << copies << " copies";
          ASSERT_EQ(kept, RunReference(input));
          if (pair.iou > 0) {
            input.iou_threshold = std::nextafter(threshold, 0.0f);
            ASSERT_EQ(RunOn(1, input).result_num[0], places)
                << pair.iou << ", " << copies << " copies";
          }
        }
      }
    }
  }
}

// Thresholds that are the IoU of some pair, so the float path cannot decide them.
// Corners whose area is 0 and in float nearly 0: such a box suppresses nothing.
TEST_P(PolyNmsKernel, BoxesWhoseFloatAreaIsNoiseAreLeftToTheReference) {
  Case input;
  input.boxes = {1.1f, -2.2f, 4.4f, 0,    0,    -1.1f, 0,    4.4f,  1,  //
                 1.1f, 0,     0,    3.3f, 3.3f, 1.1f,  3.3f, -5.5f, 0};
  input.iou_threshold = 0.1f;
  EXPECT_EQ(RunOn(1, input), RunReference(input));
  EXPECT_EQ(RunOn(1, input).result_num[0], 2);
}

// Products of such sizes have no sign any more.
TEST_P(PolyNmsKernel, BoxesAsSmallAsFloatsCanDecide) {
  Case input;
  input.boxes = {-0x1.2b6908p-30f, -0x1.2b6908p-30f, 0x1.2b6908p-30f,
                 0x1.2b6908p-30f,  0x1.2b59cap-30f,  0x1.2b581ap-30f,
                 -0x1.2b68dep-30f, -0x1.2b68c6p-30f, 1,
                 -0x1.2b6908p-30f, -0x1.2b6908p-30f, 0x1.2b6908p-30f,
                 0x1.2b6908p-30f,  0x1.2b59cap-30f,  0x1.2b581ap-30f,
                 -0x1.2b68f2p-30f, -0x1.2b68c6p-30f, 0};
  input.iou_threshold = 0.975833118f;
  EXPECT_EQ(RunOn(1, input), RunReference(input));
  EXPECT_EQ(RunOn(1, input).result_num[0], 1);
  for (const Kind kind : {Kind::kHeap, Kind::kNormal, Kind::kLattice, Kind::kNearIdentical}) {
    for (const int exponent : {-38, -36, -34, -30, -27, 22, 24, 28}) {
      input.boxes = RandomBoxes(kind, 100, 4);
      for (size_t i = 0; i < input.boxes.size(); ++i) {
        if (i % kBoxFloats != 8) {
          input.boxes[i] = std::ldexp(input.boxes[i], exponent);
        }
      }
      for (const float threshold : {0.1f, 0.6f}) {
        input.iou_threshold = threshold;
        ASSERT_EQ(RunOn(1, input), RunReference(input)) << NameOf(kind) << " * 2^" << exponent;
      }
    }
  }
}

// A large box and a strip next to nothing wide: the reference's own rounding is more than the
// overlap of their bounding boxes, and a threshold beside it must not notice.
TEST_P(PolyNmsKernel, ThresholdsOfNextToNothing) {
  std::mt19937 random(31);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    const double size = std::ldexp(1.0, static_cast<int>(random() % 30));
    const double half_height = std::exp2(uniform(-29, -10));
    const double half_width = size * uniform(0.05, 0.6);
    const double turn = uniform(0, 6.3);
    const double x = uniform(-0.3, 0.3) * size;
    Case input;
    for (int i = 0; i < 4; ++i) {
      const double angle = turn + i * 1.5708;
      input.boxes.push_back(static_cast<float>(size * std::cos(angle) * uniform(0.8, 1.2)));
      input.boxes.push_back(static_cast<float>(size * std::sin(angle) * uniform(0.8, 1.2)));
    }
    input.boxes.push_back(1);
    for (const double value : {x - half_width, -half_height, x + half_width, -half_height,
                               x + half_width, half_height, x - half_width, half_height, 0.0}) {
      input.boxes.push_back(static_cast<float>(value));
    }
    const auto iou =
        static_cast<float>(ReferencePolygonIou(input.boxes.data(), input.boxes.data() + 9));
    for (const float threshold : {std::nextafter(iou, 0.0f), iou, iou / 2}) {
      input.iou_threshold = threshold;
      ASSERT_EQ(RunOn(1, input), RunReference(input)) << input.ToString();
    }
  }
}

TEST_P(PolyNmsKernel, ThresholdsThatPairsHitAreDecidedByTheReference) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (uint32_t seed = 0; seed < 400; ++seed) {
        const std::vector<float> boxes = RandomBoxes(kind, 8, seed);
        const auto iou =
            static_cast<float>(ReferencePolygonIou(boxes.data(), boxes.data() + kBoxFloats));
        if (iou > 0 && iou < 1) {
          for (const float threshold :
               {std::nextafter(iou, 0.0f), iou, std::nextafter(iou, 1.0f)}) {
            result.push_back(MakeScene(NameOf(kind), boxes, threshold));
          }
        }
      }
    }
    return result;
  }();
  ASSERT_GT(scenes.size(), 3000u);
  ExpectScenes(scenes, {1});
}

std::vector<int32_t> MakeGroups(int64_t count, const std::function<int32_t(int64_t)>& group) {
  std::vector<int32_t> groups;
  for (int64_t i = 0; i < count; ++i) {
    groups.push_back(group(i));
  }
  return groups;
}

TEST_P(PolyNmsKernel, GroupsKeepToThemselves) {
  static const std::vector<Scene> scenes = [] {
    constexpr int32_t kIds[] = {-5, 0, 7, INT32_MIN, INT32_MAX, -1};
    constexpr int64_t kCount = 700;
    const std::pair<const char*, std::vector<int32_t>> groupings[] = {
        {"few groups", MakeGroups(kCount, [&](int64_t i) { return kIds[i * i % 13 % 6]; })},
        {"one box each", MakeGroups(kCount, [](int64_t i) { return static_cast<int32_t>(-i); })},
        {"a large one and small ones",
         MakeGroups(kCount,
                    [](int64_t i) { return i % 3 != 0 ? 0 : static_cast<int32_t>(i % 60); })},
        {"small ones", MakeGroups(kCount, [](int64_t i) { return static_cast<int32_t>(i / 9); })}};
    std::vector<Scene> result;
    for (const Kind kind : {Kind::kAerial, Kind::kHeap, Kind::kNormal, Kind::kExtremes}) {
      for (const auto& [name, groups] : groupings) {
        Case input;
        input.boxes = RandomBoxes(kind, kCount, 13);
        input.groups = groups;
        input.iou_threshold = 0.2f;
        result.push_back(MakeScene(std::string(NameOf(kind)) + ", " + name, input));
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2, 7});
}

TEST_P(PolyNmsKernel, OptionsGoTogether) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    constexpr int64_t kCount = 180;
    const std::vector<int32_t> no_images;
    for (const Kind kind : {Kind::kAerial, Kind::kExtremes}) {
      Case input;
      input.boxes = RandomBoxes(kind, kCount, 14);
      input.iou_threshold = 0.1f;
      for (const float score : {kNaN, -kInfinity, 0.25f, 0.999f, kInfinity}) {
        input.has_score_threshold = !std::isnan(score);
        input.score_threshold = score;
        for (const int64_t max_outputs : {0, 1, 10, 1000}) {
          input.max_outputs = max_outputs;
          for (const bool sorted : {false, true}) {
            input.sort_by_score = sorted;
            for (const std::vector<int32_t>& images :
                 {no_images, {0, kCount, 0}, {50, 0, 1, 129}}) {
              input.image_counts = images;
              input.groups = max_outputs % 2 == 0
                                 ? std::vector<int32_t>()
                                 : MakeGroups(kCount, [](int64_t i) { return i % 2 - 1; });
              result.push_back(MakeScene(NameOf(kind), input));
            }
          }
        }
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2});
}

// With the workspace of the arguments.
Status RunArgs(int thread_count, const Args& args) {
  Threads threads(thread_count);
  RunContext context{threads, nullptr};
  return Run(context, args);
}

// Boxes, results and workspace that end at unmapped pages.
TEST_P(PolyNmsKernel, StaysInsideItsMemory) {
  std::vector<int64_t> counts = {160, 161, 333, 1100};
  for (int64_t count = 1; count <= 2 * suppression::kMaxLanes + 1; ++count) {
    counts.push_back(count);
  }
  for (const Kind kind : {Kind::kAerial, Kind::kHeap, Kind::kExtremes}) {
    for (const int64_t count : counts) {
      Case input;
      input.boxes = RandomBoxes(kind, count, 15);
      input.iou_threshold = 0.3f;
      const Kept expected = RunReference(input);
      const GuardedBuffer boxes(input.boxes.size() * sizeof(float));
      const GuardedBuffer output(static_cast<size_t>(count) * sizeof(int32_t));
      const GuardedBuffer result_num(sizeof(int32_t));
      const GuardedBuffer workspace(WorkspaceBytes(count));
      std::memcpy(boxes.data(), input.boxes.data(), boxes.size());
      std::memset(output.data(), -1, output.size());
      Args args = input.args(reinterpret_cast<int32_t*>(output.data()),
                             reinterpret_cast<int32_t*>(result_num.data()));
      args.boxes = reinterpret_cast<const float*>(boxes.data());
      args.workspace = workspace.data();
      ASSERT_TRUE(RunArgs(2, args).ok());
      ASSERT_EQ(std::memcmp(output.data(), expected.output.data(), output.size()), 0)
          << input.ToString();
      ASSERT_EQ(args.result_num[0], expected.result_num[0]) << input.ToString();
    }
  }
}

TEST_P(PolyNmsKernel, WorkspaceMayStartAnywhereAndNothingBesideItIsWritten) {
  for (const Kind kind : {Kind::kAerial, Kind::kHeap}) {
    for (const int64_t count : {3, 400}) {
      Case input;
      input.boxes = RandomBoxes(kind, count, 16);
      input.iou_threshold = 0.3f;
      const Kept expected = RunReference(input);
      const size_t bytes = WorkspaceBytes(count);
      for (const size_t shift : {0, 1, 2, 4, 31, 63, 64}) {
        std::vector<std::byte> memory(bytes + 128, std::byte{0x5A});
        const auto untouched = [](std::byte b) { return b == std::byte{0x5A}; };
        std::byte* const workspace = memory.data() + shift;
        Kept kept{std::vector<int32_t>(input.boxes.size() / kBoxFloats, -1), {-1}};
        Args args = input.args(kept.output.data(), kept.result_num.data());
        args.workspace = workspace;
        ASSERT_TRUE(RunArgs(1, args).ok());
        ASSERT_EQ(kept, expected) << NameOf(kind) << ", " << count << ", shift " << shift;
        ASSERT_TRUE(std::all_of(memory.data(), workspace, untouched)) << shift;
        ASSERT_TRUE(std::all_of(workspace + bytes, memory.data() + memory.size(), untouched))
            << shift;
      }
    }
  }
}

TEST(PolyNmsWorkspace, GrowsWithTheNumberOfBoxesAndNotFaster) {
  EXPECT_EQ(WorkspaceBytes(0), 0u);
  EXPECT_LT(WorkspaceBytes(1'000'000), size_t{500} * 1'000'000);
  EXPECT_LT(WorkspaceBytes(200'000'000), size_t{500} * 200'000'000);
  // What a million boxes more cost does not depend on how many there are.
  const size_t first = WorkspaceBytes(2'000'000) - WorkspaceBytes(1'000'000);
  const size_t later = WorkspaceBytes(101'000'000) - WorkspaceBytes(100'000'000);
  EXPECT_NEAR(static_cast<double>(later), static_cast<double>(first), 10'000);
}

// ---- The contract -------------------------------------------------------------------------------

// A handle, descriptors and a workspace, as a C program has them.
class MluOpPolyNms : public testing::Test {
 protected:
  MluOpPolyNms() {
    EXPECT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpCreateTensorDescriptor(&boxes_desc_), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpCreateTensorDescriptor(&output_desc_), MLUOP_STATUS_SUCCESS);
  }
  ~MluOpPolyNms() override {
    EXPECT_EQ(mluOpDestroyTensorDescriptor(boxes_desc_), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpDestroyTensorDescriptor(output_desc_), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
  }

  static void Set(mluOpTensorDescriptor_t desc, const std::vector<int64_t>& dims,
                  mluOpDataType_t dtype) {
    ASSERT_EQ(mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, dtype,
                                          static_cast<int>(dims.size()), dims.data()),
              MLUOP_STATUS_SUCCESS);
  }
  void SetShapes(const std::vector<int64_t>& boxes_dims, const std::vector<int64_t>& output_dims) {
    Set(boxes_desc_, boxes_dims, MLUOP_DTYPE_FLOAT);
    Set(output_desc_, output_dims, MLUOP_DTYPE_INT32);
  }
  void SetBoxes(const std::vector<float>& boxes) {
    boxes_ = boxes;
    const auto count = static_cast<int64_t>(boxes.size()) / kBoxFloats;
    SetShapes({count, 9}, {count});
    size_t bytes = 0;
    ASSERT_EQ(mluOpGetPolyNmsWorkspaceSize(handle_, boxes_desc_, &bytes), MLUOP_STATUS_SUCCESS);
    workspace_.resize(bytes);
    output_.assign(boxes.size() / kBoxFloats, -7);
    result_num_ = -7;
  }
  mluOpStatus_t Call(float threshold = 0.5f) {
    return mluOpPolyNms(handle_, boxes_desc_, boxes_.data(), threshold, workspace_.data(),
                        workspace_.size(), output_desc_, output_.data(), &result_num_);
  }
  // The kept indices; what lies behind them must be as it was.
  std::vector<int32_t> Keep(const std::vector<float>& boxes, float threshold) {
    SetBoxes(boxes);
    EXPECT_EQ(Call(threshold), MLUOP_STATUS_SUCCESS);
    EXPECT_TRUE(result_num_ >= 0 && result_num_ <= static_cast<int32_t>(output_.size()));
    const auto end = output_.begin() + result_num_;
    EXPECT_TRUE(std::all_of(end, output_.end(), [](int32_t i) { return i == -7; }));
    return {output_.begin(), end};
  }

  // The call fails with this status and one line, and writes nothing.
  void ExpectRefused(mluOpStatus_t expected, const std::string& why,
                     const std::function<mluOpStatus_t()>& call) {
    LogCapture log;
    const std::vector<int32_t> before = output_;
    EXPECT_EQ(call(), expected) << why;
    EXPECT_THAT(log.Take(), ElementsAre("mluOpPolyNms: " + why));
    EXPECT_EQ(detopsGetLastError(), "mluOpPolyNms: " + why);
    EXPECT_EQ(output_, before);
    EXPECT_EQ(result_num_, -7);
  }
  void ExpectBadParam(const std::string& why, float threshold = 0.5f) {
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, why, [&] { return Call(threshold); });
  }

  mluOpHandle_t handle_ = nullptr;
  mluOpTensorDescriptor_t boxes_desc_ = nullptr;
  mluOpTensorDescriptor_t output_desc_ = nullptr;
  std::vector<float> boxes_;
  std::vector<std::byte> workspace_;
  std::vector<int32_t> output_ = std::vector<int32_t>(3, -7);
  int32_t result_num_ = -7;
};

std::vector<float> Boxes(std::initializer_list<std::vector<float>> boxes) {
  std::vector<float> all;
  for (const std::vector<float>& box : boxes) {
    all.insert(all.end(), box.begin(), box.end());
  }
  return all;
}

// Two that overlap, with an IoU of 1 / 7, and one apart.
std::vector<float> ThreeBoxes(float score0, float score1, float score2) {
  return Boxes({WithScore(Upright(0, 0, 1, 1), score0),
                WithScore(Upright(0.5f, 0.5f, 1.5f, 1.5f), score1),
                {0, 0, -0.5f, 0, -0.5f, -0.5f, 0, -0.5f, score2}});
}

TEST_F(MluOpPolyNms, GivesTheSeedsExamples) {
  EXPECT_THAT(Keep(WithScore(Upright(0, 0, 1, 1), 3), 0.1f), ElementsAre(0));
  EXPECT_THAT(Keep(ThreeBoxes(1, 2, 3), 0.1f), ElementsAre(1, 2));
  EXPECT_THAT(
      Keep(Boxes({WithScore(Upright(0, 0, 1, 1), 3), WithScore(Upright(0.5f, 0.5f, 1.5f, 1.5f), 2),
                  WithScore(Upright(0, 0, 0.5f, 0.5f), 1)}),
           0.1f),
      ElementsAre(0));
  EXPECT_THAT(Keep(ThreeBoxes(3, 2, 1), 0.1f), ElementsAre(0, 2));
}

TEST_F(MluOpPolyNms, GivesTheSeedsExamplesOfSpecialNumbers) {
  const std::vector<float> second = WithScore(Upright(1.5f, 1.5f, 2.5f, 2.5f), 1);
  const std::vector<float> third = {0, 0, -0.5f, 0, -0.5f, -0.5f, 0, -0.5f, 3};
  const auto keep = [&](const std::vector<float>& first, const std::vector<float>& other) {
    return Keep(Boxes({first, other, third}), 0.05f);
  };
  const Polygon square = Upright(0, 0, 2, 2);
  EXPECT_THAT(keep(WithScore(square, kInfinity), second), ElementsAre(0, 2));
  EXPECT_THAT(keep(WithScore(square, -kInfinity), second), ElementsAre(1, 2));
  EXPECT_THAT(keep(WithScore(square, kNaN), second), ElementsAre(0, 2));
  EXPECT_THAT(keep({kInfinity, 0, 2, 0, 2, 2, kInfinity, 2, 2}, second), ElementsAre(0, 1, 2));
  EXPECT_THAT(keep({0, 0, kInfinity, kInfinity, 2, 2, 0, 2, 2},
                   {1.5f, 1.5f, kInfinity, kInfinity, 2.5f, 2.5f, 1.5f, 2.5f, 1}),
              ElementsAre(0, 1, 2));
  EXPECT_THAT(keep({0, 0, 2, 0, 2, 2, 0, kNaN, 2}, second), ElementsAre(0, 1, 2));
}

TEST_F(MluOpPolyNms, WhoIsSuppressedSuppressesNobody) {
  // Each overlaps the next by half.
  EXPECT_THAT(Keep(Boxes({WithScore(Upright(0, 0, 2, 1), 3), WithScore(Upright(1, 0, 3, 1), 2),
                          WithScore(Upright(2, 0, 4, 1), 1)}),
                   0.3f),
              ElementsAre(0, 2));
}

TEST_F(MluOpPolyNms, EqualScoresGoByIndexAndSuppress) {
  EXPECT_THAT(Keep(ThreeBoxes(1, 1, 1), 0.1f), ElementsAre(0, 2));
  EXPECT_THAT(Keep(ThreeBoxes(-0.0f, 0.0f, 1), 0.1f), ElementsAre(0, 2));
  EXPECT_THAT(Keep(ThreeBoxes(0.0f, -0.0f, 1), 0.1f), ElementsAre(0, 2));
  EXPECT_THAT(Keep(ThreeBoxes(kNaN, kNaN, 1), 0.1f), ElementsAre(0, 2));
  EXPECT_THAT(Keep(ThreeBoxes(kInfinity, kNaN, 1), 0.1f), ElementsAre(1, 2)) << "NaN goes first";
  EXPECT_THAT(Keep(ThreeBoxes(-kInfinity, -3e38f, 1), 0.1f), ElementsAre(1, 2));
}

TEST_F(MluOpPolyNms, BoxesWithoutAreaAreKeptAndSuppressNothing) {
  EXPECT_THAT(Keep(Boxes({WithScore(Upright(1, 1, 1, 1), 4), WithScore(Upright(0, 0, 2, 2), 3),
                          WithScore(Upright(1, 0, 1, 2), 2), WithScore(Upright(1, 1, 1, 1), 1)}),
                   0.0f),
              ElementsAre(0, 1, 2, 3));
}

TEST_F(MluOpPolyNms, ThresholdZeroKeepsWhatOnlyTouchesAndHighOnesKeepAll) {
  EXPECT_THAT(Keep(Boxes({WithScore(Upright(0, 0, 1, 1), 3), WithScore(Upright(1, 0, 2, 1), 2),
                          WithScore(Upright(1.5f, 0, 2.5f, 1), 1)}),
                   0.0f),
              ElementsAre(0, 1));
  const std::vector<float> twice =
      Boxes({WithScore(Upright(0, 0, 1, 1), 1), WithScore(Upright(0, 0, 1, 1), 1)});
  EXPECT_THAT(Keep(twice, 0.999f), ElementsAre(0));
  for (const float threshold : {1.0f, 5.0f, kInfinity}) {
    EXPECT_THAT(Keep(twice, threshold), ElementsAre(0, 1));
  }
}

TEST_F(MluOpPolyNms, NoBoxesWriteTheirCountAndNeedNoMemory) {
  SetShapes({0, 9}, {0});
  size_t bytes = 1;
  ASSERT_EQ(mluOpGetPolyNmsWorkspaceSize(handle_, boxes_desc_, &bytes), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(mluOpPolyNms(handle_, boxes_desc_, nullptr, 0.5f, nullptr, 0, output_desc_, nullptr,
                         &result_num_),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(result_num_, 0);
}

TEST_F(MluOpPolyNms, NoBoxesOnAQueueWriteTheirCountInItsOrder) {
  cnrtQueue_t queue;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle_, queue), MLUOP_STATUS_SUCCESS);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue).ok());
  SetShapes({0, 9}, {0});
  EXPECT_EQ(mluOpPolyNms(handle_, boxes_desc_, nullptr, 0.5f, nullptr, 0, output_desc_, nullptr,
                         &result_num_),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(result_num_, -7) << "written before its turn";
  gate.Open();
  EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
  EXPECT_EQ(result_num_, 0);
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST_F(MluOpPolyNms, RunsOnAQueueAndDescriptorsMayGo) {
  cnrtQueue_t queue;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle_, queue), MLUOP_STATUS_SUCCESS);
  SetBoxes(ThreeBoxes(3, 2, 1));
  ASSERT_EQ(Call(0.1f), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpResetTensorDescriptor(boxes_desc_), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpResetTensorDescriptor(output_desc_), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(cnrtQueueSync(queue), cnrtSuccess);
  EXPECT_EQ(result_num_, 2);
  EXPECT_THAT(output_, ElementsAre(0, 2, -7));
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST_F(MluOpPolyNms, RefusesWrongShapesAndTypes) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  SetShapes({3, 9, 1}, {3});
  ExpectBadParam("boxes has shape float[3,9,1]; it must have rank 2");
  SetShapes({27}, {3});
  ExpectBadParam("boxes has shape float[27]; it must have rank 2");
  SetShapes({3, 9}, {3, 1});
  ExpectBadParam("output has shape int32[3,1]; it must have rank 1");
  SetShapes({3, 8}, {3});
  ExpectBadParam("boxes has shape float[3,8]; dimension 1 must be 9");
  SetShapes({0, 8}, {0});
  ExpectBadParam("boxes has shape float[0,8]; dimension 1 must be 9");
  SetShapes({3, 9}, {2});
  ExpectBadParam("output has shape int32[2]; dimension 0 must be 3");
  SetShapes({0, 9}, {3});
  ExpectBadParam("output has shape int32[3]; dimension 0 must be 0");
  SetShapes({3, 9}, {3});
  Set(boxes_desc_, {3, 9}, MLUOP_DTYPE_HALF);
  ExpectBadParam("boxes has type half; it must be float");
  Set(boxes_desc_, {3, 9}, MLUOP_DTYPE_FLOAT);
  Set(output_desc_, {3}, MLUOP_DTYPE_FLOAT);
  ExpectBadParam("output has type float; it must be int32");
}

TEST_F(MluOpPolyNms, RefusesThresholdsThatMeanNothing) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  ExpectBadParam("iou_threshold is nan; it must be 0 or more", kNaN);
  ExpectBadParam("iou_threshold is -0.5; it must be 0 or more", -0.5f);
  ExpectBadParam("iou_threshold is -inf; it must be 0 or more", -kInfinity);
}

TEST_F(MluOpPolyNms, RefusesNullsAndDescriptorsThatWereNeverSet) {
  const auto call = [&](mluOpHandle_t handle, mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                        void* workspace, mluOpTensorDescriptor_t output_desc, void* output,
                        void* result_num) {
    return [=, this] {
      return mluOpPolyNms(handle, boxes_desc, boxes, 0.5f, workspace, workspace_.size(),
                          output_desc, output, result_num);
    };
  };
  const mluOpStatus_t bad = MLUOP_STATUS_BAD_PARAM;
  boxes_ = ThreeBoxes(3, 2, 1);
  ExpectBadParam("boxes_desc was never set; call mluOpSetTensorDescriptor first");
  Set(boxes_desc_, {3, 9}, MLUOP_DTYPE_FLOAT);
  ExpectBadParam("output_desc was never set; call mluOpSetTensorDescriptor first");
  SetBoxes(boxes_);
  const float* const boxes = boxes_.data();
  std::byte* const space = workspace_.data();
  int32_t* const out = output_.data();
  int32_t* const num = &result_num_;
  ExpectRefused(bad, "handle is NULL; it must be a valid pointer",
                call(nullptr, boxes_desc_, boxes, space, output_desc_, out, num));
  ExpectRefused(bad, "boxes_desc is NULL; it must be a tensor descriptor",
                call(handle_, nullptr, boxes, space, output_desc_, out, num));
  ExpectRefused(bad, "boxes is NULL; it must be a valid pointer",
                call(handle_, boxes_desc_, nullptr, space, output_desc_, out, num));
  ExpectRefused(bad, "workspace is NULL; it must be a valid pointer",
                call(handle_, boxes_desc_, boxes, nullptr, output_desc_, out, num));
  ExpectRefused(bad, "output_desc is NULL; it must be a tensor descriptor",
                call(handle_, boxes_desc_, boxes, space, nullptr, out, num));
  ExpectRefused(bad, "output is NULL; it must be a valid pointer",
                call(handle_, boxes_desc_, boxes, space, output_desc_, nullptr, num));
  ExpectRefused(bad, "result_num is NULL; it must be a valid pointer",
                call(handle_, boxes_desc_, boxes, space, output_desc_, out, nullptr));
  SetShapes({0, 9}, {0});
  ExpectRefused(bad, "result_num is NULL; it must be a valid pointer",
                call(handle_, boxes_desc_, nullptr, nullptr, output_desc_, nullptr, nullptr));
}

TEST_F(MluOpPolyNms, RefusesAWorkspaceThatIsTooSmall) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  const std::string needed = std::to_string(workspace_.size());
  workspace_.pop_back();
  ExpectBadParam("workspace_size is " + std::to_string(workspace_.size()) +
                 "; it must be at least " + needed);
}

TEST_F(MluOpPolyNms, WorkspaceSizeRefusesWhatTheCallRefuses) {
  const auto refused = [&](mluOpHandle_t handle, mluOpTensorDescriptor_t desc, size_t* size,
                           mluOpStatus_t status, const std::string& why) {
    LogCapture log;
    EXPECT_EQ(mluOpGetPolyNmsWorkspaceSize(handle, desc, size), status);
    EXPECT_THAT(log.Take(), ElementsAre("mluOpGetPolyNmsWorkspaceSize: " + why));
  };
  size_t size = 77;
  const mluOpStatus_t bad = MLUOP_STATUS_BAD_PARAM;
  refused(handle_, boxes_desc_, &size, bad,
          "boxes_desc was never set; call mluOpSetTensorDescriptor first");
  SetShapes({3, 9}, {3});
  refused(nullptr, boxes_desc_, &size, bad, "handle is NULL; it must be a valid pointer");
  refused(handle_, nullptr, &size, bad, "boxes_desc is NULL; it must be a tensor descriptor");
  refused(handle_, boxes_desc_, nullptr, bad, "size is NULL; it must be a valid pointer");
  SetShapes({3, 8}, {3});
  refused(handle_, boxes_desc_, &size, bad, "boxes has shape float[3,8]; dimension 1 must be 9");
  SetShapes({9}, {3});
  refused(handle_, boxes_desc_, &size, bad, "boxes has shape float[9]; it must have rank 2");
  Set(boxes_desc_, {3, 9}, MLUOP_DTYPE_INT32);
  refused(handle_, boxes_desc_, &size, bad, "boxes has type int32; it must be float");
  SetShapes({238609295, 9}, {238609295});
  refused(handle_, boxes_desc_, &size, MLUOP_STATUS_NOT_SUPPORTED,
          "boxes has shape float[238609295,9]; it must have fewer than 2^31 elements");
  EXPECT_EQ(size, 77u);
}

TEST_F(MluOpPolyNms, DoesNotSupportStridesAndHugeTensors) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  const int64_t dims[] = {3, 9};
  const int64_t strides[] = {10, 1};
  ASSERT_EQ(mluOpSetTensorDescriptorEx_v2(boxes_desc_, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2,
                                          dims, strides),
            MLUOP_STATUS_SUCCESS);
  ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED,
                "boxes has shape float[3,9] and strides [10,1]; it must be contiguous",
                [&] { return Call(); });
  SetShapes({3, 9}, {3});
  const int64_t two = 2;
  ASSERT_EQ(mluOpSetTensorDescriptorEx_v2(output_desc_, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, 1,
                                          dims, &two),
            MLUOP_STATUS_SUCCESS);
  ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED,
                "output has shape int32[3] and strides [2]; it must be contiguous",
                [&] { return Call(); });
  SetShapes({238609295, 9}, {238609295});
  ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED,
                "boxes has shape float[238609295,9]; it must have fewer than 2^31 elements",
                [&] { return Call(); });
}

TEST_F(MluOpPolyNms, LayoutIsNotLookedAt) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  const int dims[] = {3, 9};
  ASSERT_EQ(mluOpSetTensorDescriptor(boxes_desc_, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 2, dims),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(MluOpPolyNms, LogsEachCallAtDebugLevel) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  LogCapture log(DETOPS_LOG_DEBUG);
  ASSERT_EQ(Call(0.25f), MLUOP_STATUS_SUCCESS);
  SetShapes({0, 9}, {0});
  ASSERT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(),
              ElementsAre("mluOpPolyNms: boxes float[3,9], iou_threshold 0.25, images 1",
                          "mluOpPolyNms: boxes float[0,9], iou_threshold 0.5, images 1"));
}

#if defined(__SSE2__)
TEST_F(MluOpPolyNms, DecidesInTheDefaultFloatModeAndRestoresTheCallers) {
  const float tiny = 1e-40f;                                  // a denormal
  SetBoxes(Boxes({WithScore(Upright(10, 0, 11, 1), 3),        //
                  WithScore(Upright(10.5f, 0, 11.5f, 1), 2),  // 1 / 3 of the first
                  WithScore(Upright(0, 0, tiny, tiny), 0),
                  // The same again: of a higher score where denormals are numbers.
                  WithScore(Upright(0, 0, tiny, tiny), tiny)}));
  // Rounded down, 1 / 3 would be just this, and not exceed it.
  const float threshold = std::nextafter(static_cast<float>(1.0 / 3), 0.0f);
  const uint32_t saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040 | 0x2000);  // no denormals, round down
  const uint32_t unusual = _mm_getcsr();
  const mluOpStatus_t status = Call(threshold);
  const uint32_t after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(status, MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(after, unusual);
  EXPECT_EQ(result_num_, 2);
  EXPECT_THAT(output_, ElementsAre(0, 3, -7, -7));
}
#endif

// ---- C++ ----------------------------------------------------------------------------------------

// Four squares in one place but for little, scores 0.1 to 0.4, and one apart.
class PolyNmsCpp : public testing::Test {
 protected:
  PolyNmsResult Keep(const PolyNmsOptions& options) {
    return PolyNms({boxes_.data(), {5, 9}}, options);
  }

  const std::vector<float> boxes_ =
      Boxes({WithScore(Upright(0, 0, 10, 10), 0.1f), WithScore(Upright(0, 0, 10, 9.5f), 0.2f),
             WithScore(Upright(0, 0, 10, 9), 0.3f), WithScore(Upright(0, 0, 10, 8.5f), 0.4f),
             WithScore(Upright(50, 0, 60, 10), 0.05f)});
};

TEST_F(PolyNmsCpp, KeepsTheHighestScores) {
  const PolyNmsResult result = Keep({});
  EXPECT_THAT(result.indices, ElementsAre(3, 4));
  EXPECT_THAT(result.counts, ElementsAre(2));
}

TEST_F(PolyNmsCpp, Groups) {
  const int32_t groups[] = {-1, 7, -1, 7, -1};
  PolyNmsOptions options;
  options.groups = ConstTensorView(groups, {5});
  EXPECT_THAT(Keep(options).indices, ElementsAre(2, 3, 4));
  const int32_t own_groups[] = {1, 2, 3, 4, 5};
  options.groups = ConstTensorView(own_groups, {5});
  EXPECT_THAT(Keep(options).indices, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(PolyNmsCpp, ScoreThresholdLeavesOutWhatIsNotAbove) {
  PolyNmsOptions options;
  options.iou_threshold = 1;
  options.score_threshold = 0.2f;
  EXPECT_THAT(Keep(options).indices, ElementsAre(2, 3)) << "0.2 is not above 0.2";
  options.score_threshold = kInfinity;
  EXPECT_THAT(Keep(options).indices, IsEmpty());
  std::vector<float> boxes = boxes_;
  boxes[8] = kNaN;
  EXPECT_THAT(PolyNms({boxes.data(), {5, 9}}, options).indices, ElementsAre(0)) << "NaN stays";
}

TEST_F(PolyNmsCpp, MaxOutputsAndOrder) {
  PolyNmsOptions options;
  options.iou_threshold = 1;
  options.sort_by_score = true;
  EXPECT_THAT(Keep(options).indices, ElementsAre(3, 2, 1, 0, 4));
  options.max_outputs = 3;
  EXPECT_THAT(Keep(options).indices, ElementsAre(3, 2, 1));
  options.sort_by_score = false;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 2, 3));
  options.max_outputs = 1;
  EXPECT_THAT(Keep(options).indices, ElementsAre(3));
  options.max_outputs = 0;
  const PolyNmsResult none = Keep(options);
  EXPECT_THAT(none.indices, IsEmpty());
  EXPECT_THAT(none.counts, ElementsAre(0));
  options.max_outputs = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(Keep(options).indices, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(PolyNmsCpp, ImagesDoNotMeet) {
  const int32_t image_counts[] = {0, 2, 3, 0};
  PolyNmsOptions options;
  options.image_counts = ConstTensorView(image_counts, {4});
  const PolyNmsResult result = Keep(options);
  EXPECT_THAT(result.indices, ElementsAre(1, 3, 4));
  EXPECT_THAT(result.counts, ElementsAre(0, 1, 2, 0));
  options.max_outputs = 1;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3));

  options.image_counts = ConstTensorView(image_counts, {0});
  const PolyNmsResult no_images = PolyNms({boxes_.data(), {0, 9}}, options);
  EXPECT_THAT(no_images.indices, IsEmpty());
  EXPECT_THAT(no_images.counts, IsEmpty());
}

TEST_F(PolyNmsCpp, WritesToMemoryOfTheCallerOnAQueue) {
  Context context;
  Queue queue;
  context.SetQueue(queue);
  int32_t output[] = {-7, -7, -7, -7, -7};
  int32_t result_num = -7;
  PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {&result_num, {1}});
  queue.Sync();
  EXPECT_THAT(output, ElementsAre(3, 4, -7, -7, -7));
  EXPECT_EQ(result_num, 2);
}

TEST_F(PolyNmsCpp, EntriesBehindMaxOutputsAreLeftAsTheyWere) {
  Context context;
  int32_t output[] = {-7, -7, -7, -7, -7};
  int32_t result_num = -7;
  PolyNmsOptions options;
  options.iou_threshold = 1;
  options.max_outputs = 2;
  PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {&result_num, {1}}, options);
  EXPECT_EQ(result_num, 2);
  EXPECT_THAT(output, ElementsAre(2, 3, -7, -7, -7));
}

struct CopyArgs {
  const float* from;
  float* to;
};

Status CopyBoxes(RunContext&, const CopyArgs& args) {
  std::memcpy(args.to, args.from, 5 * kBoxFloats * sizeof(float));
  return {};
}

TEST_F(PolyNmsCpp, ResultsThatAreReturnedWaitForTheQueue) {
  Context context;
  const Queue queue;
  context.SetQueue(queue);
  float boxes[5 * kBoxFloats] = {};
  ASSERT_TRUE(
      queue.get()->Submit(Job::Make<CopyBoxes>("test", CopyArgs{boxes_.data(), boxes})).ok());
  EXPECT_THAT(PolyNms(context, {boxes, {5, 9}}).indices, ElementsAre(3, 4));
}

TEST_F(PolyNmsCpp, WrongImageCountsAreAnErrorOfTheData) {
  LogCapture log;
  const std::pair<std::vector<int32_t>, std::string> wrong[] = {
      {{2, 2}, "PolyNms: image_counts add up to 4; they must add up to 5, the number of boxes"},
      {{INT32_MAX, INT32_MAX},
       "PolyNms: image_counts add up to 4294967294; they must add up to 5, the number of boxes"},
      {{6, -1}, "PolyNms: image_counts[1] is -1; it must be 0 or more"}};
  for (const auto& [image_counts, message] : wrong) {
    PolyNmsOptions options;
    options.image_counts = ConstTensorView(image_counts.data(), {2});
    int32_t output[] = {-7, -7, -7, -7, -7};
    int32_t result_num[] = {-7, -7};
    for (const bool queued : {false, true}) {
      Context context;
      Queue queue;
      if (queued) {
        context.SetQueue(queue);
      }
      const auto call = [&] {
        PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {result_num, {2}}, options);
      };
      std::string found;
      try {
        call();
        EXPECT_TRUE(queued) << "nothing was thrown";
        queue.Sync();
      } catch (const Error& error) {
        EXPECT_EQ(error.status(), MLUOP_STATUS_BAD_PARAM);
        found = error.what();
      }
      EXPECT_EQ(found, message) << "queued " << queued;
      EXPECT_THAT(log.Take(), ElementsAre(message)) << "queued " << queued;
      EXPECT_THAT(output, ElementsAre(-7, -7, -7, -7, -7));
      EXPECT_THAT(result_num, ElementsAre(-7, -7));
      // Reported once, and later work is not affected.
      queue.Sync();
      PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {result_num, {1}});
      queue.Sync();
      EXPECT_EQ(result_num[0], 2);
      std::fill_n(output, 5, -7);
      result_num[0] = -7;
    }
  }
}

TEST_F(PolyNmsCpp, LogsItsOptions) {
  const int32_t groups[] = {0, 0, 0, 0, 1};
  const int32_t image_counts[] = {2, 3};
  PolyNmsOptions options;
  options.iou_threshold = 0.25f;
  options.score_threshold = 0.125f;
  options.max_outputs = 4;
  options.sort_by_score = true;
  options.groups = ConstTensorView(groups, {5});
  options.image_counts = ConstTensorView(image_counts, {2});
  Keep(options);  // the first context of a process logs what the library is
  LogCapture log(DETOPS_LOG_DEBUG);
  Keep(options);
  EXPECT_THAT(log.Take(),
              ElementsAre("PolyNms: boxes float[5,9], iou_threshold 0.25, score_threshold 0.125, "
                          "max_outputs 4, sorted by score, by group, images 2"));
}

TEST(PolygonIouCpp, MatrixAndAligned) {
  const std::vector<float> boxes1 =
      Boxes({WithScore(Upright(0, 0, 1, 1), 9), WithScore(Upright(5, 5, 6, 6), 9)});
  const Polygon polygons2[] = {Upright(0, 0, 2, 1), Upright(5, 5, 6, 6)};
  float ious[4] = {-7, -7, -7, -7};
  PolygonIou({boxes1.data(), {2, 9}}, {polygons2[0].data(), {2, 8}}, {ious, {2, 2}});
  EXPECT_THAT(ious, ElementsAre(0.5f, 0, 0, 1));
  float aligned[2] = {-7, -7};
  Context context;
  Queue queue;
  context.SetQueue(queue);
  PolygonIouAligned(context, {boxes1.data(), {2, 9}}, {polygons2[0].data(), {2, 8}},
                    {aligned, {2}});
  queue.Sync();
  EXPECT_THAT(aligned, ElementsAre(0.5f, 1));
  const float* const none = nullptr;
  float* const no_ious = nullptr;
  PolygonIou({none, {0, 8}}, {none, {3, 8}}, {no_ious, {0, 3}});
  PolygonIouAligned({none, {0, 9}}, {none, {0, 8}}, {no_ious, {0}});
}

TEST_F(PolyNmsCpp, ThrowsTheMessageOfTheCApi) {
  LogCapture log;
  const int32_t integers[5] = {};
  int32_t output[5] = {};
  const auto with = [&](const std::function<void(PolyNmsOptions&)>& set) {
    PolyNmsOptions options;
    set(options);
    return MessageOf([&] { Keep(options); });
  };
  EXPECT_EQ(with([](PolyNmsOptions& o) { o.iou_threshold = -1; }),
            "PolyNms: iou_threshold is -1; it must be 0 or more");
  EXPECT_EQ(with([](PolyNmsOptions& o) { o.score_threshold = kNaN; }),
            "PolyNms: score_threshold is NaN; it must be a number");
  EXPECT_EQ(with([](PolyNmsOptions& o) { o.max_outputs = -1; }),
            "PolyNms: max_outputs is -1; it must be 0 to 9223372036854775807");
  EXPECT_EQ(with([&](PolyNmsOptions& o) { o.groups = ConstTensorView(integers, {4}); }),
            "PolyNms: groups has shape int32[4]; dimension 0 must be 5");
  EXPECT_EQ(with([&](PolyNmsOptions& o) {
              o.groups = ConstTensorView(integers, {5, 1});
            }),
            "PolyNms: groups has shape int32[5,1]; it must have rank 1");
  EXPECT_EQ(with([&](PolyNmsOptions& o) { o.groups = ConstTensorView(boxes_.data(), {5}); }),
            "PolyNms: groups has type float; it must be int32");
  EXPECT_EQ(with([&](PolyNmsOptions& o) {
              o.groups = ConstTensorView(static_cast<const int32_t*>(nullptr), {5});
            }),
            "PolyNms: groups is NULL; it must be a valid pointer");
  EXPECT_EQ(with([&](PolyNmsOptions& o) {
              o.image_counts = ConstTensorView(integers, {1, 1});
            }),
            "PolyNms: image_counts has shape int32[1,1]; it must have rank 1");
  EXPECT_EQ(with([&](PolyNmsOptions& o) {
              o.image_counts = ConstTensorView(static_cast<const int32_t*>(nullptr), {1});
            }),
            "PolyNms: image_counts is NULL; it must be a valid pointer");
  EXPECT_EQ(MessageOf([&] {
              PolyNms({boxes_.data(), {5, 8}});
            }),
            "PolyNms: boxes has shape float[5,8]; dimension 1 must be 9");
  EXPECT_EQ(MessageOf([&] {
              PolyNms({boxes_.data(), {45}});
            }),
            "PolyNms: boxes has shape float[45]; it must have rank 2");
  Context context;
  EXPECT_EQ(MessageOf([&] {
              PolyNms(context, {boxes_.data(), {5, 9}}, {output, {4}}, {output, {1}});
            }),
            "PolyNms: output has shape int32[4]; dimension 0 must be 5");
  EXPECT_EQ(MessageOf([&] {
              PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {output, {2}});
            }),
            "PolyNms: result_num has shape int32[2]; dimension 0 must be 1");
}

TEST(PolygonIouCpp, ThrowsTheMessageOfTheCApi) {
  LogCapture log;
  const float polygons[27] = {};
  const int32_t integers[27] = {};
  float ious[9] = {};
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {1, 8}}, {polygons, {1, 7}}, {ious, {1, 1}});
            }),
            "PolygonIou: polygons2 is float[1,7], expected 8 or 9 numbers in dimension 1");
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({integers, {1, 8}}, {polygons, {1, 8}}, {ious, {1, 1}});
            }),
            "PolygonIou: polygons1 has type int32; it must be float");
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {8}}, {polygons, {1, 8}}, {ious, {1, 1}});
            }),
            "PolygonIou: polygons1 has shape float[8]; it must have rank 2");
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {2, 8}}, {polygons, {1, 8}}, {ious, {2, 2}});
            }),
            "PolygonIou: ious has shape float[2,2]; dimension 1 must be 1");
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {2, 8}}, {polygons, {1, 8}}, {ious, {1, 1}});
            }),
            "PolygonIou: ious has shape float[1,1]; dimension 0 must be 2");
  EXPECT_EQ(MessageOf([&] {
              PolygonIouAligned({polygons, {2, 8}}, {polygons, {3, 8}}, {ious, {2}});
            }),
            "PolygonIouAligned: polygons2 has shape float[3,8]; dimension 0 must be 2");
  EXPECT_EQ(MessageOf([&] {
              PolygonIouAligned({polygons, {2, 8}}, {polygons, {2, 8}}, {ious, {2, 1}});
            }),
            "PolygonIouAligned: ious has shape float[2,1]; it must have rank 1");
  const float* const none = nullptr;
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {1, 8}}, {none, {1, 8}}, {ious, {1, 1}});
            }),
            "PolygonIou: polygons2 is NULL; it must be a valid pointer");
}

}  // namespace
}  // namespace detops::poly_nms
