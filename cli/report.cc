// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "cli/format.h"
#include "cli/html.h"
#include "cli/machine.h"
#include "cli/report_parts.h"
#include "cli/report_style.h"
#include "core/simd_target.h"

namespace detops::cli {
namespace {

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

std::string Tile(std::string_view name, std::string_view value) {
  return fmt::format("<div class=\"tile\"><dt>{}</dt><dd>{}</dd></div>\n", name, value);
}

std::string Tiles(const ReportData& data) {
  std::string tiles;
  const std::vector<std::string> operators = OperatorsOf(data.cases);
  if (!operators.empty()) {
    tiles += Tile("Operators tested", std::to_string(operators.size()));
  }
  const int threads = MaxThreads(data.benchmarks);
  std::vector<double> ratios;
  for (const BenchResult& one : data.benchmarks) {
    if (one.threads == threads && HasSpeedUp(one)) {
      ratios.push_back(SpeedUp(one));
    }
  }
  if (!ratios.empty()) {
    std::sort(ratios.begin(), ratios.end());
    tiles += Tile("Median speed-up over the reference", FormatRatio(ratios[ratios.size() / 2]));
    // The largest ratio is not shown: it comes from inputs for which the library can skip the work.
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
  html += Fact("detops version", info.version) + Fact("CPU", info.cpu) +
          Fact("Cores", std::to_string(info.cores)) +
          Fact("Threads", std::to_string(info.threads)) +
          Fact("Instruction set in use", SimdDisplayName(info.simd_target)) +
          Fact("Instruction sets available", DisplayNames(info.simd_targets));
  html += "</tbody></table></div>\n<div class=\"card\">\n";
  Table limits("limits", "Measured limits of the machine",
               {{"Threads", Cell::kPlain},
                {"Bandwidth", Cell::kFigure},
                {"Peak, float, not fused", Cell::kFigure}});
  for (const Limits& one : machine.limits) {
    limits.AddRow({std::to_string(one.threads), FormatWithPrefix(one.bytes_per_second, "B/s"),
                   FormatWithPrefix(one.operations_per_second, "op/s")});
  }
  return html + limits.Finish() + "</div>\n</div>\n</section>\n";
}

// ---- The demonstration --------------------------------------------------------------------------

std::string DemoSection(const std::vector<DemoPart>& demo) {
  if (demo.empty()) {
    return "";
  }
  std::string html =
      "<section>\n<h2 id=\"demonstration\">Demonstration</h2>\n<p>The result of each operator on "
      "one synthetic aerial image, in the order in which a detector runs them.</p>\n<div "
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
  html += "</style>\n</head>\n<body>\n" + Header(data) + "<main>\n" + FailuresSection(data.cases) +
          Tiles(data) + MachineSection(data.machine) + AccuracySection(data.cases) +
          PerformanceSection(data) + DemoSection(data.demo) + "</main>\n";
  html += fmt::format("<footer>Generated by detops {}. This page works offline.</footer>\n",
                      Escape(data.machine.info.version));
  return html + "</body>\n</html>\n";
}

}  // namespace detops::cli
