// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/report_parts.h"

#include <fmt/format.h>

#include <cstddef>

#include "cli/html.h"

namespace detops::cli {
namespace {

const char* ClassOf(const Column& column) {
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

}  // namespace

const char* Badge(bool passed) {
  return passed ? "<span class=\"badge pass\">pass</span>"
                : "<span class=\"badge fail\">FAIL</span>";
}

std::string NameAndDetail(std::string_view name, std::string_view detail) {
  std::string html;
  for (const char c : Escape(name)) {
    html += c;
    html += c == '_' ? "<wbr>" : "";
  }
  return fmt::format("{}<small>{}</small>", html, Escape(detail));
}

int MaxThreads(const std::vector<BenchResult>& benchmarks) {
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

Table::Table(std::string_view id, std::string_view label, std::vector<Column> columns)
    : columns_(std::move(columns)),
      html_(fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{1}\">\n"
                        "<table data-table=\"{0}\">\n<thead><tr>",
                        Escape(id), Escape(label))) {
  for (const Column& column : columns_) {
    html_ += fmt::format("<th scope=\"col\"{}>{}</th>", ClassOf(column), column.name);
  }
  html_ += "</tr></thead>\n<tbody>\n";
}

void Table::AddRow(const std::vector<std::string>& cells) {
  html_ += "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) {
    html_ += i == 0 ? fmt::format("<th scope=\"row\">{}</th>", cells[i])
                    : fmt::format("<td{}>{}</td>", ClassOf(columns_[i]), cells[i]);
  }
  html_ += "</tr>\n";
}

std::string Table::Finish() const { return html_ + "</tbody>\n</table>\n</div>\n"; }

}  // namespace detops::cli
