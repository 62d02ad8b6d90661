// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Draws the picture of ops/psroipool_forward/README.md: how a RoI is divided into bins, which
// pixels and which channel each bin averages, and the same RoI with torchvision's rounding. All
// means, channels and pixels of bins are results of the library; only the dashed borders are
// computed here.
//
//   psroipool_picture [FILE]     writes SVG to the file, or to the standard output

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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
using detops::kMargin;
using detops::Line;
using detops::Point;
using detops::Rectangle;
using detops::RoiRounding;
using detops::Text;

constexpr int kMapWidth = 12;
constexpr int kMapHeight = 8;
constexpr int kPixels = kMapWidth * kMapHeight;
constexpr int kGroup = 3;
constexpr int kBins = kGroup * kGroup;
constexpr int kDim = 2;
constexpr int kChannels = kBins * kDim;
constexpr float kSpatialScale = 0.25f;

// A RoI of image 0 that reaches the last row and column of the map.
constexpr std::array<float, 5> kRoi = {0, 13.4f, 5.4f, 46.6f, 30.3f};

// The bin whose pixels are listed.
constexpr int kShownBin = kBins - 1;

float Feature(int channel, int y, int x) {
  return static_cast<float>((3 * x * x + 5 * y + (channel + 2) * (x + 3) * (y + 1) + x * y) % 10);
}

// ---- Results of the library ---------------------------------------------------------------------

// Pixels [x_begin, x_end) of the rows [y_begin, y_end).
struct Pixels {
  int y_begin, y_end, x_begin, x_end;

  int count() const { return (y_end - y_begin) * (x_end - x_begin); }
  bool Has(int y, int x) const { return y >= y_begin && y < y_end && x >= x_begin && x < x_end; }
};

struct Answers {
  RoiRounding rounding{};
  std::array<std::array<float, kDim>, kBins> means{};
  std::array<std::array<int32_t, kDim>, kBins> channels{};
  std::array<Pixels, kBins> pixels{};
};

// Returns the means of the bins of the RoI on a map [1, H, W, G * G * dim], bin by bin.
std::vector<float> Pool(const std::vector<float>& map, int64_t dim, RoiRounding rounding,
                        const std::optional<detops::TensorView>& channels = std::nullopt) {
  std::vector<float> means(static_cast<size_t>(kBins * dim));
  detops::PsRoiPoolOptions options;
  options.group_size = kGroup;
  options.spatial_scale = kSpatialScale;
  options.rounding = rounding;
  detops::PsRoiPoolForward({map.data(), {1, kMapHeight, kMapWidth, kBins * dim}},
                           {kRoi.data(), {1, 5}}, {means.data(), {1, kGroup, kGroup, dim}},
                           channels, options);
  return means;
}

// Returns the pixels of a bin, given the weight of each pixel.
Pixels PixelsOf(const float* weights) {
  Pixels pixels{kMapHeight, 0, kMapWidth, 0};
  for (int y = 0; y < kMapHeight; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      if (weights[y * kMapWidth + x] != 0) {
        pixels = {std::min(pixels.y_begin, y), std::max(pixels.y_end, y + 1),
                  std::min(pixels.x_begin, x), std::max(pixels.x_end, x + 1)};
      }
    }
  }
  for (int y = 0; y < kMapHeight; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      const float expected = pixels.Has(y, x) ? 1.0f / static_cast<float>(pixels.count()) : 0.0f;
      if (weights[y * kMapWidth + x] != expected) {
        throw std::logic_error("the pixels of a bin do not count alike");
      }
    }
  }
  return pixels;
}

