// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The report's section about benchmarks.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/charts.h"
#include "cli/format.h"
#include "cli/html.h"
#include "cli/report_parts.h"

namespace detops::cli {
namespace {

std::string FasterText(const BenchResult& bench) {
  if (!HasSpeedUp(bench)) {
    return "-";
  }
  const double ratio = SpeedUp(bench);
  return ratio < 1 ? FormatRatio(1 / ratio) + " slower" : FormatRatio(ratio) + " faster";
}

std::string BenchTable(const std::string& op, const std::vector<const BenchResult*>& benchmarks) {
  Table table("bench-" + op, "Benchmarks of " + op,
              {{"Benchmark and inputs", Cell::kPlain},
               {"Threads", Cell::kFigure},
               {"Median", Cell::kFigure},
               {"Quartiles", Cell::kFigure},
               {"Reference", Cell::kFigure},
               {"IO", Cell::kFigure},
               {"Compute", Cell::kFigure}});
  for (const BenchResult* const one : benchmarks) {
    table.AddRow({NameAndDetail(one->name, one->shapes), std::to_string(one->threads),
                  FormatSeconds(one->seconds),
                  fmt::format("{} to {}", FormatSeconds(one->lower), FormatSeconds(one->upper)),
                  FasterText(*one), FormatPercent(one->io_efficiency),
                  FormatPercent(one->compute_efficiency)});
  }
  return "<div class=\"card\">\n" + table.Finish() + "</div>\n";
}

std::string PointName(const BenchResult& bench, double seconds) {
  return fmt::format("{}, {}: {}", bench.name, bench.shapes, FormatSeconds(seconds));
}

// One line per number of threads, and one for the reference.
std::vector<Series> TimesOf(const std::vector<const BenchResult*>& benchmarks) {
  std::map<int, Series> by_threads;
  Series reference = {"reference", true, {}};
  std::set<std::string> compared;
  for (const BenchResult* const one : benchmarks) {
    Series& series = by_threads[one->threads];
    series.name = Counted(static_cast<size_t>(one->threads), "thread");
    const auto size = static_cast<double>(one->elements);
    series.points.push_back({size, one->seconds, PointName(*one, one->seconds)});
    // The reference always has one thread, so every result of a benchmark has the same time.
    if (compared.insert(one->name + one->shapes).second) {
      reference.points.push_back(
          {size, one->reference_seconds, PointName(*one, one->reference_seconds)});
    }
  }
  std::vector<Series> all;
  for (auto& [threads, series] : by_threads) {
    series.is_reference = false;
    all.push_back(std::move(series));
  }
  all.push_back(std::move(reference));
  return all;
}

std::vector<BarGroup> SpeedUpsOf(const std::vector<const BenchResult*>& benchmarks) {
  std::vector<BarGroup> groups;
  for (const BenchResult* const one : benchmarks) {
    if (!HasSpeedUp(*one)) {
      continue;
    }
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const BarGroup& known) { return known.name == one->name; });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {one->name, {}});
    }
    group->bars.push_back({Counted(static_cast<size_t>(one->threads), "thread"), SpeedUp(*one)});
  }
  return groups;
}

std::string Figure(std::string_view caption, std::string_view note, const std::string& svg) {
  return svg.empty() ? ""
                     : fmt::format(
                           "<figure class=\"card\">\n<figcaption>{}<small>{}</small></figcaption>\n"
                           "{}</figure>\n",
                           caption, note, svg);
}

