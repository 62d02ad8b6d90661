// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/charts.h"
#include "cli/format.h"
#include "cli/html.h"

namespace detops::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHostile = "<script>alert('&\"')</script>";

// ---- Made-up data -------------------------------------------------------------------------------

Check PassedCheck(const char* output, const char* against, const Criterion& criterion, double value,
                  double second = 0) {
  return {.output = output,
          .against = against,
          .measure = criterion.measure,
          .value = value,
          .second = second,
          .threshold = criterion.threshold,
          .passed = true};
}

CaseResult MakeCaseResult(const std::string& op, int index) {
  CaseResult made = {};
  made.op = op;
  made.name = fmt::format("network_{:03}_with_a_long_name_that_says_where_it_comes_from", index);
  made.shapes = fmt::format("float[{},9], half[2,{},100,152]", 100 * index, 4 * index);
  made.passed = true;
  if (index % 10 == 9) {
    made.status = made.expected_status = MLUOP_STATUS_BAD_PARAM;
    made.message = "mluOpPolyNms: boxes has <2> dimensions; it must have 3";
    return made;
  }
  made.checks = {
      PassedCheck("output", "reference", {Measure::kDiff1, 3e-3}, 3.2e-8 * index),
      PassedCheck("output", "reference", {Measure::kDiff2, 3e-3}, 0),
      PassedCheck("argmax", "expected", {Measure::kDiff3, 0.003}, 1e-4, 2e-9),
      PassedCheck("argmax", "expected", {Measure::kDiff4, 0.8}, 0.52, 120),
  };
  made.seconds = 12.34e-6 * index + 1e-7;
  made.reference_seconds = 30 * made.seconds;
  made.work = {1e6, 2e6};
  made.io_efficiency = 0.61;
  made.compute_efficiency = 0.0004;
  return made;
}

BenchResult MakeBenchResult(const std::string& op, int op_index, int index, int threads) {
  BenchResult made = {};
  made.op = op;
  made.name = index == 4 ? "cascade_rcnn_dota_1024_with_a_long_name_that_no_chart_has_room_for"
                         : fmt::format("rpn_{}k", 1 << index);
  made.shapes = fmt::format("float[{},9]", 1000 << index);
  made.elements = int64_t{9000} << (index * (1 + op_index % 3));
  made.threads = threads;
  made.samples = 31;
  made.reference_seconds = 2e-9 * std::pow(static_cast<double>(made.elements), 1.1);
  made.seconds = made.reference_seconds / (2.5 + 8 * op_index + index) / (threads == 1 ? 1 : 1.8);
  made.lower = made.seconds * 0.98;
  made.upper = made.seconds * 1.03;
  const double intensity = 0.2 * std::pow(1.9, op_index) * (1 + 0.2 * index);
  made.work.bytes = (2e9 + 1e9 * index) * made.seconds;
  made.work.operations = intensity * made.work.bytes;
  made.io_efficiency = 0.4;
  made.compute_efficiency = 0.061;
  return made;
}

ReportData MadeUpReport() {
  ReportData data;
  data.date = "2026-11-16 12:00 UTC";
  data.machine.info = {.version = "0.1.0",
                       .cpu = "A Processor @ 2.10GHz",
                       .cores = 2,
                       .threads = 2,
                       .simd_target = "AVX3",
                       .simd_targets = {"AVX3", "AVX2", "SSE4"}};
  data.machine.limits = {{1, 11.2e9, 61e9}, {2, 21.3e9, 118e9}};
  int op_index = 0;
  for (const char* const op : {"bbox_overlaps", "border_align_forward", "generate_proposals_v2",
                               "nms", "poly_nms", "psroipool_forward"}) {
    for (int i = 0; i < 20; ++i) {
      data.cases.push_back(MakeCaseResult(op, i));
    }
    for (int i = 0; i < 5; ++i) {
      data.benchmarks.push_back(MakeBenchResult(op, op_index, i, 1));
      data.benchmarks.push_back(MakeBenchResult(op, op_index, i, 2));
    }
    data.demo.push_back(
        {.op = op,
         .shapes = "float[240,9]",
         .results = "12 of 240 boxes",
         .seconds = 1.2e-4,
         .equals_reference = true,
         .picture = {"<svg width=\"640\" height=\"400\" viewBox=\"0 0 640 400\"><rect "
                     "width=\"640\" height=\"400\" rx=\"12\" fill=\"#fff\"/><text x=\"28\" "
                     "y=\"38\">boxes</text></svg>",
                     "Boxes before & after."}});
    ++op_index;
  }
  return data;
}