// Returns the weight of each pixel in a bin. Uses one output channel per pixel, whose feature is 1
// at that pixel and 0 elsewhere.
void AskPixels(Answers& answers) {
  std::vector<float> map(size_t{kPixels} * kPixels * kBins);
  for (size_t pixel = 0; pixel < kPixels; ++pixel) {
    std::fill_n(&map[(pixel * kPixels + pixel) * kBins], kBins, 1.0f);
  }
  const std::vector<float> weights = Pool(map, kPixels, answers.rounding);
  for (int bin = 0; bin < kBins; ++bin) {
    answers.pixels[bin] = PixelsOf(&weights[static_cast<size_t>(bin) * kPixels]);
  }
}

Answers Ask(RoiRounding rounding) {
  Answers answers;
  answers.rounding = rounding;
  std::vector<float> map;
  for (int y = 0; y < kMapHeight; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      for (int channel = 0; channel < kChannels; ++channel) {
        map.push_back(Feature(channel, y, x));
      }
    }
  }
  const std::vector<float> means =
      Pool(map, kDim, rounding,
           detops::TensorView(answers.channels[0].data(), {1, kGroup, kGroup, kDim}));
  for (int bin = 0; bin < kBins; ++bin) {
    std::copy_n(&means[static_cast<size_t>(bin) * kDim], kDim, answers.means[bin].begin());
  }
  AskPixels(answers);
  return answers;
}

// ---- The borders of the bins --------------------------------------------------------------------

// The borders along one axis, in pixels of the map, and the numbers they are computed from.
struct Extent {
  double start, end;
  std::string words;

  double Border(int p) const { return start + (end - start) * p / kGroup; }
};

Extent ExtentOf(RoiRounding rounding, std::string_view axis, float first, float last) {
  if (rounding == RoiRounding::kBeforeScaling) {
    const double start = std::round(first) * kSpatialScale;
    const double end = (std::round(last) + 1) * kSpatialScale;
    return {start, end,
            fmt::format("{0}: round({1}) × {3} = {4} to (round({2}) + 1) × {3} = {5}", axis, first,
                        last, kSpatialScale, start, end)};
  }
  const double start = std::round(first * kSpatialScale);
  const double end = std::round(last * kSpatialScale);
  return {start, end,
          fmt::format("{0}: round({1} × {3}) = {4} to round({2} × {3}) = {5}", axis, first, last,
                      kSpatialScale, start, end)};
}

// ---- Drawing ------------------------------------------------------------------------------------

constexpr int kWidth = 900;
constexpr int kHeight = 810;
constexpr double kCell = 31;  // a pixel of the map

constexpr std::array<std::string_view, kBins> kColors = {
    "#0b69a3", "#b44d12", "#2b7a4b",  //
    "#7b3fa0", "#0f766e", "#b3261e",  //
    "#8a6100", "#a8327a", "#3949ab",
};

std::string Bold(std::string_view color) {
  return fmt::format("class=\"number\" fill=\"{}\"", color);
}

std::string Head() {
  std::string svg = detops::BeginPicture(kWidth, kHeight,
                                         "psroipool_forward: what the bins of a roi are made of");
  svg += "<style>\n";
  svg += ".pixel { fill: #f5f7fa; stroke: #cbd2d9 }\n";
  svg += ".unused { fill: url(#hatch); stroke: #9aa5b1 }\n";
  svg += ".bin { fill-opacity: 0.17; stroke-width: 1.8 }\n";
  svg += fmt::format(".border {{ stroke: {}; stroke-width: 1.3; stroke-dasharray: 5 4 }}\n", kInk);
  svg += ".number { font-size: 15px; font-weight: bold; text-anchor: middle }\n";
  svg +=
      ".halo { paint-order: stroke; stroke: #fff; stroke-opacity: 0.7; stroke-width: 5; "
      "stroke-linejoin: round }\n";
  svg += ".middle { text-anchor: middle }\n";
  svg += fmt::format(".small {{ font-size: 12px; fill: {} }}\n", kFaint);
  svg += ".head { font-size: 14px; font-weight: bold }\n</style>\n";
  svg +=
      "<pattern id=\"hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\" fill=\"#f5f7fa\"/>"
      "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" stroke=\"#9aa5b1\" "
      "stroke-width=\"2\"/></pattern>\n";
  return svg + detops::Ground(kWidth, kHeight);
}

