// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The report's sections about results: failed cases, and the accuracy of all.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/format.h"
#include "cli/html.h"
#include "cli/report_parts.h"
#include "mlu_op.h"

namespace detops::cli {
namespace {

// Returns "BAD_PARAM" for MLUOP_STATUS_BAD_PARAM.
std::string StatusText(mluOpStatus_t status) {
  constexpr std::string_view kPrefix = "MLUOP_STATUS_";
  const std::string_view name = mluOpGetErrorString(status);
  return std::string(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
}

size_t CountPassed(const std::vector<const CaseResult*>& cases) {
  return static_cast<size_t>(
      std::count_if(cases.begin(), cases.end(), [](const CaseResult* one) { return one->passed; }));
}

// Returns the part of the limit that is used up.
double ShareOfLimit(const Check& check) {
  if (!check.passed) {
    return std::numeric_limits<double>::infinity();
  }
  return check.value == 0 ? 0 : check.value / check.threshold;
}

// Returns "3.2e-8", with the second number of measures that have one.
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

// Returns "diff1 0, limit 0.003".
std::string CheckText(const Check& check) {
  return fmt::format("{} {}, limit {}{}", NameOf(check.measure), ValueText(check),
                     FormatError(check.threshold), check.passed ? "" : " (FAIL)");
}

// Returns "indices against the reference".
std::string SubjectText(const Check& check) {
  const std::string_view against = check.against;
  return fmt::format("{} against the {}", Escape(check.output),
                     against == "expected" ? "expected values" : against);
}

// Returns why a case failed, in one line.
std::string FailureText(const CaseResult& one) {
  std::string text;
  if (one.status != one.expected_status) {
    text = fmt::format("status {}; the case expects {}", StatusText(one.status),
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

// Returns the check of that measure that comes closest to its limit, or exceeds it the most; null
// when there is none.
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

// One line per output and per set of values that it is compared with.
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
               {"Measures, or the error message", Cell::kProse}});
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

}  // namespace

std::string FailuresSection(const std::vector<CaseResult>& cases) {
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

std::string AccuracySection(const std::vector<CaseResult>& cases) {
  if (cases.empty()) {
    return "";
  }
  const std::vector<std::string> operators = OperatorsOf(cases);
  std::string html =
      "<section>\n<h2 id=\"accuracy\">Accuracy</h2>\n<p>Every case runs through the C API and is "
      "compared with the scalar reference, and with expected values where the case has them. Each "
      "measure shows the value that comes closest to its limit.</p>\n";
  html += AccuracySummary(cases, operators) + "<h3>All cases</h3>\n";
  for (const std::string& op : operators) {
    html += CasesOf(op, OfOperator(cases, op));
  }
  return html + "</section>\n";
}

}  // namespace detops::cli
