// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Draws the picture of ops/border_align_forward/README.md: the samples of the borders of a box, how
// a sample is interpolated, and which samples are the maxima. All numbers except positions are
// results of the library.
//
//   border_align_picture [FILE]     writes SVG to the file, or to the standard output

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <detops/detops.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/picture.h"

namespace {

using detops::Circle;
using detops::Filled;
using detops::kFaint;
using detops::kInk;
using detops::Line;
using detops::Point;
using detops::Rectangle;
using detops::Text;

constexpr int kMapWidth = 7;
constexpr int kMapHeight = 5;
constexpr int kBorders = 4;
constexpr int kPoolSize = 4;
constexpr int kSamples = kPoolSize + 1;

// Multiples of 1/4, so that every position and weight is exact in float.
constexpr std::array<float, 4> kBox = {1.25f, 0.75f, 5.25f, 3.75f};

// The sample whose neighbors are shown.
constexpr int kShownBorder = 0;
constexpr int kShownSample = 1;

// One channel per border.
float Feature(int border, int y, int x) {
  return static_cast<float>((3 * x * x + 5 * y + 7 * border * (x + 1) + x * y * (border + 2)) % 10);
}

struct Border {
  std::string_view name;
  std::string_view channels;
  std::string_view start;
  std::string_view step;
  std::string_view color;
  Point label;  // offset of the label from its sample, in pixels of the picture
};

constexpr std::array<Border, kBorders> kBorderList = {{
    {.name = "top",
     .channels = "[0, C)",
     .start = "(x1, y1)",
     .step = "(w / 4, 0)",
     .color = "#0b69a3",
     .label = {0, -13}},
    {.name = "left",
     .channels = "[C, 2C)",
     .start = "(x1, y1)",
     .step = "(0, h / 4)",
     .color = "#b44d12",
     .label = {-18, 5}},
    {.name = "bottom",
     .channels = "[2C, 3C)",
     .start = "(x2, y2)",
     .step = "(−w / 4, 0)",
     .color = "#2b7a4b",
     .label = {0, 24}},
    {.name = "right",
     .channels = "[3C, 4C)",
     .start = "(x2, y2)",
     .step = "(0, −h / 4)",
     .color = "#7b3fa0",
     .label = {18, 5}},
}};

// ---- Results of the library ---------------------------------------------------------------------

Point PositionOf(int border, int sample) {
  const double part = static_cast<double>(sample) / kPoolSize;
  const double x = part * (kBox[2] - kBox[0]);
  const double y = part * (kBox[3] - kBox[1]);
  switch (border) {
    case 0:
      return {kBox[0] + x, kBox[1]};
    case 1:
      return {kBox[0], kBox[1] + y};
    case 2:
      return {kBox[2] - x, kBox[3]};
    default:
      return {kBox[2], kBox[3] - y};
  }
}

struct Answers {
  std::array<float, kBorders> output{};
  std::array<int32_t, kBorders> argmax_idx{};
  std::array<std::array<float, kSamples>, kBorders> samples{};
  // The weights of all pixels in the shown sample.
  std::array<std::array<float, kMapWidth>, kMapHeight> weights{};
};

// Returns a box of size 0: all of its samples are at the same point.
std::vector<float> BoxAt(Point at) {
  const auto x = static_cast<float>(at.x);
  const auto y = static_cast<float>(at.y);
  return {x, y, x, y};
}

// Runs the operator with one box on a map [1, H, W, 4 * channels].
std::vector<float> Align(const std::vector<float>& map, int64_t channels,
                         const std::vector<float>& box,
                         const std::optional<detops::TensorView>& argmax_idx = std::nullopt) {
  std::vector<float> output(static_cast<size_t>(kBorders * channels));
  detops::BorderAlignOptions options;
  options.pool_size = kPoolSize;
  detops::BorderAlignForward({map.data(), {1, kMapHeight, kMapWidth, kBorders * channels}},
                             {box.data(), {1, 1, 4}}, {output.data(), {1, 1, kBorders, channels}},
                             argmax_idx, options);
  return output;
}

// Returns the weight of each pixel in the shown sample. Uses one channel per pixel, which is 1 at
// that pixel and 0 elsewhere.
void AskWeights(Answers& answers) {
  constexpr int kPixels = kMapWidth * kMapHeight;
  std::vector<float> map(static_cast<size_t>(kPixels) * kBorders * kPixels);
  for (size_t pixel = 0; pixel < kPixels; ++pixel) {
    map[(pixel * kBorders + kShownBorder) * kPixels + pixel] = 1;
  }
  const std::vector<float> weights =
      Align(map, kPixels, BoxAt(PositionOf(kShownBorder, kShownSample)));
  for (int y = 0; y < kMapHeight; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      answers.weights[y][x] = weights[kShownBorder * kPixels + y * kMapWidth + x];
    }
  }
}

