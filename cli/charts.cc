// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>

#include "cli/format.h"
#include "cli/html.h"

namespace detops::cli {
namespace {

constexpr double kWidth = 440;
// The font is largest on phones, where the style sheet gives letters this height. Distances are
// chosen for that.
constexpr double kLetterHeight = 18;
constexpr double kLeft = 72;
constexpr double kRight = kWidth - 30;

// Upper bounds for common fonts. Each byte of a multibyte UTF-8 character counts as a letter.
double LetterWidth(char letter) {
  if (std::string_view("MWmw@%").find(letter) != std::string_view::npos) {
    return 15;
  }
  return letter >= 'A' && letter <= 'Z' ? 12 : 9.6;
}

double TextWidth(std::string_view text) {
  double width = 0;
  for (const char letter : text) {
    width += LetterWidth(letter);
  }
  return width;
}

struct Place {
  double x, y;
};

struct Box {
  double left, top, right, bottom;
};

double Overlap(const Box& a, const Box& b) {
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

Box Around(Place center, double width, double height) {
  return {center.x - width / 2, center.y - height / 2, center.x + width / 2, center.y + height / 2};
}

// ---- Elements -----------------------------------------------------------------------------------

std::string Text(Place at, std::string_view style, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", at.x, at.y, style,
                     Escape(text));
}

std::string Line(Place from, Place to, std::string_view style) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", from.x,
      from.y, to.x, to.y, style);
}

std::string Path(const std::vector<Place>& places, std::string_view style) {
  std::string path;
  for (const Place& place : places) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", place.x, place.y);
  }
  return fmt::format("<path d=\"{}\" class=\"{}\"/>\n", path, style);
}

std::string Begin(const ChartText& text, double height) {
  return fmt::format(
      "<svg class=\"chart\" data-chart=\"{0}\" viewBox=\"0 0 {1} {2:.0f}\" role=\"img\" "
      "aria-labelledby=\"{0}-title {0}-desc\">\n<title id=\"{0}-title\">{3}</title>\n"
      "<desc id=\"{0}-desc\">{4}</desc>\n",
      Escape(text.id), kWidth, height, Escape(text.title), Escape(text.description));
}

// Returns the text, cut at the end and with dots when it is too wide.
std::string Shortened(const std::string& text, double width) {
  if (TextWidth(text) <= width) {
    return text;
  }
  constexpr std::string_view kDots = "...";
  size_t kept = 0;
  for (double used = TextWidth(kDots); used + LetterWidth(text[kept]) <= width; ++kept) {
    used += LetterWidth(text[kept]);
  }
  while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0) == 0x80) {
    --kept;  // do not cut within a UTF-8 character
  }
  return text.substr(0, kept).append(kDots);
}

// ---- Axes ---------------------------------------------------------------------------------------

struct LogAxis {
  double low, high;      // decimal logarithms of the ends
  double begin, end;     // their coordinates in the chart
  double tick_distance;  // minimum

  double operator()(double value) const {
    return begin + (std::log10(value) - low) / (high - low) * (end - begin);
  }
  double decade() const { return std::fabs(end - begin) / (high - low); }
};

// Returns an axis that covers all values with a margin, and at least one decade.
LogAxis AxisAround(const std::vector<double>& values, double begin, double end,
                   double tick_distance) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = std::log10(*least);
  const double high = std::log10(*most);
  const double margin = std::max(0.06 * (high - low), (1 - (high - low)) / 2);
  return {
      .low = low - margin,
      .high = high + margin,
      .begin = begin,
      .end = end,
      .tick_distance = tick_distance,
  };
}

// Returns round numbers for an axis, with at least `tick_distance` between them.
std::vector<double> Ticks(const LogAxis& axis) {
  std::vector<double> mantissas = {1, 2, 5};
  if (axis.decade() * std::log10(2.0) < axis.tick_distance) {
    mantissas = {1, 3};
  }
  if (axis.decade() * std::log10(3.0) < axis.tick_distance) {
    mantissas = {1};
  }
  const int step = std::max(1, static_cast<int>(std::ceil(axis.tick_distance / axis.decade())));
  std::vector<double> ticks;
  for (int power = static_cast<int>(std::floor(axis.low)); power <= axis.high; ++power) {
    for (const double mantissa : mantissas) {
      const double at = power + std::log10(mantissa);
      if (power % step == 0 && at >= axis.low && at <= axis.high) {
        ticks.push_back(mantissa * std::pow(10.0, power));
      }
    }
  }
  return ticks;
}