std::string Title() {
  return detops::Title(fmt::format("psroipool_forward with group_size = {} and spatial_scale = {}",
                                   kGroup, kSpatialScale),
                       "Each bin of a roi is the mean of its pixels in a channel of its own; the "
                       "maps show output channel 0.");
}

// A map whose pixel (0, 0) has its top left corner at `origin`.
class Map {
 public:
  explicit Map(Point origin) : origin_(origin) {}

  Point At(double x, double y) const { return {origin_.x + kCell * x, origin_.y + kCell * y}; }

  std::string Pixel(int y, int x, std::string_view style) const {
    return Rectangle(At(x, y), At(x + 1, y + 1), style);
  }

 private:
  Point origin_;
};

// Draws the pixels, and the indices of rows and columns. torchvision never uses the last ones.
std::string Grid(const Map& map, RoiRounding rounding) {
  std::string svg;
  for (int y = 0; y < kMapHeight; ++y) {
    for (int x = 0; x < kMapWidth; ++x) {
      const bool is_last = x == kMapWidth - 1 || y == kMapHeight - 1;
      svg += map.Pixel(y, x,
                       is_last && rounding == RoiRounding::kAfterScaling ? "class=\"unused\""
                                                                         : "class=\"pixel\"");
    }
  }
  for (int x = 0; x < kMapWidth; ++x) {
    const Point at = map.At(x + 0.5, 0);
    svg += Text({at.x, at.y - 6}, std::to_string(x), "class=\"small middle\"");
  }
  for (int y = 0; y < kMapHeight; ++y) {
    const Point at = map.At(0, y + 0.5);
    svg += Text({at.x - 6, at.y + 4}, std::to_string(y), "class=\"small\" text-anchor=\"end\"");
  }
  return svg;
}

// Draws the pixels of each bin. Neighboring bins overlap, so their outlines are inset.
std::string Bins(const Map& map, const Answers& answers) {
  constexpr double kInside = 1.5;
  std::string svg;
  for (int bin = 0; bin < kBins; ++bin) {
    const Pixels& pixels = answers.pixels[bin];
    const Point from = map.At(pixels.x_begin, pixels.y_begin);
    const Point to = map.At(pixels.x_end, pixels.y_end);
    svg +=
        Rectangle({from.x + kInside, from.y + kInside}, {to.x - kInside, to.y - kInside},
                  fmt::format("class=\"bin\" rx=\"3\" fill=\"{0}\" stroke=\"{0}\"", kColors[bin]));
  }
  return svg;
}

// Returns the middle of the pixels that bin p along an axis does not share.
double MiddleOf(int p, int begin, int end, int end_before, int begin_after) {
  const int first = p == 0 ? begin : std::max(begin, end_before);
  const int last = p == kGroup - 1 ? end : std::min(end, begin_after);
  return (first + last) / 2.0;
}

std::string Means(const Map& map, const Answers& answers) {
  std::string svg;
  for (int ph = 0; ph < kGroup; ++ph) {
    for (int pw = 0; pw < kGroup; ++pw) {
      const auto pixels = [&](int row, int column) {
        return answers
            .pixels[std::clamp(row, 0, kGroup - 1) * kGroup + std::clamp(column, 0, kGroup - 1)];
      };
      const Pixels own = pixels(ph, pw);
      const double x = MiddleOf(pw, own.x_begin, own.x_end, pixels(ph, pw - 1).x_end,
                                pixels(ph, pw + 1).x_begin);
      const double y = MiddleOf(ph, own.y_begin, own.y_end, pixels(ph - 1, pw).y_end,
                                pixels(ph + 1, pw).y_begin);
      const Point at = map.At(x, y);
      const int bin = ph * kGroup + pw;
      svg +=
          Text({at.x, at.y + 5}, fmt::format("{:.2f}", answers.means[bin][0]), Bold(kColors[bin]));
    }
  }
  return svg;
}

