// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops list` and `detops info`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/machine.h"
#include "core/operators.h"

namespace detops::cli {
namespace {

void PrintTensors(const char* label, const std::vector<TensorInfo>& tensors) {
  for (const TensorInfo& tensor : tensors) {
    fmt::print("  {:<10} {:<20} {:<32} {}\n", label, tensor.name, tensor.shape, tensor.types);
    label = "";
  }
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

void PrintOperator(const Operator& op, const Description& description) {
  fmt::print("{:<24} {}\n", op.name, op.summary);
  fmt::print("  {:<10} {}\n", "C function",
             description.c_function == nullptr ? "none" : description.c_function);
  PrintTensors("inputs", description.inputs);
  PrintTensors("outputs", description.outputs);
  const char* label = "parameters";
  for (const Parameter& parameter : description.parameters) {
    fmt::print("  {:<10} {:<20} {} (default {})\n", label, parameter.name, parameter.help,
               DefaultOf(parameter));
    label = "";
  }
  label = "limits";
  for (const char* const limit : description.limits) {
    fmt::print("  {:<10} {}\n", label, limit);
    label = "";
  }
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
      fmt::print("{:<24} {}\n", op.name, op.summary);
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
  fmt::print("simd target   {}\n", info.simd_target);
  fmt::print("simd targets  {}\n", fmt::join(info.simd_targets, " "));
  for (const Limits& limits : machine.limits) {
    const char* const ending = limits.threads == 1 ? "" : "s";
    fmt::print("bandwidth     {} with {} thread{}\n",
               FormatWithPrefix(limits.bytes_per_second, "B/s"), limits.threads, ending);
    fmt::print("peak          {} with {} thread{}\n",
               FormatWithPrefix(limits.operations_per_second, "FLOP/s"), limits.threads, ending);
  }
}

}  // namespace

void AddListCommand(CLI::App& app, int& /*status*/) {
  struct Options {
    std::string op;
    bool details = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("list", "Print the operators, or all about one: shapes, types, limits");
  command->add_option("OP", options->op, "An operator");
  command->add_flag("--details", options->details, "Print all about each operator");
  command->callback([options] { PrintOperators(options->op, options->details); });
  AddExamples(*command, {"detops list", "detops list poly_nms", "detops list --details"});
}

void AddInfoCommand(CLI::App& app, int& /*status*/) {
  CLI::App* const command = app.add_subcommand(
      "info", "Print version, CPU, threads, instruction sets, measured bandwidth and peak");
  command->callback(PrintInfo);
  AddExamples(*command, {"detops info", "DETOPS_NUM_THREADS=1 detops info"});
}

}  // namespace detops::cli
