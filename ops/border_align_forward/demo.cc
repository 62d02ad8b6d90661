// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/operator_parts.h"
#include "cli/scene_picture.h"
#include "measure/random_floats.h"
#include "ops/border_align_forward/op.h"

namespace detops::border_align_forward {
namespace {

using Box = std::array<float, kBoxNumbers>;

constexpr int kStride = 8;  // image pixels per map pixel
constexpr int kPoolSize = 10;
constexpr float kReach = 10;     // width of the response around a corner, in pixels
constexpr float kStrong = 0.5f;  // responses above this are strong; they are 1 at a corner

constexpr std::string_view kSampleColor = "#3e6ba6";
constexpr std::string_view kStrongestColor = "#c2320c";

// Returns the corner of an object that touches a border of its bounding box.
Point TouchingCorner(const cli::SceneObject& object, int64_t border) {
  const std::array<float, 8> corners = object.Corners();
  // Top and left have the smallest y and x, bottom and right the largest.
  const size_t axis = border % 2 == 0 ? 1 : 0;
  const float sign = border < 2 ? 1.0f : -1.0f;
  size_t best = 0;
  for (size_t i = 1; i < 4; ++i) {
    if (sign * corners[2 * i + axis] < sign * corners[2 * best + axis]) {
      best = i;
    }
  }
  return {static_cast<double>(corners[2 * best]), static_cast<double>(corners[2 * best + 1])};
}

// Returns the response of a network to such corners at a pixel of the image.
float StrengthAt(const cli::Scene& scene, double x, double y, int64_t border) {
  double strength = 0;
  for (const cli::SceneObject& object : scene.objects) {
    const Point corner = TouchingCorner(object, border);
    const double distance = std::hypot(x - corner.x, y - corner.y) / static_cast<double>(kReach);
    strength = std::max(strength, std::exp(-distance * distance));
  }
  return static_cast<float>(strength);
}

// Returns the feature map, with one channel per border.
cli::Tensor MakeMap(const cli::Scene& scene) {
  const int64_t height = scene.height / kStride + 1;
  const int64_t width = scene.width / kStride + 1;
  std::vector<float> pixels;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int64_t border = 0; border < kBorders; ++border) {
        pixels.push_back(StrengthAt(scene, static_cast<double>(x * kStride),
                                    static_cast<double>(y * kStride), border));
      }
    }
  }
  return cli::TensorOf(MLUOP_DTYPE_FLOAT, {1, height, width, kBorders}, pixels, MLUOP_LAYOUT_NHWC);
}

// Returns the boxes of a tensor, with all coordinates multiplied by `scale`.
std::vector<Box> BoxesOf(const cli::Tensor& tensor, float scale) {
  std::vector<Box> boxes;
  for (int64_t i = 0; i < tensor.count(); i += kBoxNumbers) {
    const auto* const corners = tensor.as<float>() + i;
    boxes.push_back(
        {corners[0] * scale, corners[1] * scale, corners[2] * scale, corners[3] * scale});
  }
  return boxes;
}

// Returns the detections in image pixels; boxes around the objects when no earlier step made any.
std::vector<Box> DetectionsOf(const cli::Scene& scene) {
  std::vector<Box> boxes;
  const auto found = scene.tensors.find("detections");
  if (found != scene.tensors.end()) {
    boxes = BoxesOf(found->second, 1);
  }
  if (boxes.empty()) {
    Random random(40);
    for (const cli::SceneObject& object : scene.objects) {
      Box box = object.Bounds();
      for (float& coordinate : box) {
        coordinate += Uniform(random, -3, 3);
      }
      boxes.push_back(box);
    }
  }
  return boxes;
}