// Adds a case that fails, with names that try to inject markup.
void AddHostileFailure(ReportData& data) {
  CaseResult failed = MakeCaseResult("poly_nms", 1);
  failed.name = kHostile;
  failed.shapes = kHostile;
  failed.message = kHostile;
  failed.passed = false;
  failed.checks[0].output = kHostile;
  failed.checks[0].value = std::numeric_limits<double>::infinity();
  failed.checks[0].passed = false;
  data.cases.push_back(failed);
}

size_t CountOf(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// ---- Figures ------------------------------------------------------------------------------------

TEST(Figures, AreReadable) {
  EXPECT_EQ(FormatSeconds(12.34e-6), "12.3 us");
  EXPECT_EQ(FormatSeconds(1.2e-3), "1.20 ms");
  EXPECT_EQ(FormatSeconds(999.7e-6), "1.00 ms");
  EXPECT_EQ(FormatSeconds(5e-10), "0.50 ns");
  EXPECT_EQ(FormatSeconds(123), "123 s");
  EXPECT_EQ(FormatSeconds(0), "-");
  EXPECT_EQ(FormatRatio(38.4), "38x");
  EXPECT_EQ(FormatRatio(15504), "15500x");
  EXPECT_EQ(FormatRatio(999.9), "1000x");
  EXPECT_EQ(FormatRatio(3.84), "3.8x");
  EXPECT_EQ(FormatRatio(0.384), "0.38x");
  EXPECT_EQ(FormatPercent(0.612), "61 %");
  EXPECT_EQ(FormatPercent(0.0612), "6.1 %");
  EXPECT_EQ(FormatPercent(0.0001), "0.01 %");
  EXPECT_EQ(FormatPercent(0), "0 %");
  EXPECT_EQ(FormatWithPrefix(21.34e9, "B/s"), "21.3 GB/s");
  EXPECT_EQ(FormatWithPrefix(999.9e6, "B/s"), "1.00 GB/s");
  EXPECT_EQ(Counted(1, "case"), "1 case");
  EXPECT_EQ(Counted(2, "case"), "2 cases");
}

TEST(Figures, ErrorsAreShort) {
  EXPECT_EQ(FormatError(0), "0");
  EXPECT_EQ(FormatError(3.2e-8), "3.2e-8");
  EXPECT_EQ(FormatError(1e-5), "1e-5");
  EXPECT_EQ(FormatError(0.003), "0.003");
  EXPECT_EQ(FormatError(0.8), "0.8");
  EXPECT_EQ(FormatError(2.5e12), "2.5e12");
  EXPECT_EQ(FormatError(std::numeric_limits<double>::infinity()), "infinite");
  EXPECT_EQ(FormatError(std::nan("")), "not a number");
}

TEST(Figures, TextIsEscaped) {
  EXPECT_EQ(Escape("<a b=\"'&'\">"), "&lt;a b=&quot;&#39;&amp;&#39;&quot;&gt;");
}

// ---- Charts -------------------------------------------------------------------------------------

const ChartText kText = {.id = "an-id",
                         .title = "a title",
                         .description = "a description",
                         .x_label = "an x",
                         .y_label = "a y"};

TEST(Charts, HaveTitlesAndLabels) {
  const std::string chart = TimeChart(kText, {{"1 thread", false, {{100, 1e-6, "a point"}}}});
  for (const char* const part :
       {"data-chart=\"an-id\"", ">a title</title>", ">a description</desc>", ">an x</text>",
        ">a y</text>", ">1 thread</text>", "<title>a point</title>"}) {
    EXPECT_THAT(chart, HasSubstr(part));
  }
}

TEST(Charts, PointsThatCannotBeDrawnAreLeftOut) {
  EXPECT_EQ(TimeChart(kText, {}), "");
  EXPECT_EQ(TimeChart(kText, {{"a", false, {{0, 1, ""}, {1, 0, ""}}}}), "");
  const std::string chart =
      TimeChart(kText, {{"a", false, {{10, 1, "good"}, {0, 1, "bad"}, {1, std::nan(""), "bad"}}}});
  EXPECT_THAT(chart, HasSubstr("good"));
  EXPECT_THAT(chart, Not(HasSubstr("bad")));
  EXPECT_THAT(chart, Not(HasSubstr("nan")));
}

TEST(Charts, LinesConnectTheMeansOfPointsOfTheSameSize) {
  const auto path_of = [](const std::vector<ChartPoint>& points) {
    const std::string chart = TimeChart(kText, {{"a", false, points}});
    const size_t begin = chart.find("<path d=\"M");
    return chart.substr(begin, chart.find('>', begin) - begin);
  };
  EXPECT_EQ(path_of({{10, 1e-6, ""}, {10, 1e-4, ""}, {100, 1e-6, ""}, {100, 1e-4, ""}}),
            path_of({{10, 1e-5, ""}, {10, 1e-6, ""}, {10, 1e-4, ""}, {100, 1e-5, ""}}));
}

TEST(Charts, AxesHaveAtLeastTwoLabelsWhateverTheRange) {
  for (const double factor : {1.0, 1.5, 9.0, 1e3, 1e12}) {
    const std::string chart =
        TimeChart(kText, {{"a", false, {{70, 7e-6, ""}, {70 * factor, 7e-6 * factor, ""}}}});
    EXPECT_GE(CountOf(chart, "class=\"axis middle\""), 2U) << factor;
    EXPECT_LE(CountOf(chart, "class=\"axis middle\""), 8U) << factor;
    EXPECT_GE(CountOf(chart, "class=\"axis end\""), 2U) << factor;
    EXPECT_LE(CountOf(chart, "class=\"axis end\""), 9U) << factor;
  }
}

TEST(Charts, RooflineNumbersItsPoints) {
  const std::vector<ChartPoint> points(12, {1.0, 1e9, "the same place"});
  const std::string chart = RooflineChart(kText, {2, 2e10, 1e11}, points);
  EXPECT_THAT(chart, HasSubstr(">Slope: memory, 20.0 GB/s<"));
  EXPECT_THAT(chart, HasSubstr(">Flat: arithmetic, not fused, 100 Gop/s<"));
  EXPECT_EQ(CountOf(chart, "<circle"), 12U);
  EXPECT_THAT(chart, HasSubstr(">12</text>"));
}

TEST(Charts, BarsGoBothWaysFromOne) {
  const std::string chart =
      RatioChart(kText, {{"fast", {{"1 thread", 38}}}, {"slow", {{"1 thread", 0.5}}}});
  EXPECT_THAT(chart, HasSubstr(">38x, 1 thread<"));
  EXPECT_THAT(chart, HasSubstr(">0.50x, 1 thread<"));
  EXPECT_EQ(CountOf(chart, "width=\"-"), 0U);
}

TEST(Charts, LongNamesAreShortenedBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 100; ++i) {
    name += "\u00e9";
  }
  const std::string chart = RatioChart(kText, {{name, {{"1 thread", 2}}}});
  const size_t end = chart.find("...</text>");
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(chart[end - 1], '\xa9');
}