// Returns the label of a tick, "100 k".
std::string Scaled(double value, std::string_view unit) {
  constexpr std::array<const char*, 9> kPrefixes = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
  constexpr int kNoPrefix = 4;
  const int thousands =
      std::clamp(static_cast<int>(std::floor(std::log10(value) / 3 + 1e-9)), -kNoPrefix, kNoPrefix);
  const std::string prefix = kPrefixes[thousands + kNoPrefix] + std::string(unit);
  return fmt::format("{:.3g}{}{}", value / std::pow(1000.0, thousands), prefix.empty() ? "" : " ",
                     prefix);
}

std::string PlainNumber(double value) { return fmt::format("{:.4g}", value); }

struct Plot {
  LogAxis x, y;
};

// Draws lines and labels of both axes. The name of the vertical axis is above it.
template <class XText, class YText>
std::string Axes(const ChartText& text, const Plot& plot, const XText& x_text,
                 const YText& y_text) {
  const double top = plot.y.end;
  const double bottom = plot.y.begin;
  std::string svg = Text({0, 15}, "axis name", text.y_label);
  for (const double tick : Ticks(plot.x)) {
    svg += Line({plot.x(tick), top}, {plot.x(tick), bottom}, "grid");
    svg += Text({plot.x(tick), bottom + 20}, "axis middle", x_text(tick));
  }
  for (const double tick : Ticks(plot.y)) {
    svg += Line({plot.x.begin, plot.y(tick)}, {plot.x.end, plot.y(tick)}, "grid");
    svg += Text({plot.x.begin - 8, plot.y(tick) + 5}, "axis end", y_text(tick));
  }
  svg += Line({plot.x.begin, bottom}, {plot.x.end, bottom}, "base");
  return svg +
         Text({(plot.x.begin + plot.x.end) / 2, bottom + 43}, "axis name middle", text.x_label);
}

// ---- Lines --------------------------------------------------------------------------------------

// Each style has its own shape, for readers who cannot distinguish the colors.
std::string Marker(Place at, size_t style, std::string_view name) {
  constexpr double kSize = 4.5;
  std::string shape;
  switch (style % 3) {
    case 0:
      shape = fmt::format("circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"", at.x, at.y, kSize);
      break;
    case 1:
      shape = fmt::format("rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"", at.x - kSize,
                          at.y - kSize, 2 * kSize, 2 * kSize);
      break;
    default:
      shape = fmt::format("path d=\"M{:.1f} {:.1f} l6 6 l-6 6 l-6 -6 z\"", at.x, at.y - 6);
  }
  return fmt::format("<{} class=\"marker\"><title>{}</title></{}>\n", shape, Escape(name),
                     shape.substr(0, shape.find(' ')));
}

// Returns the CSS class of a series: its own color, or that of the reference.
std::string StyleOf(const Series& series, size_t index) {
  return series.is_reference ? "series reference" : fmt::format("series s{}", index % 3);
}

// Draws the names in one row, or more when they do not fit. Moves `y` to the last row.
std::string Legend(const std::vector<Series>& series, double& y) {
  constexpr double kSample = 30;
  constexpr double kGap = 16;
  std::string svg;
  double x = 0;
  for (size_t i = 0; i < series.size(); ++i) {
    const std::string name = Shortened(series[i].name, kWidth - kSample);
    const double width = kSample + TextWidth(name);
    if (x > 0 && x + width > kWidth) {
      x = 0;
      y += kLetterHeight + 4;
    }
    svg += fmt::format("<g class=\"{}\">", StyleOf(series[i], i));
    svg += Line({x, y - 5}, {x + 24, y - 5}, "line") + Marker({x + 12, y - 5}, i, name) + "</g>\n";
    svg += Text({x + kSample, y}, "legend", name);
    x += width + kGap;
  }
  return svg;
}

bool IsDrawable(const ChartPoint& point) {
  return point.x > 0 && point.y > 0 && std::isfinite(point.x) && std::isfinite(point.y);
}

// Returns the geometric means of the points of each size, in ascending order of size.
std::vector<Place> LineThrough(const std::vector<ChartPoint>& points, const Plot& plot) {
  struct Heights {
    double sum = 0;
    double count = 0;
  };
  std::map<double, Heights> heights;
  for (const ChartPoint& point : points) {
    Heights& own = heights[point.x];
    own.sum += plot.y(point.y);
    own.count += 1;
  }
  std::vector<Place> line;
  line.reserve(heights.size());
  for (const auto& [size, own] : heights) {
    line.push_back({plot.x(size), own.sum / own.count});
  }
  return line;
}

std::string DrawSeries(const Series& series, size_t index, const Plot& plot) {
  std::vector<ChartPoint> points;
  std::copy_if(series.points.begin(), series.points.end(), std::back_inserter(points), IsDrawable);
  std::string markers;
  for (const ChartPoint& point : points) {
    markers += Marker({plot.x(point.x), plot.y(point.y)}, index, point.name);
  }
  const std::vector<Place> line = LineThrough(points, plot);
  return fmt::format("<g class=\"{}\">\n{}{}</g>\n", StyleOf(series, index),
                     line.size() > 1 ? Path(line, "line") : "", markers);
}

}  // namespace

