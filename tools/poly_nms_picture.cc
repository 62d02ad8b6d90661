// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Draws the picture of ops/poly_nms/README.md: a scene of quadrilaterals, which of them are kept,
// which are suppressed, and why. All results come from the library; only the scene and the
// positions of the labels are defined here.
//
//   poly_nms_picture [FILE]     writes SVG to the file, or to the standard output

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <detops/detops.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/picture.h"

namespace {

using detops::kFaint;
using detops::Line;
using detops::Point;
using detops::Text;

constexpr float kIouThreshold = 0.3f;
constexpr int kCount = 7;

// The boxes: four corners, in pixels of the picture, and a score. Corners are integers, so that the
// picture does not depend on the machine.
constexpr std::array<std::array<float, 9>, kCount> kBoxes = {{
    {146, 96, 402, 88, 406, 239, 150, 247, 0.82f},    // suppressed by the best
    {50, 164, 300, 124, 320, 244, 70, 284, 0.95f},    // the highest score
    {586, 190, 706, 380, 826, 190, 706, 266, 0.69f},  // concave
    {240, 124, 490, 164, 470, 284, 220, 244, 0.76f},  // only box 0 would suppress it
    {366, 314, 526, 330, 521, 380, 361, 364, 0.58f},  // touches nothing
    {47, 182, 299, 194, 293, 314, 41, 302, 0.64f},    // suppressed by the best, too
    {645, 100, 783, 114, 766, 268, 628, 254, 0.88f},  // reaches into the concave one
}};

// The positions of the labels: inside their boxes and apart from each other.
constexpr std::array<Point, kCount> kLabels = {{
    {274, 109},
    {106, 206},
    {706, 310},
    {443, 206},
    {444, 347},
    {145, 291},
    {706, 138},
}};

// ---- Results of the library ---------------------------------------------------------------------

struct Answers {
  std::vector<int32_t> kept;  // in the order that PolyNms returns
  std::array<bool, kCount> is_kept{};
  std::array<std::array<float, kCount>, kCount> ious{};  // of all pairs
  std::array<int, kCount> order{};                       // by descending score
};

Answers Ask() {
  Answers answers;
  const detops::ConstTensorView boxes(kBoxes[0].data(), {kCount, 9});
  detops::PolyNmsOptions options;
  options.iou_threshold = kIouThreshold;
  answers.kept = detops::PolyNms(boxes, options).indices;
  for (const int32_t box : answers.kept) {
    answers.is_kept[box] = true;
  }
  detops::PolygonIou(boxes, boxes, {answers.ious[0].data(), {kCount, kCount}});
  std::iota(answers.order.begin(), answers.order.end(), 0);
  std::stable_sort(answers.order.begin(), answers.order.end(),
                   [](int a, int b) { return kBoxes[a][8] > kBoxes[b][8]; });
  return answers;
}

// Returns the kept (or suppressed) box of a higher score that overlaps `box` most.
std::optional<int> MostOverlapping(const Answers& answers, int box, bool kept) {
  std::optional<int> most;
  for (const int other : answers.order) {
    if (other == box) {
      break;
    }
    const float iou = answers.ious[box][other];
    if (answers.is_kept[other] == kept && iou > (most ? answers.ious[box][*most] : 0)) {
      most = other;
    }
  }
  return most;
}

// Returns a text such as "0.62 > 0.3".
std::string Comparison(float iou) {
  return fmt::format("{:.2f} {} {:.1f}", iou, iou > kIouThreshold ? "&gt;" : "≤", kIouThreshold);
}

// ---- Drawing ------------------------------------------------------------------------------------

constexpr int kWidth = 860;
constexpr int kHeight = 652;
constexpr double kLabelWidth = 66;
constexpr double kLabelHeight = 24;

constexpr std::string_view kKept = "#0b69a3";
constexpr std::string_view kSuppressed = "#7b8794";
constexpr std::string_view kAbove = "#c81e1e";

// Draws a rectangle with round ends around `center`.
std::string Pill(Point center, double width, double height, std::string_view style) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\" {}/>\n",
      center.x - width / 2, center.y - height / 2, width, height, height / 2, style);
}

std::string Polygon(const std::array<float, 9>& box, bool kept) {
  std::string points;
  for (int i = 0; i < 8; i += 2) {
    points += fmt::format("{}{:.0f},{:.0f}", i == 0 ? "" : " ", box[i], box[i + 1]);
  }
  return fmt::format("<polygon class=\"{}\" points=\"{}\"/>\n", kept ? "kept" : "suppressed",
                     points);
}