Answers Ask() {
  Answers answers;
  std::vector<float> map;
  for (int y = 0; y < kMapHeight; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      for (int border = 0; border < kBorders; ++border) {
        map.push_back(Feature(border, y, x));
      }
    }
  }
  const std::vector<float> output =
      Align(map, 1, {kBox.begin(), kBox.end()},
            detops::TensorView(answers.argmax_idx.data(), {1, 1, kBorders, 1}));
  for (int border = 0; border < kBorders; ++border) {
    answers.output[border] = output[border];
    for (int sample = 0; sample < kSamples; ++sample) {
      answers.samples[border][sample] = Align(map, 1, BoxAt(PositionOf(border, sample)))[border];
    }
  }
  AskWeights(answers);
  return answers;
}

// ---- Drawing ------------------------------------------------------------------------------------

constexpr int kWidth = 860;
constexpr int kHeight = 688;
constexpr double kScale = 60;
constexpr Point kOrigin = {92, 154};  // the center of pixel (0, 0)

Point OnPicture(Point at) { return {kOrigin.x + kScale * at.x, kOrigin.y + kScale * at.y}; }

std::string Head() {
  std::string svg = detops::BeginPicture(
      kWidth, kHeight, "border_align_forward: where the borders of a box are sampled");
  svg += "<style>\n";
  svg += ".pixel { fill: #f5f7fa; stroke: #cbd2d9 }\n";
  svg += ".counts { fill: none; stroke: #7b8794; stroke-width: 1.5; stroke-dasharray: 6 5 }\n";
  svg += ".border { stroke-width: 2.4 }\n";
  svg += ".number { font-size: 14px; font-weight: bold; text-anchor: middle }\n";
  svg += ".halo { paint-order: stroke; stroke: #f5f7fa; stroke-width: 4 }\n";
  svg += ".middle { text-anchor: middle }\n";
  svg += fmt::format(".small {{ font-size: 12px; fill: {} }}\n", kFaint);
  svg += ".head { font-size: 14px; font-weight: bold }\n</style>\n";
  return svg + detops::Ground(kWidth, kHeight);
}

std::string Title() {
  return detops::Title(
      fmt::format("border_align_forward with pool_size = {}", kPoolSize),
      fmt::format("Each border is sampled at {} points in its own channels; of each channel the "
                  "largest sample is kept.",
                  kSamples));
}

std::string Map() {
  std::string svg;
  for (int y = 0; y < kMapHeight; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      svg += Rectangle(OnPicture({x - 0.5, y - 0.5}), OnPicture({x + 0.5, y + 0.5}),
                       "class=\"pixel\"");
      svg += Circle(OnPicture({1.0 * x, 1.0 * y}), 2.5, "fill=\"#9aa5b1\"");
    }
  }
  svg += Rectangle(OnPicture({-1, -1}), OnPicture({kMapWidth, kMapHeight}), "class=\"counts\"");
  for (int x = 0; x < kMapWidth; ++x) {
    const Point at = OnPicture({1.0 * x, -0.5});
    svg += Text({at.x, at.y - 6}, fmt::format("{}{}", x == 0 ? "x = " : "", x),
                "class=\"small middle\"");
  }
  for (int y = 0; y < kMapHeight; ++y) {
    const Point at = OnPicture({-0.5, 1.0 * y});
    svg += Text({at.x - 6, at.y + 4}, std::to_string(y), "class=\"small\" text-anchor=\"end\"");
  }
  const Point corner = OnPicture({-0.5, -0.5});
  svg += Text({corner.x - 6, corner.y + 8}, "y =", "class=\"small\" text-anchor=\"end\"");
  const Point below = OnPicture({-1, kMapHeight});
  return svg + Text({below.x, below.y + 18},
                    "Up to the dashed line, at −1, W and H, a sample takes the nearest pixels of "
                    "the map; beyond it is 0.",
                    "class=\"small\"");
}

