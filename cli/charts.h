// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Charts as SVG elements inside of a page, whose style sheet (report_style.h) gives them colours
// and letters. All text is taken as it is: none of it is markup.

#ifndef DETOPS_CLI_CHARTS_H_
#define DETOPS_CLI_CHARTS_H_

#include <string>
#include <vector>

namespace detops::cli {

struct ChartText {
  std::string id;           // data-chart
  std::string title;        // for readers who cannot see the chart
  std::string description;  // what is in it, likewise
  std::string x_label;
  std::string y_label;  // none for bars, which have their names
};

struct ChartPoint {
  double x;
  double y;
  std::string name;  // what a pointer on it shows
};

struct Series {
  std::string name;
  bool is_reference;  // drawn as what the others are compared with
  std::vector<ChartPoint> points;
};

// Times against sizes, both axes logarithmic; lines go through the middle of points of one size.
// Points that are not above 0 are left out.
std::string TimeChart(const ChartText& text, const std::vector<Series>& series);

struct Roof {
  int threads;
  double bytes_per_second;
  double operations_per_second;
};

// Operations in a second against operations per byte, below what the machine can do. Each point
// has its number, from 1 on, beside it. All are above 0.
std::string RooflineChart(const ChartText& text, const Roof& roof,
                          const std::vector<ChartPoint>& points);

struct Bar {
  std::string label;  // "1 thread"
  double ratio;       // above 0
};

struct BarGroup {
  std::string name;
  std::vector<Bar> bars;
};

// Ratios as bars on a logarithmic axis that begins at 1.
std::string RatioChart(const ChartText& text, const std::vector<BarGroup>& groups);

}  // namespace detops::cli

#endif  // DETOPS_CLI_CHARTS_H_