// Draws the index and the score of a box.
std::string Label(Point center, int box, bool kept) {
  const std::string_view color = kept ? kKept : kSuppressed;
  std::string svg = Pill(center, kLabelWidth, kLabelHeight,
                         fmt::format("fill=\"#fff\" stroke=\"{}\" stroke-width=\"1.5\"", color));
  const Point index{center.x - kLabelWidth / 2 + kLabelHeight / 2, center.y};
  svg += detops::Circle(index, kLabelHeight / 2, detops::Filled(color));
  svg += Text({index.x, index.y + 5}, std::to_string(box), "class=\"index\"");
  svg += Text({center.x + kLabelHeight / 2 - 1, center.y + 4.5},
              fmt::format("{:.2f}", kBoxes[box][8]), "class=\"score\"");
  return svg;
}

// Returns the point where the line from `from` to the label at `to` meets the edge of the label.
Point Rim(Point from, Point to) {
  constexpr double kGap = 4;
  const double dx = std::abs(to.x - from.x);
  const double dy = std::abs(to.y - from.y);
  const double part = std::min({1.0, (kLabelWidth / 2 + kGap) / std::max(dx, 1e-9),
                                (kLabelHeight / 2 + kGap) / std::max(dy, 1e-9)});
  return {to.x + part * (from.x - to.x), to.y + part * (from.y - to.y)};
}

// Draws a line between two labels with the IoU in the middle.
std::string Relation(int from, int to, std::string_view style, std::string_view color, float iou) {
  const Point a = Rim(kLabels[to], kLabels[from]);
  const Point b = Rim(kLabels[from], kLabels[to]);
  const Point middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
  return Line(a, b, style) + Pill(middle, 82, 20, "fill=\"#fff\" fill-opacity=\"0.94\"") +
         Text({middle.x, middle.y + 4.5}, Comparison(iou),
              fmt::format("class=\"iou\" fill=\"{}\"", color));
}

// Draws why the box is kept or suppressed: its overlaps with boxes of higher scores.
std::string Relations(const Answers& answers, int box) {
  std::string svg;
  const std::optional<int> most = MostOverlapping(answers, box, true);
  if (most) {
    const bool kept = answers.is_kept[box];
    svg += Relation(*most, box, kept ? "class=\"below\"" : "class=\"above\"", kept ? kKept : kAbove,
                    answers.ious[box][*most]);
  }
  const std::optional<int> gone = MostOverlapping(answers, box, false);
  if (answers.is_kept[box] && gone && answers.ious[box][*gone] > kIouThreshold) {
    svg += Relation(*gone, box, "class=\"gone\"", kFaint, answers.ious[box][*gone]);
  }
  return svg;
}

// Returns what Relations draws, in words.
std::string Reason(const Answers& answers, int box) {
  const std::optional<int> most = MostOverlapping(answers, box, true);
  if (!most) {
    return "overlaps no box kept before";
  }
  std::string reason =
      fmt::format("IoU {} with box {}", Comparison(answers.ious[box][*most]), *most);
  const std::optional<int> gone = MostOverlapping(answers, box, false);
  if (answers.is_kept[box] && gone && answers.ious[box][*gone] > kIouThreshold) {
    reason += fmt::format("; box {} is out", *gone);
  }
  return reason;
}

std::string Head() {
  std::string svg =
      detops::BeginPicture(kWidth, kHeight, "poly_nms: what is kept, what is suppressed, and why");
  svg += "<style>\n";
  svg += fmt::format(".kept {{ fill: {0}; fill-opacity: 0.13; stroke: {0}; stroke-width: 2.2 }}\n",
                     kKept);
  svg += fmt::format(
      ".suppressed {{ fill: {0}; fill-opacity: 0.10; stroke: {0}; stroke-width: 1.8; "
      "stroke-dasharray: 7 5 }}\n",
      kSuppressed);
  svg += fmt::format(".above {{ stroke: {}; stroke-width: 2; marker-end: url(#arrow) }}\n", kAbove);
  svg += fmt::format(".below {{ stroke: {}; stroke-width: 1.5 }}\n", kKept);
  svg += fmt::format(".gone {{ stroke: {}; stroke-width: 1.8; stroke-dasharray: 2 4 }}\n", kFaint);
  svg += ".index { fill: #fff; font-size: 14px; font-weight: bold; text-anchor: middle }\n";
  svg += ".score { font-size: 13px; text-anchor: middle }\n";
  svg += ".iou { font-size: 13px; font-weight: bold; text-anchor: middle }\n";
  svg += ".words { font-size: 13px }\n";
  svg += ".head { font-size: 14px; font-weight: bold }\n</style>\n";
  svg += fmt::format(
      "<marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"10\" "
      "markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
      "<path d=\"M0,0.5 L10,5 L0,9.5 z\" fill=\"{}\"/></marker>\n",
      kAbove);
  return svg + detops::Ground(kWidth, kHeight);
}