std::string OperatorCharts(const std::string& op,
                           const std::vector<const BenchResult*>& benchmarks) {
  const ChartText time = {
      .id = "time-" + op,
      .title = op + ": time against size",
      .description =
          "The median time of each benchmark against the number of elements of its "
          "tensors, for each number of threads and for the reference.",
      .x_label = "elements of inputs and outputs",
      .y_label = "time per call",
  };
  const ChartText speed_up = {
      .id = "speedup-" + op,
      .title = op + ": speed-up over the reference",
      .description =
          "How many times faster than the scalar reference each benchmark is, for each "
          "number of threads.",
      .x_label = "speed relative to the reference, log scale",
      .y_label = "",
  };
  const std::vector<BarGroup> groups = SpeedUpsOf(benchmarks);
  return "<div class=\"pair charts\">\n" +
         Figure("Time against size",
                "Both axes are logarithmic. Lines connect the geometric means of each size.",
                TimeChart(time, TimesOf(benchmarks))) +
         Figure("Speed-up over the reference", "The reference is scalar and single-threaded.",
                groups.empty() ? "" : RatioChart(speed_up, groups)) +
         "</div>\n";
}

bool IsOnRoofline(const BenchResult& bench) {
  return bench.work.bytes > 0 && bench.work.operations > 0 && bench.seconds > 0;
}

std::string Roofline(const ReportData& data) {
  const Limits limits = data.machine.limits.empty() ? Limits{0, 0, 0} : data.machine.limits.back();
  if (!(limits.bytes_per_second > 0 && limits.operations_per_second > 0)) {
    return "";
  }
  const int threads = MaxThreads(data.benchmarks);
  std::vector<ChartPoint> points;
  Table table("roofline", "Numbers of the roofline chart",
              {{"No.", Cell::kPlain},
               {"Benchmark", Cell::kPlain},
               {"op/byte", Cell::kFigure},
               {"Speed", Cell::kFigure},
               {"Of its limit", Cell::kFigure}});
  for (const BenchResult& one : data.benchmarks) {
    if (one.threads != threads || !IsOnRoofline(one)) {
      continue;
    }
    const double intensity = one.work.operations / one.work.bytes;
    const double speed = one.work.operations / one.seconds;
    const double roof = std::min(limits.operations_per_second, intensity * limits.bytes_per_second);
    points.push_back({intensity, speed, one.op + ", " + one.name});
    table.AddRow({std::to_string(points.size()), NameAndDetail(one.op, one.name),
                  FormatThreeDigits(intensity), FormatWithPrefix(speed, "op/s"),
                  FormatPercent(speed / roof)});
  }
  if (points.empty()) {
    return "";
  }
  const ChartText text = {
      .id = "roofline",
      .title = "Roofline",
      .description =
          "Operations per second of each benchmark against its operations per byte, "
          "below the limits of the machine's memory and arithmetic.",
      .x_label = "operations per byte",
      .y_label = "operations per second",
  };
  const std::string note =
      fmt::format("With {}. The data of points above the slope came from the caches.",
                  Counted(static_cast<size_t>(threads), "thread"));
  return "<h3>Compared with the machine&#39;s limits</h3>\n<div class=\"pair\">\n" +
         Figure("Roofline", note,
                RooflineChart(
                    text, {limits.threads, limits.bytes_per_second, limits.operations_per_second},
                    points)) +
         "<div class=\"card key\">\n" + table.Finish() + "</div>\n</div>\n";
}

}  // namespace

std::string PerformanceSection(const ReportData& data) {
  if (data.benchmarks.empty()) {
    return "";
  }
  std::string html =
      "<section>\n<h2 id=\"performance\">Performance</h2>\n<p>Results are checked before they are "
      "timed. IO and Compute are the least bytes and operations that a call needs, per second of "
      "its time, as a share of the machine&#39;s measured limits: bytes moved past the caches, and "
      "float additions and multiplications that are not fused, because no operator fuses them. IO "
      "above 100 % means that the data came from the caches.</p>\n";
  html += Roofline(data);
  for (const std::string& op : OperatorsOf(data.benchmarks)) {
    const std::vector<const BenchResult*> own = OfOperator(data.benchmarks, op);
    html +=
        fmt::format("<h3>{}</h3>\n", Escape(op)) + OperatorCharts(op, own) + BenchTable(op, own);
  }
  return html + "</section>\n";
}

}  // namespace detops::cli