std::string Borders(const Map& map, const Extent& x, const Extent& y) {
  std::string svg;
  for (int p = 0; p <= kGroup; ++p) {
    svg += Line(map.At(x.Border(p), y.start), map.At(x.Border(p), y.end), "class=\"border\"");
    svg += Line(map.At(x.start, y.Border(p)), map.At(x.end, y.Border(p)), "class=\"border\"");
  }
  return svg;
}

// Draws the corners of the RoI, scaled and not rounded.
std::string Corners(const Map& map) {
  const Point first = map.At(kRoi[1] * kSpatialScale, kRoi[2] * kSpatialScale);
  const Point last = map.At(kRoi[3] * kSpatialScale, kRoi[4] * kSpatialScale);
  const Point below = map.At(kMapWidth, kMapHeight);
  return Circle(first, 3.5, Filled(kInk)) + Circle(last, 3.5, Filled(kInk)) +
         Text({first.x - 4, map.At(0, 1).y - 9}, "(x1, y1)",
              "class=\"small\" text-anchor=\"end\"") +
         Text({below.x, below.y + 16}, "(x2, y2)", "class=\"small\" text-anchor=\"end\"");
}

// Draws the RoI with one of the roundings.
std::string Panel(const Answers& answers, Point at, std::string_view head,
                  const std::array<std::string_view, 2>& notes) {
  const Extent x = ExtentOf(answers.rounding, "x", kRoi[1], kRoi[3]);
  const Extent y = ExtentOf(answers.rounding, "y", kRoi[2], kRoi[4]);
  const Map map({at.x + 18, at.y + 76});
  std::string svg = Text(at, head, "class=\"head\"");
  svg += Text({at.x, at.y + 21}, x.words, "class=\"small\"");
  svg += Text({at.x, at.y + 38}, y.words, "class=\"small\"");
  svg += Grid(map, answers.rounding) + Bins(map, answers) + Borders(map, x, y);
  svg += Corners(map) + Means(map, answers);
  const Point below = map.At(0, kMapHeight);
  for (size_t i = 0; i < notes.size(); ++i) {
    svg += Text({below.x, below.y + 38 + 17 * static_cast<double>(i)}, notes[i], "class=\"small\"");
  }
  return svg;
}

// Shows which bin reads which channel.
std::string Channels(const Answers& answers, Point at) {
  constexpr double kStep = 46;
  constexpr double kSide = 40;
  constexpr double kGap = 16;  // between the output channels
  std::string svg = Text(
      at, "Bin (ph, pw) of output channel d reads channel (d × group_size + ph) × group_size + pw",
      "class=\"head\"");
  for (int d = 0; d < kDim; ++d) {
    const double left = at.x + d * (kBins * kStep + kGap);
    for (int bin = 0; bin < kBins; ++bin) {
      const int channel = answers.channels[bin][d];
      const Point corner{left + (channel - d * kBins) * kStep, at.y + 16};
      const double middle = corner.x + kSide / 2;
      svg += Rectangle(corner, {corner.x + kSide, corner.y + kSide},
                       fmt::format("fill=\"{0}\" fill-opacity=\"0.17\" stroke=\"{0}\" "
                                   "stroke-width=\"{1}\" rx=\"3\"",
                                   kColors[bin], bin == kShownBin ? 3.2 : 1.5));
      svg += Text({middle, corner.y + 26}, std::to_string(channel), Bold(kColors[bin]));
      svg += Text({middle, corner.y + 56}, fmt::format("({}, {})", bin / kGroup, bin % kGroup),
                  "class=\"small middle\"");
    }
    const double right = left + (kBins - 1) * kStep + kSide;
    svg += Line({left, at.y + 84}, {right, at.y + 84}, fmt::format("stroke=\"{}\"", kFaint));
    svg += Text({(left + right) / 2, at.y + 101}, fmt::format("d = {}", d), "class=\"middle\"");
  }
  return svg;
}

