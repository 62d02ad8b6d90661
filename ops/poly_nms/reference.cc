// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The specification: plain scalar code in double, one pair of boxes at a time.

#include <algorithm>
#include <cmath>

#include "ops/poly_nms/op.h"
#include "suppression/reference.h"

namespace detops::poly_nms {
namespace {

struct Point {
  double x, y;
};

struct Quad {
  Point corner[4];
  Point low, high;  // the bounding box
  bool finite;
};

Quad Load(const float* coordinates) {
  Quad quad;
  quad.finite = true;
  quad.low = {HUGE_VAL, HUGE_VAL};
  quad.high = {-HUGE_VAL, -HUGE_VAL};
  for (int64_t i = 0; i < 4; ++i) {
    const Point p{coordinates[2 * i], coordinates[2 * i + 1]};
    quad.corner[i] = p;
    quad.finite = quad.finite && std::isfinite(p.x) && std::isfinite(p.y);
    quad.low = {std::min(quad.low.x, p.x), std::min(quad.low.y, p.y)};
    quad.high = {std::max(quad.high.x, p.x), std::max(quad.high.y, p.y)};
  }
  return quad;
}

// Returns the area by the shoelace formula, which for four corners is half the cross product of the
// diagonals.
double Area(const Quad& quad) {
  const Point* p = quad.corner;
  return std::abs((p[2].x - p[0].x) * (p[3].y - p[1].y) - (p[3].x - p[1].x) * (p[2].y - p[0].y)) /
         2;
}

// An edge as a function of x.
struct Edge {
  double left, right;  // the x interval that it covers
  double y;            // at the left end
  double slope;
  double sign;  // 1 if it runs from left to right, -1 if from right to left, 0 if vertical
};

Edge MakeEdge(const Point& from, const Point& to, const Point& origin) {
  const Point a{from.x - origin.x, from.y - origin.y};
  const Point b{to.x - origin.x, to.y - origin.y};
  const Point& left = a.x < b.x ? a : b;
  const Point& right = a.x < b.x ? b : a;
  const double width = right.x - left.x;
  if (width == 0) {
    return {.left = left.x, .right = left.x, .y = 0, .slope = 0, .sign = 0};
  }
  return {.left = left.x,
          .right = right.x,
          .y = left.y,
          .slope = (right.y - left.y) / width,
          .sign = a.x < b.x ? 1.0 : -1.0};
}

// Returns twice the integral of |a - b| over the x that both edges cover, with the product of the
// edges' signs.
double SignedGap(const Edge& a, const Edge& b) {
  const double left = std::max(a.left, b.left);
  const double width = std::min(a.right, b.right) - left;
  if (!(width > 0)) {
    return 0;
  }
  const double gap_left = (a.y + (left - a.left) * a.slope) - (b.y + (left - b.left) * b.slope);
  const double gap_right = gap_left + width * (a.slope - b.slope);
  const double sum = std::abs(gap_left) + std::abs(gap_right);
  if (sum == 0) {
    return 0;
  }
  // Where the edges cross, the area between them is two triangles instead of a trapezoid.
  const double crossing = std::min(gap_left * gap_right, 0.0);
  return a.sign * b.sign * (width * (sum + 2 * crossing / sum));
}

// Returns the integral of the product of the winding numbers. At each x, the winding number of a
// polygon at y is the sum of the signs of its edges above y. The integral of the product over y is
// therefore a sum over pairs of edges of sign * sign * (y of the lower edge). Since the signs of a
// polygon add up to 0 at each x, it equals -1/2 times the sum of sign * sign * |difference of y|.
// This form is continuous in the corners, so that edges that coincide, touch or share corners are
// not special cases. docs/numerics.md has the derivation.
double Intersection(const Quad& a, const Quad& b) {
  // Coordinates are relative to the middle of the overlap of the bounding boxes, so that large ones
  // do not lose precision.
  const Point origin{(std::max(a.low.x, b.low.x) + std::min(a.high.x, b.high.x)) / 2,
                     (std::max(a.low.y, b.low.y) + std::min(a.high.y, b.high.y)) / 2};
  Edge edges_a[4];
  Edge edges_b[4];
  for (int i = 0; i < 4; ++i) {
    edges_a[i] = MakeEdge(a.corner[i], a.corner[(i + 1) % 4], origin);
    edges_b[i] = MakeEdge(b.corner[i], b.corner[(i + 1) % 4], origin);
  }
  // The order of the additions makes the result symmetric in the polygons, bit for bit.
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += SignedGap(edges_a[i], edges_b[i]);
    for (int j = i + 1; j < 4; ++j) {
      sum += SignedGap(edges_a[i], edges_b[j]) + SignedGap(edges_a[j], edges_b[i]);
    }
  }
  return std::abs(sum) / 4;
}

// Returns a bound of the rounding error of Intersection, for bounding boxes that overlap.
// docs/numerics.md proves it.
double IntersectionError(const Quad& a, const Quad& b) {
  const Point overlap{std::min(a.high.x, b.high.x) - std::max(a.low.x, b.low.x),
                      std::min(a.high.y, b.high.y) - std::max(a.low.y, b.low.y)};
  const Point both{std::max(a.high.x, b.high.x) - std::min(a.low.x, b.low.x),
                   std::max(a.high.y, b.high.y) - std::min(a.low.y, b.low.y)};
  return 0x1p-50 * (21 * (overlap.x * both.y) + both.x * overlap.y);
}

bool BoundingBoxesOverlap(const Quad& a, const Quad& b) {
  return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y;
}

}  // namespace

double ReferencePolygonIou(const float* a, const float* b) {
  const Quad quad_a = Load(a);
  const Quad quad_b = Load(b);
  if (!quad_a.finite || !quad_b.finite || !BoundingBoxesOverlap(quad_a, quad_b)) {
    return 0;
  }
  const double area_a = Area(quad_a);
  const double area_b = Area(quad_b);
  if (area_a == 0 || area_b == 0) {
    return 0;
  }
  const double inter = Intersection(quad_a, quad_b);
  if (inter <= IntersectionError(quad_a, quad_b)) {
    return 0;
  }
  const double base = area_a + area_b - inter;
  return base > 0 ? std::clamp(inter / base, 0.0, 1.0) : 0;
}

void ReferenceIou(const IouArgs& args) {
  for (int64_t i = 0; i < args.rows; ++i) {
    const float* const a = args.first + i * args.first_stride;
    if (args.aligned) {
      args.ious[i] =
          static_cast<float>(ReferencePolygonIou(a, args.second + i * args.second_stride));
      continue;
    }
    for (int64_t j = 0; j < args.columns; ++j) {
      args.ious[i * args.columns + j] =
          static_cast<float>(ReferencePolygonIou(a, args.second + j * args.second_stride));
    }
  }
}

void Reference(const Args& args) {
  const auto* const boxes = static_cast<const float*>(args.boxes);
  const auto box = [&](int32_t i) { return boxes + i * kBoxFloats; };
  suppression::ReferenceGreedy(args, [&](int32_t kept, int32_t i) {
    return suppression::Exceeds(ReferencePolygonIou(box(kept), box(i)), args.iou_threshold);
  });
}

}  // namespace detops::poly_nms
