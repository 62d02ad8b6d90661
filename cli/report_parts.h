// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Parts that several sections of the report share.

#ifndef DETOPS_CLI_REPORT_PARTS_H_
#define DETOPS_CLI_REPORT_PARTS_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/report.h"
#include "cli/results.h"

namespace detops::cli {

// Returns the items of one operator.
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

// Returns the operators of the items, in the order of their first appearance.
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

// The word "pass" or "FAIL" in a colored box.
const char* Badge(bool passed);

// A name, which may wrap after underscores, and smaller text below it.
std::string NameAndDetail(std::string_view name, std::string_view detail);

// The largest number of threads of the benchmarks; 0 when there are none.
int MaxThreads(const std::vector<BenchResult>& benchmarks);

// How many times faster than the reference a benchmark is; HasSpeedUp: whether both were timed.
double SpeedUp(const BenchResult& bench);
bool HasSpeedUp(const BenchResult& bench);

// Figures are right-aligned, prose may wrap.
enum class Cell { kPlain, kFigure, kProse };

struct Column {
  const char* name;
  Cell cell;
};

// A table whose cells are HTML. The first cell of a row is its header.
class Table {
 public:
  Table(std::string_view id, std::string_view label, std::vector<Column> columns);

  void AddRow(const std::vector<std::string>& cells);
  std::string Finish() const;

 private:
  std::vector<Column> columns_;
  std::string html_;
};

// The sections; empty when there is nothing to show.
std::string FailuresSection(const std::vector<CaseResult>& cases);
std::string AccuracySection(const std::vector<CaseResult>& cases);
std::string PerformanceSection(const ReportData& data);

}  // namespace detops::cli

#endif  // DETOPS_CLI_REPORT_PARTS_H_