// Lists the pixels of the shown bin in the channel of output channel d, for both roundings.
std::string Sum(const Answers& answers, const Pixels& drawn, int d, Point at) {
  const std::string_view color = kColors[kShownBin];
  const Pixels& pixels = answers.pixels[kShownBin];
  const int channel = answers.channels[kShownBin][d];
  const Map map({at.x - kCell * drawn.x_begin, at.y - kCell * drawn.y_begin});
  float sum = 0;
  std::string svg;
  for (int y = drawn.y_begin; y < drawn.y_end; ++y) {
    for (int x = drawn.x_begin; x < drawn.x_end; ++x) {
      const float feature = Feature(channel, y, x);
      const Point middle = map.At(x + 0.5, y + 0.5);
      if (pixels.Has(y, x)) {
        sum += feature;
        svg += map.Pixel(y, x,
                         fmt::format("fill=\"{0}\" fill-opacity=\"0.17\" stroke=\"{0}\"", color));
        svg += Text({middle.x, middle.y + 5}, fmt::format("{:.0f}", feature), Bold(color));
      } else {
        svg += map.Pixel(y, x, "class=\"unused\"");
      }
    }
  }
  const float mean = answers.means[kShownBin][d];
  if (sum / static_cast<float>(pixels.count()) != mean) {
    throw std::logic_error("the pixels do not make the mean");
  }
  const double right = map.At(drawn.x_end, 0).x + 12;
  svg += Text({right, at.y + 14}, fmt::format("channel {}", channel), "");
  svg += Text({right, at.y + 36}, fmt::format("{:.0f} / {}", sum, pixels.count()), "");
  return svg + Text({right, at.y + 60}, fmt::format("{:.2f}", mean),
                    fmt::format("font-size=\"15\" font-weight=\"bold\" fill=\"{}\"", color));
}

std::string Sums(const Answers& answers, const Pixels& drawn, Point at) {
  constexpr double kStep = 190;
  std::string svg;
  for (int d = 0; d < kDim; ++d) {
    svg += Sum(answers, drawn, d, {at.x + d * kStep, at.y});
  }
  return svg;
}

std::string Picture() {
  constexpr double kLeft = kMargin;
  constexpr double kRight = 472;
  const Answers before = Ask(RoiRounding::kBeforeScaling);
  const Answers after = Ask(RoiRounding::kAfterScaling);
  std::string svg = Head() + Title();
  svg += Panel(before, {kLeft, 100}, "RoiRounding::kBeforeScaling, and the C function",
               {"Dashed: the borders of the bins. A bin takes each pixel",
                "that is in it, if only in part: neighbors share pixels."});
  svg += Panel(after, {kRight, 100}, "RoiRounding::kAfterScaling, as in torchvision",
               {"Hatched: the last row and column, which never count.",
                "Dots: the corners of the roi, scaled and not rounded."});
  svg += detops::Rule(kWidth, 498) + Channels(before, {kLeft, 526}) + detops::Rule(kWidth, 646);
  const Pixels& drawn = before.pixels[kShownBin];
  svg += Text({kLeft, 674},
              fmt::format("The pixels of bin ({}, {}): rows {} to {}, columns {} to {}",
                          kShownBin / kGroup, kShownBin % kGroup, drawn.y_begin, drawn.y_end - 1,
                          drawn.x_begin, drawn.x_end - 1),
              "class=\"head\"");
  svg += Sums(before, drawn, {kLeft + 18, 692}) + Sums(after, drawn, {kRight + 18, 692});
  return svg + "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  return detops::WritePicture("psroipool_picture", argc, argv, Picture);
}