std::string TimeChart(const ChartText& text, const std::vector<Series>& series) {
  constexpr double kPlotHeight = 240;
  std::vector<double> sizes;
  std::vector<double> times;
  for (const Series& one : series) {
    for (const ChartPoint& point : one.points) {
      if (IsDrawable(point)) {
        sizes.push_back(point.x);
        times.push_back(point.y);
      }
    }
  }
  if (sizes.empty()) {
    return "";
  }
  double top = 40;
  const std::string legend = Legend(series, top);
  top += 18;
  const Plot plot = {AxisAround(sizes, kLeft, kRight, 62),
                     AxisAround(times, top + kPlotHeight, top, 30)};
  std::string svg = Begin(text, top + kPlotHeight + 52) + legend;
  svg += Axes(
      text, plot, [](double tick) { return Scaled(tick, ""); },
      [](double tick) { return Scaled(tick, "s"); });
  for (size_t i = 0; i < series.size(); ++i) {
    svg += DrawSeries(series[i], i, plot);
  }
  return svg + "</svg>\n";
}

// ---- The roofline -------------------------------------------------------------------------------

namespace {

constexpr double kPointRadius = 5;
// Height of the digits themselves, without the spacing that kLetterHeight includes.
constexpr double kDigitHeight = 11;

// Finds a place near a point for a number of that width, away from all points and other numbers.
// Returns the place with the least overlap when none is free.
Place PlaceNumber(Place point, double width, const std::vector<Place>& points,
                  const std::vector<Box>& numbers, const Box& plot) {
  constexpr int kAngles = 16;
  constexpr int kRings = 12;
  constexpr double kFree = 0.5;  // square pixels of overlap that rounding may cause
  Place best = point;
  double best_cost = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < kAngles * kRings && best_cost > kFree; ++turn) {
    const int ring = turn / kAngles;
    const double distance = 16 + 8.0 * ring;
    const double angle = -0.8 + turn % kAngles * (6.283185307179586 / kAngles);
    const Place at = {point.x + distance * std::cos(angle), point.y + distance * std::sin(angle)};
    const Box box = Around(at, width, kLetterHeight);
    const Box digits = Around(at, width, kDigitHeight);
    double cost = width * kLetterHeight - Overlap(box, plot);  // the area outside of the plot
    for (const Box& other : numbers) {
      cost += Overlap(box, other);
    }
    for (const Place& other : points) {
      cost += Overlap(digits, Around(other, 2 * kPointRadius, 2 * kPointRadius));
    }
    if (cost < best_cost) {
      best_cost = cost;
      best = at;
    }
  }
  return best;
}

std::string DrawPoints(const std::vector<ChartPoint>& points, const Plot& plot) {
  std::vector<Place> places;
  places.reserve(points.size());
  for (const ChartPoint& point : points) {
    places.push_back({plot.x(point.x), plot.y(point.y)});
  }
  const Box inside = {plot.x.begin, plot.y.end, plot.x.end, plot.y.begin};
  std::vector<Box> numbers;
  std::string leaders;
  std::string markers;
  for (size_t i = 0; i < points.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    const double width = TextWidth(number) + 4;
    const Place at = PlaceNumber(places[i], width, places, numbers, inside);
    numbers.push_back(Around(at, width, kLetterHeight));
    if (std::hypot(at.x - places[i].x, at.y - places[i].y) > 20) {
      leaders += Line(places[i], at, "leader");
    }
    markers += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" "
        "class=\"marker\"><title>{}</title></circle>\n",
        places[i].x, places[i].y, kPointRadius, Escape(points[i].name));
    markers += Text({at.x, at.y + 5}, "number middle", number);
  }
  return fmt::format("<g class=\"series s0\">\n{}{}</g>\n", leaders, markers);
}

}  // namespace

