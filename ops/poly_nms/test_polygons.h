// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Quadrilaterals that are written by hand, and their geometry in double, for the tests.

#ifndef DETOPS_OPS_POLY_NMS_TEST_POLYGONS_H_
#define DETOPS_OPS_POLY_NMS_TEST_POLYGONS_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <vector>

namespace detops::poly_nms {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// x1, y1, ..., x4, y4.
using Polygon = std::array<float, 8>;

// Returns the axis-aligned rectangle with these opposite corners.
inline Polygon Upright(float x1, float y1, float x2, float y2) {
  return {x1, y1, x2, y1, x2, y2, x1, y2};
}

// Returns the rotated rectangle with this center.
inline Polygon Rectangle(double x, double y, double width, double height, double radians) {
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

// Returns the polygon as a box of mluOpPolyNms: its corners and a score.
inline std::vector<float> WithScore(const Polygon& polygon, float score) {
  std::vector<float> box(polygon.begin(), polygon.end());
  box.push_back(score);
  return box;
}

inline std::vector<float> Boxes(std::initializer_list<std::vector<float>> boxes) {
  std::vector<float> all;
  for (const std::vector<float>& box : boxes) {
    all.insert(all.end(), box.begin(), box.end());
  }
  return all;
}

// Appends the boxes to `scene`, scaled and then moved by (x, y).
inline void Append(const std::vector<float>& boxes, float scale, float x, float y,
                   std::vector<float>& scene) {
  for (size_t i = 0; i < boxes.size(); ++i) {
    const size_t field = i % 9;
    scene.push_back(field == 8 ? boxes[i] : boxes[i] * scale + (field % 2 == 0 ? x : y));
  }
}

struct Point {
  double x, y;
};
using Corners = std::array<Point, 4>;

// Returns the corners relative to `origin`.
inline Corners CornersAround(const Point& origin, const float* polygon) {
  Corners corners;
  for (size_t i = 0; i < 4; ++i) {
    corners[i] = {polygon[2 * i] - origin.x, polygon[2 * i + 1] - origin.y};
  }
  return corners;
}

// Returns a value above 0 if c is to the left of the line from a to b.
inline double Cross(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

// Returns the area of a polygon: positive if the corners run counterclockwise.
inline double SignedArea(const Point* corners, size_t count) {
  double twice = 0;
  for (size_t i = 2; i < count; ++i) {
    twice += Cross(corners[0], corners[i - 1], corners[i]);
  }
  return twice / 2;
}

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_TEST_POLYGONS_H_
