// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "cli/charts.h"
#include "cli/format.h"
#include "cli/html.h"
#include "cli/report_style.h"
#include "mlu_op.h"

namespace detops::cli {
namespace {

// "BAD_PARAM".
std::string StatusText(mluOpStatus_t status) {
  constexpr std::string_view kPrefix = "MLUOP_STATUS_";
  const std::string_view name = mluOpGetErrorString(status);
  return std::string(name.substr(0, kPrefix.size()) == kPrefix ? name.substr(kPrefix.size())
                                                               : name);
}

template <class Item>
std::vector<const Item*> OfOperator(const std::vector<Item>& items, const std::string& op) {
  std::vector<const Item*> found;
  for (const Item& item : items) {
    if (item.op == op) {
      found.push_back(&item);
    }
  }
  return found;
}

// In the order in which they come first.
template <class Item>
std::vector<std::string> OperatorsOf(const std::vector<Item>& items) {
  std::vector<std::string> operators;
  for (const Item& item : items) {
    if (std::find(operators.begin(), operators.end(), item.op) == operators.end()) {
      operators.push_back(item.op);
    }
  }
  return operators;
}

size_t CountPassed(const std::vector<const CaseResult*>& cases) {
  return static_cast<size_t>(
      std::count_if(cases.begin(), cases.end(), [](const CaseResult* one) { return one->passed; }));
}

const char* Badge(bool passed) {
  return passed ? "<span class=\"badge pass\">pass</span>"
                : "<span class=\"badge fail\">FAIL</span>";
}

// ---- Tables -------------------------------------------------------------------------------------

enum class Cell { kPlain, kFigure, kProse };  // figures are set to the right, prose may be wrapped

struct Column {
  const char* name;
  Cell cell;
};

// Cells are HTML. The first one of a row is its head.
class Table {
 public:
  Table(std::string_view id, std::string_view label, std::vector<Column> columns)
      : columns_(std::move(columns)),
        html_(
            fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{1}\">\n"
                        "<table data-table=\"{0}\">\n<thead><tr>",
                        Escape(id), Escape(label))) {
    for (const Column& column : columns_) {
      html_ += fmt::format("<th scope=\"col\"{}>{}</th>", ClassOf(column), column.name);
    }
    html_ += "</tr></thead>\n<tbody>\n";
  }

  void AddRow(const std::vector<std::string>& cells) {
    html_ += "<tr>";
    for (size_t i = 0; i < cells.size(); ++i) {
      html_ += i == 0 ? fmt::format("<th scope=\"row\">{}</th>", cells[i])
                      : fmt::format("<td{}>{}</td>", ClassOf(columns_[i]), cells[i]);
    }
    html_ += "</tr>\n";
  }

  std::string Finish() const { return html_ + "</tbody>\n</table>\n</div>\n"; }

 private:
  static const char* ClassOf(const Column& column) {
    switch (column.cell) {
      case Cell::kFigure:
        return " class=\"figure\"";
      case Cell::kProse:
        return " class=\"prose\"";
      case Cell::kPlain:
        break;
    }
    return "";
  }