// ---- The page -----------------------------------------------------------------------------------

TEST(Report, HasEverything) {
  const std::string page = MakeReport(MadeUpReport());
  EXPECT_THAT(page, HasSubstr("120 of 120 cases pass"));
  EXPECT_THAT(page, Not(HasSubstr("data-table=\"failures\"")));
  for (const char* const table : {"machine", "limits", "accuracy", "roofline"}) {
    EXPECT_EQ(CountOf(page, fmt::format("data-table=\"{}\"", table)), 1U) << table;
  }
  EXPECT_EQ(CountOf(page, "data-chart=\"roofline\""), 1U);
  for (const char* const op : {"bbox_overlaps", "poly_nms"}) {
    for (const char* const part :
         {"data-table=\"cases-{}\"", "data-table=\"bench-{}\"", "data-chart=\"time-{}\"",
          "data-chart=\"speedup-{}\"", "data-picture=\"{}\""}) {
      EXPECT_EQ(CountOf(page, fmt::format(fmt::runtime(part), op)), 1U) << part << op;
    }
  }
  EXPECT_THAT(page, HasSubstr("<dd>30 of 30</dd>"));
  EXPECT_THAT(page, HasSubstr("21.3 GB/s"));
  EXPECT_THAT(page, HasSubstr("BAD_PARAM"));
  EXPECT_THAT(page, HasSubstr("AVX-512, AVX2, SSE4"));
  EXPECT_THAT(page, HasSubstr("12 of 240 boxes"));
  EXPECT_THAT(page, HasSubstr("Equal to the reference."));
}

