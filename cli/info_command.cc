// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops list` and `detops info`: describe the operators and the machine.

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/machine.h"
#include "core/operators.h"
#include "core/simd_target.h"

namespace detops::cli {
namespace {

// Columns of the description of an operator.
constexpr size_t kIndent = 2;
constexpr size_t kLabelWidth = 12;
// Text is not wrapped into less than this.
constexpr size_t kMinTextWidth = 30;

// Returns the width of the terminal; without one, text is not wrapped.
size_t OutputWidth() {
  winsize size{};
  const bool is_terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return is_terminal ? size.ws_col : std::numeric_limits<size_t>::max();
}

// Prints text that starts in that column, and wraps it there.
void PrintWrapped(std::string_view text, size_t column) {
  const size_t width = std::max(OutputWidth() - std::min(OutputWidth(), column), kMinTextWidth);
  while (text.size() > width) {
    const size_t space = text.rfind(' ', width);
    if (space == std::string_view::npos) {
      break;
    }
    fmt::print("{}\n{:{}}", text.substr(0, space), "", column);
    text.remove_prefix(space + 1);
  }
  fmt::print("{}\n", text);
}

// A line of the description: the cells in columns, then text that may wrap.
struct Line {
  std::vector<std::string> cells;
  std::string text;
};

// Prints lines with the label before the first one. Columns are as wide as their contents.
void PrintLines(std::string_view label, const std::vector<Line>& lines) {
  std::vector<size_t> widths;
  for (const Line& line : lines) {
    widths.resize(std::max(widths.size(), line.cells.size()));
    for (size_t i = 0; i < line.cells.size(); ++i) {
      widths[i] = std::max(widths[i], line.cells[i].size());
    }
  }
  for (const Line& line : lines) {
    fmt::print("{:{}}{:<{}}", "", kIndent, label, kLabelWidth);
    size_t column = kIndent + kLabelWidth;
    for (size_t i = 0; i < line.cells.size(); ++i) {
      fmt::print("{:<{}}  ", line.cells[i], widths[i]);
      column += widths[i] + 2;
    }
    PrintWrapped(line.text, column);
    label = "";
  }
}

void PrintTensors(std::string_view label, const std::vector<TensorInfo>& tensors) {
  std::vector<Line> lines;
  lines.reserve(tensors.size());
  for (const TensorInfo& tensor : tensors) {
    lines.push_back({{tensor.name, tensor.types}, tensor.shape});
  }
  PrintLines(label, lines);
}

std::string DefaultOf(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::kBool:
      return parameter.value != 0 ? "true" : "false";
    case ParameterType::kInt:
      return fmt::format("{}", static_cast<int64_t>(parameter.value));
    case ParameterType::kFloat:
      return fmt::format("{}", static_cast<float>(parameter.value));
  }
  return "";
}

void PrintSummary(const Operator& op) {
  size_t width = 0;
  for (const Operator* const other : Operators()) {
    width = std::max(width, std::string_view(other->name).size());
  }
  fmt::print("{:<{}}  ", op.name, width);
  PrintWrapped(op.summary, width + 2);
}

void PrintOperator(const Operator& op, const Description& description) {
  PrintSummary(op);
  PrintLines("C function",
             {{{}, description.c_function == nullptr ? "none" : description.c_function}});
  if (description.case_name != nullptr) {
    PrintLines("case files", {{{}, fmt::format("called {}", description.case_name)}});
  }
  PrintTensors("inputs", description.inputs);
  PrintTensors("outputs", description.outputs);
  std::vector<Line> parameters;
  for (const Parameter& parameter : description.parameters) {
    parameters.push_back(
        {{parameter.name}, fmt::format("{} (default: {})", parameter.help, DefaultOf(parameter))});
  }
  PrintLines("parameters", parameters);
  std::vector<Line> limits;
  for (const char* const limit : description.limits) {
    limits.push_back({{}, limit});
  }
  PrintLines("limits", limits);
}

void PrintOperators(const std::string& only, bool details) {
  if (!only.empty()) {
    static_cast<void>(FindAdapter(only));
  }
  for (size_t i = 0; i < Operators().size(); ++i) {
    const Operator& op = *Operators()[i];
    if (!only.empty() && only != op.name) {
      continue;
    }
    if (details || !only.empty()) {
      PrintOperator(op, AdapterOf(i).description());
    } else {
      PrintSummary(op);
    }
  }
}

void PrintInfo() {
  const Machine machine = MeasureMachine();
  const Info& info = machine.info;
  fmt::print("version       {}\n", info.version);
  fmt::print("cpu           {}\n", info.cpu);
  fmt::print("cores         {}\n", info.cores);
  fmt::print("threads       {}\n", info.threads);
  fmt::print("simd target   {}\n", SimdDisplayName(info.simd_target));
  fmt::print("simd targets  {}\n", DisplayNames(info.simd_targets));
  for (const Limits& limits : machine.limits) {
    const std::string threads = Counted(static_cast<size_t>(limits.threads), "thread");
    fmt::print("bandwidth     {} with {}\n", FormatWithPrefix(limits.bytes_per_second, "B/s"),
               threads);
    fmt::print("peak          {}, not fused, with {}\n",
               FormatWithPrefix(limits.operations_per_second, "FLOP/s"), threads);
  }
}

}  // namespace

void AddListCommand(CLI::App& app, int& /*status*/) {
  struct Options {
    std::string op;
    bool details = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "list", "List the operators, or describe one: shapes, types, parameters and limits");
  command->add_option("OP", options->op, "Operator to describe");
  command->add_flag("--details", options->details, "Describe every operator");
  command->callback([options] { PrintOperators(options->op, options->details); });
  AddExamples(*command, {"detops list", "detops list poly_nms", "detops list --details"});
}

void AddInfoCommand(CLI::App& app, int& /*status*/) {
  CLI::App* const command = app.add_subcommand(
      "info",
      "Print the version, the CPU, its instruction sets, measured bandwidth and peak speed");
  command->callback(PrintInfo);
  AddExamples(*command, {"detops info", "DETOPS_NUM_THREADS=1 detops info"});
}

}  // namespace detops::cli