  std::vector<Column> columns_;
  std::string html_;
};

// Names may be wrapped after their underscores.
std::string NameAndDetail(std::string_view name, std::string_view detail) {
  std::string html;
  for (const char c : Escape(name)) {
    html += c;
    html += c == '_' ? "<wbr>" : "";
  }
  return fmt::format("{}<small>{}</small>", html, Escape(detail));
}

// ---- The head -----------------------------------------------------------------------------------

std::string Verdict(const ReportData& data) {
  if (data.cases.empty()) {
    return "<p class=\"verdict\">No cases were run.</p>\n";
  }
  const auto passed = static_cast<size_t>(std::count_if(
      data.cases.begin(), data.cases.end(), [](const CaseResult& one) { return one.passed; }));
  return fmt::format("<p class=\"verdict\">{} {} of {} pass</p>\n",
                     Badge(passed == data.cases.size()), passed,
                     Counted(data.cases.size(), "case"));
}

int MostThreads(const std::vector<BenchResult>& benchmarks) {
  int threads = 0;
  for (const BenchResult& one : benchmarks) {
    threads = std::max(threads, one.threads);
  }
  return threads;
}

double SpeedUp(const BenchResult& bench) { return bench.reference_seconds / bench.seconds; }

bool HasSpeedUp(const BenchResult& bench) {
  return bench.reference_seconds > 0 && bench.seconds > 0;
}

std::string Tile(std::string_view name, std::string_view value) {
  return fmt::format("<div class=\"tile\"><dt>{}</dt><dd>{}</dd></div>\n", name, value);
}

std::string Tiles(const ReportData& data) {
  std::string tiles;
  const std::vector<std::string> operators = OperatorsOf(data.cases);
  if (!operators.empty()) {
    tiles += Tile("Operators tested", std::to_string(operators.size()));
  }
  const int threads = MostThreads(data.benchmarks);
  std::vector<double> ratios;
  for (const BenchResult& one : data.benchmarks) {
    if (one.threads == threads && HasSpeedUp(one)) {
      ratios.push_back(SpeedUp(one));
    }
  }
  if (!ratios.empty()) {
    std::sort(ratios.begin(), ratios.end());
    tiles += Tile("Median speed-up over the reference", FormatRatio(ratios[ratios.size() / 2]));
    // Not the largest ratio: inputs on which the library can skip the work would set it.
    const auto faster =
        std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio > 1; });
    tiles += Tile("Benchmarks faster than the reference",
                  fmt::format("{} of {}", faster, ratios.size()));
  }
  if (!data.demo.empty()) {
    const auto equal = std::count_if(data.demo.begin(), data.demo.end(),
                                     [](const DemoPart& part) { return part.equals_reference; });
    tiles += Tile("Demo results that equal the reference",
                  fmt::format("{} of {}", equal, data.demo.size()));
  }
  return tiles.empty() ? "" : "<dl class=\"tiles\">\n" + tiles + "</dl>\n";
}

std::string Navigation(const ReportData& data) {
  std::string links = "<li><a href=\"#machine\">Machine</a></li>\n";
  if (!data.cases.empty()) {
    links += "<li><a href=\"#accuracy\">Accuracy</a></li>\n";
  }
  if (!data.benchmarks.empty()) {
    links += "<li><a href=\"#performance\">Performance</a></li>\n";
  }
  if (!data.demo.empty()) {
    links += "<li><a href=\"#demonstration\">Demonstration</a></li>\n";
  }
  return "<nav aria-label=\"Contents\"><ul>\n" + links + "</ul></nav>\n";
}

std::string Header(const ReportData& data) {
  return fmt::format(
      "<header>\n<h1>detops test report</h1>\n{}<p class=\"faint\">{} &middot; version {} &middot; "
      "{}</p>\n{}</header>\n",
      Verdict(data), Escape(data.date), Escape(data.machine.info.version),
      Escape(data.machine.info.cpu), Navigation(data));
}

std::string Fact(std::string_view name, std::string_view value) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, Escape(value));
}

std::string MachineSection(const Machine& machine) {
  const Info& info = machine.info;
  std::string html = "<section>\n<h2 id=\"machine\">Machine</h2>\n<div class=\"pair\">\n";
  html += "<div class=\"card\"><table class=\"facts\" data-table=\"machine\"><tbody>\n";
  html += Fact("Version of detops", info.version) + Fact("CPU", info.cpu) +
          Fact("Cores", std::to_string(info.cores)) +
          Fact("Threads", std::to_string(info.threads)) +
          Fact("Instruction set in use", info.simd_target) +
          Fact("Instruction sets available", fmt::format("{}", fmt::join(info.simd_targets, ", ")));
  html += "</tbody></table></div>\n<div class=\"card\">\n";
  Table limits(
      "limits", "What the machine can do",
      {{"Threads", Cell::kPlain}, {"Memory", Cell::kFigure}, {"Peak, float", Cell::kFigure}});
  for (const Limits& one : machine.limits) {
    limits.AddRow({std::to_string(one.threads), FormatWithPrefix(one.bytes_per_second, "B/s"),
                   FormatWithPrefix(one.operations_per_second, "op/s")});
  }
  return html + limits.Finish() + "</div>\n</div>\n</section>\n";
}