// Draws lines from the shown sample to the pixels with a weight.
std::string Neighbours(const Answers& answers) {
  const Point sample = OnPicture(PositionOf(kShownBorder, kShownSample));
  std::string svg;
  for (int y = 0; y < kMapHeight; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      if (answers.weights[y][x] != 0) {
        const Point pixel = OnPicture({1.0 * x, 1.0 * y});
        svg += Line(sample, pixel, fmt::format("stroke=\"{}\" stroke-dasharray=\"3 3\"", kInk));
        svg += Circle(pixel, 5, Filled(kInk));
      }
    }
  }
  return svg;
}

std::string Borders(const Answers& answers) {
  std::string svg;
  for (int border = 0; border < kBorders; ++border) {
    svg += Line(OnPicture(PositionOf(border, 0)), OnPicture(PositionOf(border, kPoolSize)),
                fmt::format("class=\"border\" stroke=\"{}\"", kBorderList[border].color));
  }
  for (int border = 0; border < kBorders; ++border) {
    const Border& drawn = kBorderList[border];
    for (int sample = 0; sample < kSamples; ++sample) {
      const Point at = OnPicture(PositionOf(border, sample));
      // Corners belong to two borders, so they have the color of neither.
      const bool is_corner = sample == 0 || sample == kPoolSize;
      svg += Circle(at, 4.5, Filled(is_corner ? kInk : drawn.color));
      const Point number{at.x + drawn.label.x, at.y + drawn.label.y};
      const bool is_largest = sample == answers.argmax_idx[border];
      if (is_largest) {
        svg += Circle({number.x, number.y - 5}, 10,
                      fmt::format("fill=\"#fff\" stroke=\"{}\" stroke-width=\"1.6\"", drawn.color));
      }
      svg += Text(
          number, std::to_string(sample),
          fmt::format("class=\"number{}\" fill=\"{}\"", is_largest ? "" : " halo", drawn.color));
    }
  }
  const Point first = OnPicture({kBox[0], kBox[1]});
  const Point last = OnPicture({kBox[2], kBox[3]});
  svg += Text({first.x - 10, first.y - 15}, "(x1, y1)", "class=\"small halo\" text-anchor=\"end\"");
  svg += Text({last.x - 8, last.y - 10}, "(x2, y2)", "class=\"small\" text-anchor=\"end\"");
  return svg;
}

// Lists the pixels of the shown sample, with weights and features.
std::string Sum(const Answers& answers, Point at) {
  const Border& border = kBorderList[kShownBorder];
  const Point position = PositionOf(kShownBorder, kShownSample);
  std::string svg = Text(at, fmt::format("Sample {} of the {} border", kShownSample, border.name),
                         "class=\"head\"");
  svg += Text({at.x, at.y + 20}, fmt::format("at x = {}, y = {}", position.x, position.y),
              "class=\"small\"");
  float sum = 0;
  at.y += 22;
  for (int y = 0; y < kMapHeight; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      const float weight = answers.weights[y][x];
      if (weight != 0) {
        at.y += 24;
        const float feature = Feature(kShownBorder, y, x);
        sum += weight * feature;
        svg += Circle({at.x + 6, at.y - 4.5}, 5, Filled(kInk));
        svg += Text({at.x + 22, at.y}, fmt::format("pixel ({}, {})", x, y), "");
        svg += Text({at.x + 180, at.y}, fmt::format("{:.4f} × {:.0f}", weight, feature),
                    "text-anchor=\"end\"");
        svg += Text({at.x + 262, at.y}, fmt::format("{:.4f}", weight * feature),
                    "text-anchor=\"end\"");
      }
    }
  }
  svg += Line({at.x, at.y + 9}, {at.x + 262, at.y + 9}, "stroke=\"#cbd2d9\"");
  if (sum != answers.samples[kShownBorder][kShownSample]) {
    throw std::logic_error("the weights do not make the sample");
  }
  return svg +
         Text({at.x + 262, at.y + 28}, fmt::format("{:.4f}", sum),
              fmt::format("text-anchor=\"end\" font-weight=\"bold\" fill=\"{}\"", border.color));
}

