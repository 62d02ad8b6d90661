// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Charts as SVG elements in a page, whose style sheet (report_style.h) sets colors and fonts. Text
// is escaped; it cannot contain markup.

#ifndef DETOPS_CLI_CHARTS_H_
#define DETOPS_CLI_CHARTS_H_

#include <string>
#include <vector>

namespace detops::cli {

struct ChartText {
  std::string id;           // data-chart
  std::string title;        // for screen readers
  std::string description;  // for screen readers
  std::string x_label;
  std::string y_label;  // unused by bar charts
};

struct ChartPoint {
  double x;
  double y;
  std::string name;  // the tooltip
};

struct Series {
  std::string name;
  bool is_reference;  // drawn in the color of the reference
  std::vector<ChartPoint> points;
};

// Plots time against size on logarithmic axes. Lines connect the geometric means of points of the
// same size. Points that are not positive and finite are left out; without points the chart is
// empty.
std::string TimeChart(const ChartText& text, const std::vector<Series>& series);

struct Roof {
  int threads;
  double bytes_per_second;
  double operations_per_second;
};

// Plots operations per second against operations per byte, with the limits of the machine. Points
// are numbered from 1; all must be positive.
std::string RooflineChart(const ChartText& text, const Roof& roof,
                          const std::vector<ChartPoint>& points);

struct Bar {
  std::string label;  // "1 thread"
  double ratio;       // positive
};

struct BarGroup {
  std::string name;
  std::vector<Bar> bars;
};

// Plots ratios as bars that start at 1, on a logarithmic axis.
std::string RatioChart(const ChartText& text, const std::vector<BarGroup>& groups);

}  // namespace detops::cli

#endif  // DETOPS_CLI_CHARTS_H_