// ---- Accuracy -----------------------------------------------------------------------------------

// How much of the limit is used up.
double ShareOfLimit(const Check& check) {
  if (!check.passed) {
    return std::numeric_limits<double>::infinity();
  }
  return check.value == 0 ? 0 : check.value / check.threshold;
}

// "3.2e-8", and what else belongs to the measure.
std::string ValueText(const Check& check) {
  switch (check.measure) {
    case Measure::kDiff3:
      return fmt::format("{} relative, {} absolute", FormatError(check.value),
                         FormatError(check.second));
    case Measure::kDiff4:
      return fmt::format("{} of {:.0f} unequal", FormatError(check.value), check.second);
    default:
      return FormatError(check.value);
  }
}

// "diff1 0, limit 0.003".
std::string CheckText(const Check& check) {
  return fmt::format("{} {}, limit {}{}", NameOf(check.measure), ValueText(check),
                     FormatError(check.threshold), check.passed ? "" : " (FAIL)");
}

// "indices against the reference".
std::string SubjectText(const Check& check) {
  const std::string_view against = check.against;
  return fmt::format("{} against the {}", Escape(check.output),
                     against == "expected" ? "expected values" : against);
}

// Why a case failed, one line.
std::string FailureText(const CaseResult& one) {
  std::string text;
  if (one.status != one.expected_status) {
    text = fmt::format("status {}, expected {}", StatusText(one.status),
                       StatusText(one.expected_status));
  }
  for (const Check& check : one.checks) {
    if (!check.passed) {
      text += (text.empty() ? "" : "; ") + SubjectText(check) + ": " + CheckText(check);
    }
  }
  if (!one.message.empty()) {
    text += (text.empty() ? "" : ": ") + Escape(one.message);
  }
  return text;
}

std::string Failures(const std::vector<CaseResult>& cases) {
  std::string items;
  for (const CaseResult& one : cases) {
    if (!one.passed) {
      items += fmt::format(
          "<li>{} <strong>{}</strong> of {}<br><span class=\"faint\">{}</span><br>{}</li>\n",
          Badge(false), Escape(one.name), Escape(one.op), Escape(one.shapes), FailureText(one));
    }
  }
  return items.empty() ? ""
                       : "<section class=\"card failures\" data-table=\"failures\">\n<h2>Failed "
                         "cases</h2>\n<ul>\n" +
                             items + "</ul>\n</section>\n";
}

// The check of that measure that comes nearest to its limit, or goes furthest beyond it; null when
// there is none.
const Check* Worst(const std::vector<const CaseResult*>& cases, Measure measure) {
  const Check* worst = nullptr;
  for (const CaseResult* const one : cases) {
    for (const Check& check : one->checks) {
      if (check.measure == measure &&
          (worst == nullptr || ShareOfLimit(check) > ShareOfLimit(*worst))) {
        worst = &check;
      }
    }
  }
  return worst;
}

std::string AccuracySummary(const std::vector<CaseResult>& cases,
                            const std::vector<std::string>& operators) {
  std::vector<const CaseResult*> all;
  all.reserve(cases.size());
  for (const CaseResult& one : cases) {
    all.push_back(&one);
  }
  std::vector<Column> columns = {{"Operator", Cell::kPlain},
                                 {"Result", Cell::kPlain},
                                 {"Cases", Cell::kFigure},
                                 {"Passed", Cell::kFigure}};
  std::vector<Measure> measures;
  for (const Measure measure : kAllMeasures) {
    if (Worst(all, measure) != nullptr) {
      measures.push_back(measure);
      columns.push_back({NameOf(measure), Cell::kFigure});
    }
  }
  Table table("accuracy", "Accuracy of each operator", columns);
  for (const std::string& op : operators) {
    const std::vector<const CaseResult*> own = OfOperator(cases, op);
    const size_t passed = CountPassed(own);
    std::vector<std::string> cells = {Escape(op), Badge(passed == own.size()),
                                      std::to_string(own.size()), std::to_string(passed)};
    for (const Measure measure : measures) {
      const Check* const worst = Worst(own, measure);
      cells.push_back(worst == nullptr ? "-"
                                       : fmt::format("{}<small>limit {}</small>", ValueText(*worst),
                                                     FormatError(worst->threshold)));
    }
    table.AddRow(cells);
  }
  return "<div class=\"card\">\n" + table.Finish() + "</div>\n";
}