std::string RooflineChart(const ChartText& text, const Roof& roof,
                          const std::vector<ChartPoint>& points) {
  constexpr double kTop = 82;
  constexpr double kBottom = 400;
  const double knee = roof.operations_per_second / roof.bytes_per_second;
  // Both parts of the roof must be visible.
  std::vector<double> intensities = {knee / 8, knee * 8};
  std::vector<double> rates = {roof.operations_per_second / 8, roof.operations_per_second};
  for (const ChartPoint& point : points) {
    intensities.push_back(point.x);
    rates.push_back(point.y);
  }
  const Plot plot = {AxisAround(intensities, kLeft, kRight, 50),
                     AxisAround(rates, kBottom, kTop, 30)};
  // The slope enters the plot at its left side or at its bottom.
  const double first =
      std::max(std::pow(10.0, plot.x.low), std::pow(10.0, plot.y.low) / roof.bytes_per_second);
  const std::vector<Place> line = {{plot.x(first), plot.y(first * roof.bytes_per_second)},
                                   {plot.x(knee), plot.y(roof.operations_per_second)},
                                   {kRight, plot.y(roof.operations_per_second)}};
  std::vector<Place> area = line;
  area.push_back({kRight, kBottom});
  area.push_back({plot.x(first), kBottom});
  std::string svg = Begin(text, kBottom + 52);
  svg += Text({0, 40}, "legend",
              fmt::format("Slope: memory, {}", FormatWithPrefix(roof.bytes_per_second, "B/s")));
  svg += Text({0, 62}, "legend",
              fmt::format("Flat: arithmetic, not fused, {}",
                          FormatWithPrefix(roof.operations_per_second, "op/s")));
  svg += Path(area, "under");
  svg += Axes(text, plot, PlainNumber, [](double tick) { return Scaled(tick, ""); });
  return svg + Path(line, "roof") + DrawPoints(points, plot) + "</svg>\n";
}

// ---- Bars ---------------------------------------------------------------------------------------

namespace {

constexpr double kBarHeight = 14;
constexpr double kBarPitch = 21;
constexpr double kBarLabelWidth = 164;
constexpr double kGroupNameHeight = 26;

double HeightOf(const BarGroup& group) {
  return kGroupNameHeight + kBarPitch * static_cast<double>(group.bars.size()) + 8;
}

// Returns an axis from the smallest ratio, at most 1, to the largest, at least one decade.
LogAxis RatioAxis(const std::vector<BarGroup>& groups) {
  double least = 1;
  double most = 1;
  for (const BarGroup& group : groups) {
    for (const Bar& bar : group.bars) {
      least = std::min(least, bar.ratio);
      most = std::max(most, bar.ratio);
    }
  }
  const double low = std::log10(least);
  const double begin = least < 1 ? 28 : 12;  // half the width of the first label
  return {
      .low = low,
      .high = std::max(std::log10(most), low + 1),
      .begin = begin,
      .end = kWidth - kBarLabelWidth,
      .tick_distance = 62,
  };
}

std::string DrawBar(const Bar& bar, size_t style, double y, const LogAxis& axis) {
  const double from = std::min(axis(1), axis(bar.ratio));
  const double to = std::max(axis(1), axis(bar.ratio));
  const std::string label = fmt::format("{}, {}", FormatRatio(bar.ratio), bar.label);
  return fmt::format(
             "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" class=\"bar "
             "b{}\"/>\n",
             from, y, std::max(to - from, 1.0), kBarHeight, style % 3) +
         Text({to + 8, y + 12}, "value", Shortened(label, kBarLabelWidth - 8));
}

// Draws the name of a group and, below it, the grid and the bars.
std::string DrawGroup(const BarGroup& group, double top, const LogAxis& axis) {
  const double bars = top + kGroupNameHeight;
  const double bottom = top + HeightOf(group) - 8;
  std::string svg = Text({0, top + 19}, "legend", Shortened(group.name, kWidth));
  for (const double tick : Ticks(axis)) {
    svg += Line({axis(tick), bars - 2}, {axis(tick), bottom}, "grid");
  }
  for (size_t i = 0; i < group.bars.size(); ++i) {
    svg += DrawBar(group.bars[i], i, bars + kBarPitch * static_cast<double>(i), axis);
  }
  return svg + Line({axis(1), bars - 2}, {axis(1), bottom}, "base");
}

}  // namespace

std::string RatioChart(const ChartText& text, const std::vector<BarGroup>& groups) {
  const LogAxis axis = RatioAxis(groups);
  std::string bars;
  double height = 0;
  for (const BarGroup& group : groups) {
    bars += DrawGroup(group, height, axis);
    height += HeightOf(group);
  }
  std::string svg = Begin(text, height + 46) + bars;
  for (const double tick : Ticks(axis)) {
    svg += Text({axis(tick), height + 14}, "axis middle", PlainNumber(tick) + "x");
  }
  return svg + Text({0, height + 38}, "axis name", text.x_label) + "</svg>\n";
}

}  // namespace detops::cli