std::string Title() {
  return detops::Title(
      fmt::format("poly_nms with iou_threshold = {:.1f}", kIouThreshold),
      "From the highest score down: a box is kept unless its IoU with a kept box is above the "
      "threshold.");
}

std::string Scene(const Answers& answers) {
  std::string svg;
  // Kept boxes last, so that their outlines are not covered.
  for (const bool kept : {false, true}) {
    for (int box = 0; box < kCount; ++box) {
      if (answers.is_kept[box] == kept) {
        svg += Polygon(kBoxes[box], kept);
      }
    }
  }
  for (const int box : answers.order) {
    svg += Relations(answers, box);
  }
  for (int box = 0; box < kCount; ++box) {
    svg += Label(kLabels[box], box, answers.is_kept[box]);
  }
  return svg;
}

// Lists the boxes in the order of their decisions.
std::string Steps(const Answers& answers, Point at) {
  std::string svg = Text(at, "Decided in this order", "class=\"head\"");
  for (const int box : answers.order) {
    at.y += 29;
    const bool kept = answers.is_kept[box];
    svg += Label({at.x + kLabelWidth / 2, at.y - 4.5}, box, kept);
    svg += Text({at.x + 80, at.y}, kept ? "kept" : "suppressed",
                fmt::format("font-weight=\"bold\" fill=\"{}\"", kept ? kKept : kAbove));
    svg += Text({at.x + 176, at.y}, Reason(answers, box), "class=\"words\"");
  }
  return svg;
}

std::string Legend(Point at) {
  // A symbol, relative to the origin of its row, and its meaning.
  constexpr std::array<std::array<std::string_view, 2>, 6> kRows = {{
      {"<rect x=\"1\" y=\"-12.5\" width=\"36\" height=\"16\" class=\"kept\"/>",
       "kept; index and score inside"},
      {"<rect x=\"1\" y=\"-12.5\" width=\"36\" height=\"16\" class=\"suppressed\"/>", "suppressed"},
      {"<line x1=\"0\" y1=\"-4.5\" x2=\"38\" y2=\"-4.5\" class=\"above\"/>",
       "IoU above the threshold: suppresses"},
      {"<line x1=\"0\" y1=\"-4.5\" x2=\"38\" y2=\"-4.5\" class=\"below\"/>",
       "not above: both stay"},
      {"<line x1=\"0\" y1=\"-4.5\" x2=\"38\" y2=\"-4.5\" class=\"gone\"/>",
       "above, but that box is out: does nothing"},
      {"<path d=\"M1,-14 l18,20 l18,-20 l-18,8 z\" class=\"kept\"/>",
       "concave: its true area counts"},
  }};
  std::string svg = Text(at, "Legend", "class=\"head\"");
  for (const auto& [sample, meaning] : kRows) {
    at.y += 26;
    svg += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>\n", at.x, at.y, sample);
    svg += Text({at.x + 50, at.y}, meaning, "class=\"words\"");
  }
  return svg;
}

// Shows the results of the C function.
std::string Output(const Answers& answers, Point at) {
  return Text(at, fmt::format("output = {}", fmt::join(answers.kept, " ")), "class=\"head\"") +
         Text({at.x + 170, at.y}, fmt::format("result_num = {}", answers.kept.size()),
              "class=\"head\"");
}

std::string Picture() {
  const Answers answers = Ask();
  std::string svg = Head() + Title() + Scene(answers);
  svg += detops::Rule(kWidth, 396);
  svg += Steps(answers, {28, 424}) + Legend({500, 424});
  svg += Output(answers, {500, 618});
  return svg + "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  return detops::WritePicture("poly_nms_picture", argc, argv, Picture);
}