TEST(Report, FailuresComeFirst) {
  ReportData data = MadeUpReport();
  AddHostileFailure(data);
  data.demo[0].equals_reference = false;
  const std::string page = MakeReport(data);
  EXPECT_THAT(page, HasSubstr("120 of 121 cases pass"));
  EXPECT_LT(page.find("data-table=\"failures\""), page.find("data-table=\"machine\""));
  EXPECT_THAT(page, HasSubstr("diff1 infinite, limit 0.003 (FAIL)"));
  EXPECT_THAT(page, HasSubstr("NOT equal to the reference."));
}

TEST(Report, AnUnexpectedStatusIsReported) {
  ReportData data = MadeUpReport();
  CaseResult& failed = data.cases[9];
  failed.passed = false;
  failed.expected_status = MLUOP_STATUS_NOT_SUPPORTED;
  EXPECT_THAT(MakeReport(data),
              HasSubstr("status BAD_PARAM; the case expects NOT_SUPPORTED: mluOp"));
}

TEST(Report, NoTextBecomesMarkup) {
  ReportData data = MadeUpReport();
  AddHostileFailure(data);
  data.date = kHostile;
  data.machine.info.cpu = kHostile;
  data.machine.info.simd_targets = {std::string(kHostile)};
  data.benchmarks[0].name = kHostile;
  data.benchmarks[1].op = kHostile;
  data.demo[0].op = kHostile;
  data.demo[0].results = kHostile;
  data.demo[0].picture.caption = kHostile;
  const std::string page = MakeReport(data);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("alert('"), std::string::npos);
}

TEST(Report, LimitsThatWereNotMeasuredGiveNoRoofline) {
  ReportData data = MadeUpReport();
  data.machine.limits.back() = {2, 0, 0};
  EXPECT_THAT(MakeReport(data), Not(HasSubstr("data-chart=\"roofline\"")));
}

TEST(Report, PartsWithoutDataAreLeftOut) {
  ReportData data;
  data.machine.info.version = "0.1.0";
  const std::string page = MakeReport(data);
  EXPECT_THAT(page, HasSubstr("No cases were run."));
  EXPECT_THAT(page, Not(HasSubstr("<h2 id=\"performance\">")));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
}

}  // namespace
}  // namespace detops::cli