// Shows which channels of a pixel belong to which border.
std::string Channels(Point at) {
  constexpr double kPart = 65.5;
  std::string svg = Text(at, "The 4C channels of each pixel", "class=\"head\"");
  for (int i = 0; i < kBorders; ++i) {
    const Border& border = kBorderList[i];
    const Point corner{at.x + i * kPart, at.y + 14};
    svg += Rectangle(
        corner, {corner.x + kPart, corner.y + 30},
        fmt::format("fill=\"{0}\" fill-opacity=\"0.14\" stroke=\"{0}\" stroke-width=\"1.5\"",
                    border.color));
    svg += Text({corner.x + kPart / 2, corner.y + 20}, border.name,
                fmt::format("class=\"number\" fill=\"{}\"", border.color));
    svg += Text({corner.x + kPart / 2, corner.y + 47}, border.channels, "class=\"small middle\"");
  }
  return svg;
}

// Lists all borders with all of their samples.
std::string Table(const Answers& answers, Point at) {
  constexpr std::array<double, 5> kColumns = {0, 76, 162, 254, 366};  // x of the columns of text
  constexpr double kSampleWidth = 54;
  constexpr double kOutput = 692;
  constexpr double kArgmax = 804;
  constexpr std::string_view kHeads[] = {"border", "channels", "starts at", "step"};
  std::string svg;
  for (size_t i = 0; i < std::size(kHeads); ++i) {
    svg += Text({at.x + kColumns[i], at.y}, kHeads[i], "class=\"head\"");
  }
  for (int sample = 0; sample < kSamples; ++sample) {
    svg += Text({at.x + kColumns[4] + kSampleWidth * sample, at.y}, std::to_string(sample),
                "class=\"head\" text-anchor=\"middle\"");
  }
  svg += Text({at.x + kOutput, at.y}, "output", "class=\"head\" text-anchor=\"end\"");
  svg += Text({at.x + kArgmax, at.y}, "argmax_idx", "class=\"head\" text-anchor=\"end\"");
  for (int i = 0; i < kBorders; ++i) {
    const Border& border = kBorderList[i];
    at.y += 26;
    const std::string strong = fmt::format("font-weight=\"bold\" fill=\"{}\"", border.color);
    svg += Text({at.x, at.y}, border.name, strong);
    svg += Text({at.x + kColumns[1], at.y}, border.channels, "");
    svg += Text({at.x + kColumns[2], at.y}, border.start, "");
    svg += Text({at.x + kColumns[3], at.y}, border.step, "");
    for (int sample = 0; sample < kSamples; ++sample) {
      svg += Text({at.x + kColumns[4] + kSampleWidth * sample, at.y},
                  fmt::format("{:.2f}", answers.samples[i][sample]),
                  fmt::format("text-anchor=\"middle\" {}",
                              sample == answers.argmax_idx[i] ? strong : Filled(kFaint)));
    }
    svg += Text({at.x + kOutput, at.y}, fmt::format("{:.2f}", answers.output[i]),
                "text-anchor=\"end\" " + strong);
    svg += Text({at.x + kArgmax, at.y}, std::to_string(answers.argmax_idx[i]),
                "text-anchor=\"end\" " + strong);
  }
  return svg;
}

std::string Picture() {
  const Answers answers = Ask();
  std::string svg = Head() + Title() + Map() + Neighbours(answers) + Borders(answers);
  svg += Sum(answers, {556, 108}) + Channels({556, 324});
  svg += detops::Rule(kWidth, 502);
  svg += Table(answers, {28, 532});
  svg += Text({28, 666}, "The largest samples have a circle; of equal ones the first counts.",
              "class=\"small\"");
  return svg + "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  return detops::WritePicture("border_align_picture", argc, argv, Picture);
}