// Returns the samples of a border in image pixels, in the operator's order.
std::vector<Point> SamplesOf(const Box& box, int64_t border) {
  const size_t corner = border < 2 ? 0 : 2;
  const float sign = border < 2 ? 1.0f : -1.0f;
  const float step = sign / kPoolSize;
  const bool is_horizontal = border % 2 == 0;
  std::vector<Point> samples;
  for (int i = 0; i <= kPoolSize; ++i) {
    const float moved = step * static_cast<float>(i);
    samples.push_back({box[corner] + (is_horizontal ? moved * (box[2] - box[0]) : 0.0f),
                       box[corner + 1] + (is_horizontal ? 0.0f : moved * (box[3] - box[1]))});
  }
  return samples;
}

std::string Strongest(Point at, bool is_strong) {
  return Circle(at, is_strong ? 4.5 : 3.5,
                is_strong ? fmt::format("{} stroke=\"#fff\"", Filled(kStrongestColor))
                          : fmt::format("fill=\"#fff\" stroke=\"{}\"", kStrongestColor));
}

std::string Legend(const cli::Scene& scene) {
  const double y = scene.height - 18;
  const double middle = y - 4.5;
  return Rectangle({8, y - 18}, {scene.width - 8.0, y + 10},
                   "fill=\"#fff\" fill-opacity=\"0.85\"") +
         Circle({kMargin, middle}, 1.5, Filled(kSampleColor)) +
         Text({kMargin + 10, y}, "sample", "") + Strongest({kMargin + 84, middle}, true) +
         Text({kMargin + 94, y}, "strongest of a border", "") +
         Strongest({kMargin + 246, middle}, false) +
         Text({kMargin + 256, y}, fmt::format("the same, below {}", kStrong), "");
}

cli::Case MakeDemo(const cli::Scene& scene) {
  const std::vector<Box> detections = DetectionsOf(scene);
  std::vector<float> boxes;
  for (const Box& box : detections) {
    for (const float coordinate : box) {
      boxes.push_back(coordinate / kStride);
    }
  }
  const auto count = static_cast<int64_t>(detections.size());
  cli::Case made = cli::MakeCase(
      CommandAdapter(), "demo",
      cli::TensorList(MakeMap(scene),
                      cli::TensorOf(MLUOP_DTYPE_FLOAT, {1, count, kBoxNumbers}, boxes)));
  cli::SetParameter(CommandAdapter(), made, "pool_size", kPoolSize);
  return made;
}

cli::Picture DrawDemo(cli::Scene& scene, const cli::Case& done) {
  const std::vector<Box> boxes = BoxesOf(done.inputs[1], kStride);
  const auto* const maxima = done.outputs[0].as<float>();
  const auto* const samples = done.outputs[1].as<int32_t>();
  std::string lines;
  std::string marks;  // drawn over all lines
  int64_t strong = 0;
  const int64_t borders = kBorders * static_cast<int64_t>(boxes.size());
  for (int64_t i = 0; i < borders; ++i) {
    const std::vector<Point> points =
        SamplesOf(boxes[static_cast<size_t>(i / kBorders)], i % kBorders);
    lines += Line(points.front(), points.back(),
                  fmt::format("stroke=\"{}\" stroke-opacity=\"0.5\"", kSampleColor));
    for (const Point& point : points) {
      lines += Circle(point, 1.5, Filled(kSampleColor));
    }
    const bool is_strong = maxima[i] >= kStrong;
    strong += is_strong ? 1 : 0;
    marks += Strongest(points[static_cast<size_t>(samples[i])], is_strong);
  }
  std::string svg = cli::BeginScene(scene, "The strongest points of borders");
  svg += lines + marks + Legend(scene) + "</svg>\n";
  return {std::move(svg),
          fmt::format(
              "{} borders of {} boxes, {} points each. At the strongest point of {} borders the "
              "feature map is above {}: there an object touches its box.",
              borders, boxes.size(), kPoolSize + 1, strong, kStrong)};
}

}  // namespace

// Runs on the detections, and shows which points of their borders touch an object.
cli::DemoStep Demo() { return {.order = 40, .make = MakeDemo, .draw = DrawDemo}; }

}  // namespace detops::border_align_forward
