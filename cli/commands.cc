// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/machine.h"
#include "core/environment.h"
#include "core/parallel.h"
#include "core/version.h"
#include "detops/info.hpp"
#include "mlu_op.h"

namespace detops::cli {
namespace {

std::string OptionName(const char* parameter) {
  std::string name = parameter;
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

void AddParameterOption(CLI::App& command, const Parameter& parameter, double& value) {
  const std::string name = OptionName(parameter.name);
  switch (parameter.type) {
    case ParameterType::kBool:
      command.add_flag_function(
          name + ",!" + "--no-" + name.substr(2),
          [&value](int64_t count) { value = count > 0 ? 1 : 0; }, parameter.help);
      return;
    case ParameterType::kInt:
      command
          .add_option_function<int32_t>(
              name, [&value](int32_t given) { value = given; }, parameter.help)
          ->type_name("INT")
          ->default_str(fmt::format("{}", static_cast<int64_t>(parameter.value)));
      return;
    case ParameterType::kFloat:
      command
          .add_option_function<float>(
              name, [&value](float given) { value = static_cast<double>(given); }, parameter.help)
          ->type_name("FLOAT")
          ->default_str(fmt::format("{}", static_cast<float>(parameter.value)));
      return;
  }
}

}  // namespace

void AddCommands(CLI::App& app, int& status) {
  app.set_version_flag("--version", kVersion, "Print the version and exit");
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  AddListCommand(app, status);
  AddInfoCommand(app, status);
  AddRunCommand(app, status);
  AddGenCommand(app, status);
  AddApplyCommand(app, status);
  AddBenchCommand(app, status);
  AddReportCommand(app, status);
  AddCompletionCommand(app, status);
  AddManCommand(app, status);
  AddExamples(app, {"detops info", "detops gen --suite -o suite && detops run suite",
                    "detops apply poly_nms -i boxes.npy -o kept.npy --iou-threshold 0.3",
                    "detops report -o report.html"});
}

void AddExecutionOptions(CLI::App& command, ExecutionOptions& options) {
  command.add_option("--threads", options.threads, "Number of threads that an operator may use")
      ->type_name("INT")
      ->check(CLI::Range(1, kMaxThreads).description(""))
      ->default_str("all cores, or DETOPS_NUM_THREADS");
  command
      .add_option("--target", options.target,
                  "Instruction set to use, one of those that `detops info` lists")
      ->type_name("NAME")
      ->default_str("best available");
  command.add_flag("--queue", options.queue, "Call operators asynchronously, on a queue");
}

void QuietLibrary() {
  if (!FromEnvironment("DETOPS_LOG_LEVEL")) {
    detopsSetLogLevel(DETOPS_LOG_OFF);
  }
}

void ChooseTarget(const ExecutionOptions& options) {
  if (!options.target.empty() &&
      detopsSetSimdTarget(options.target.c_str()) != MLUOP_STATUS_SUCCESS) {
    throw UserError(fmt::format("--target is '{}'; it must be one of: {}", options.target,
                                DisplayNames(GetInfo().simd_targets)));
  }
}

void AddParameterOptions(CLI::App& command, const Adapter& adapter,
                         std::vector<double>& parameters) {
  const std::vector<Parameter>& described = adapter.description().parameters;
  parameters.resize(described.size());  // first: options keep references to its elements
  for (size_t i = 0; i < described.size(); ++i) {
    parameters[i] = described[i].value;
    AddParameterOption(command, described[i], parameters[i]);
  }
}

void AddExamples(CLI::App& command, const std::vector<std::string>& examples) {
  std::string footer = "Examples:\n";
  for (const std::string& example : examples) {
    footer += "  " + example + "\n";
  }
  command.footer(footer);
}

}  // namespace detops::cli