// One line for each output and what it is compared with.
std::string ChecksCell(const CaseResult& one) {
  if (one.checks.empty()) {
    return one.message.empty() ? "-" : Escape(one.message);
  }
  std::string cell;
  std::string last_subject;
  for (const Check& check : one.checks) {
    const std::string subject = SubjectText(check);
    if (subject == last_subject) {
      cell += "; ";
    } else {
      cell += (cell.empty() ? "" : "<br>") + subject + ": ";
      last_subject = subject;
    }
    cell += fmt::format("<span class=\"check\">{}</span>", CheckText(check));
  }
  return cell;
}

std::string ResultCell(const CaseResult& one) {
  return one.status == MLUOP_STATUS_SUCCESS
             ? Badge(one.passed)
             : fmt::format("{}<small>{}</small>", Badge(one.passed), StatusText(one.status));
}

std::string CasesOf(const std::string& op, const std::vector<const CaseResult*>& cases) {
  Table table("cases-" + op, "Cases of " + op,
              {{"Case and inputs", Cell::kPlain},
               {"Result", Cell::kPlain},
               {"Time", Cell::kFigure},
               {"IO", Cell::kFigure},
               {"Compute", Cell::kFigure},
               {"Measures, or why it was refused", Cell::kProse}});
  for (const CaseResult* const one : cases) {
    const bool is_timed = one->seconds > 0;
    table.AddRow({NameAndDetail(one->name, one->shapes), ResultCell(*one),
                  FormatSeconds(one->seconds), is_timed ? FormatPercent(one->io_efficiency) : "-",
                  is_timed ? FormatPercent(one->compute_efficiency) : "-", ChecksCell(*one)});
  }
  const size_t passed = CountPassed(cases);
  return fmt::format(
      "<details class=\"card\">\n<summary>{} {}: {} of {} pass</summary>\n{}"
      "</details>\n",
      Badge(passed == cases.size()), Escape(op), passed, Counted(cases.size(), "case"),
      table.Finish());
}

std::string AccuracySection(const std::vector<CaseResult>& cases) {
  if (cases.empty()) {
    return "";
  }
  const std::vector<std::string> operators = OperatorsOf(cases);
  std::string html =
      "<section>\n<h2 id=\"accuracy\">Accuracy</h2>\n<p>Every case runs through the C API and is "
      "compared with the scalar reference, and with expected values where the case has them. Each "
      "measure shows the value that comes nearest to its limit.</p>\n";
  html += AccuracySummary(cases, operators) + "<h3>All cases</h3>\n";
  for (const std::string& op : operators) {
    html += CasesOf(op, OfOperator(cases, op));
  }
  return html + "</section>\n";
}

// ---- Performance --------------------------------------------------------------------------------

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

// One line for each number of threads, and the reference.
std::vector<Series> TimesOf(const std::vector<const BenchResult*>& benchmarks) {
  std::map<int, Series> by_threads;
  Series reference = {"reference", true, {}};
  std::set<std::string> compared;
  for (const BenchResult* const one : benchmarks) {
    Series& series = by_threads[one->threads];
    series.name = Counted(static_cast<size_t>(one->threads), "thread");
    const auto size = static_cast<double>(one->elements);
    series.points.push_back({size, one->seconds, PointName(*one, one->seconds)});
    // It always has one thread, so it is the same in every result of a benchmark.
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
  const ChartText time = {"time-" + op, op + ": time against size",
                          "The median time of each benchmark against the number of elements of "
                          "its tensors, for each number of threads and for the reference.",
                          "elements of inputs and outputs", "time of a call"};
  const ChartText speed_up = {"speedup-" + op, op + ": speed-up over the reference",
                              "How many times faster than the scalar reference each benchmark is, "
                              "for each number of threads.",
                              "times the reference's speed, log scale", ""};
  const std::vector<BarGroup> groups = SpeedUpsOf(benchmarks);
  return "<div class=\"pair charts\">\n" +
         Figure("Time against size",
                "Both axes are logarithmic. Lines follow the mean of each size.",
                TimeChart(time, TimesOf(benchmarks))) +
         Figure("Speed-up over the reference", "The reference is scalar and has one thread.",
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
  const int threads = MostThreads(data.benchmarks);
  std::vector<ChartPoint> points;
  Table table("roofline", "Numbers of the roofline",
              {{"No.", Cell::kPlain},
               {"Benchmark", Cell::kPlain},
               {"op/byte", Cell::kFigure},
               {"Speed", Cell::kFigure},
               {"Of the roof", Cell::kFigure}});
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
  const ChartText text = {"roofline", "Roofline",
                          "Operations in a second of each benchmark against its operations per "
                          "byte, below the limits of the machine's memory and arithmetic.",
                          "operations per byte", "operations in a second"};
  const std::string note = fmt::format("With {}. Points above the slope work from the caches.",
                                       Counted(static_cast<size_t>(threads), "thread"));
  return "<h3>Against the machine&#39;s limits</h3>\n<div class=\"pair\">\n" +
         Figure("Roofline", note,
                RooflineChart(
                    text, {limits.threads, limits.bytes_per_second, limits.operations_per_second},
                    points)) +
         "<div class=\"card key\">\n" + table.Finish() + "</div>\n</div>\n";
}

std::string PerformanceSection(const ReportData& data) {
  if (data.benchmarks.empty()) {
    return "";
  }
  std::string html =
      "<section>\n<h2 id=\"performance\">Performance</h2>\n<p>Results are checked before they are "
      "timed. IO and compute are the bytes and operations that a call needs at least, in its time, "
      "as a part of what the machine can do; above 100 % of IO the data comes from the "
      "caches.</p>\n";
  html += Roofline(data);
  for (const std::string& op : OperatorsOf(data.benchmarks)) {
    const std::vector<const BenchResult*> own = OfOperator(data.benchmarks, op);
    html +=
        fmt::format("<h3>{}</h3>\n", Escape(op)) + OperatorCharts(op, own) + BenchTable(op, own);
  }
  return html + "</section>\n";
}

// ---- The demonstration --------------------------------------------------------------------------

std::string DemoSection(const std::vector<DemoPart>& demo) {
  if (demo.empty()) {
    return "";
  }
  std::string html =
      "<section>\n<h2 id=\"demonstration\">Demonstration</h2>\n<p>What each operator did on one "
      "made-up aerial image, in the order in which a detector runs them.</p>\n<div "
      "class=\"pair\">\n";
  for (const DemoPart& part : demo) {
    html += fmt::format(
        "<figure class=\"card\" data-picture=\"{0}\">\n<figcaption>{0}<small>{1}</small>"
        "</figcaption>\n{2}\n<p>{3} gave {4} in {5}. {6}</p>\n</figure>\n",
        Escape(part.op), Escape(part.picture.caption), part.picture.svg, Escape(part.shapes),
        Escape(part.results), FormatSeconds(part.seconds),
        part.equals_reference ? "Equal to the reference."
                              : "<span class=\"badge fail\">NOT equal to the reference.</span>");
  }
  return html + "</div>\n</section>\n";
}

}  // namespace

std::string MakeReport(const ReportData& data) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>detops test report</title>\n<style>";
  html += kReportStyle;
  html += "</style>\n</head>\n<body>\n" + Header(data) + "<main>\n" + Failures(data.cases) +
          Tiles(data) + MachineSection(data.machine) + AccuracySection(data.cases) +
          PerformanceSection(data) + DemoSection(data.demo) + "</main>\n";
  html += fmt::format("<footer>Made by detops {}. This page needs no network.</footer>\n",
                      Escape(data.machine.info.version));
  return html + "</body>\n</html>\n";
}

}  // namespace detops::cli
