// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The subcommands. Each function adds one to the app. The chosen subcommand runs while the command
// line is parsed, and stores the exit status in `status`.

#ifndef DETOPS_CLI_COMMANDS_H_
#define DETOPS_CLI_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/adapter.h"
#include "cli/case.h"

namespace detops::cli {

enum ExitStatus {
  kExitSuccess = 0,
  kExitFailed = 1,  // the command ran and found a problem: a failed case, a slower benchmark
  kExitError = 2,   // the command could not run: wrong usage, unusable files
};

void AddListCommand(CLI::App& app, int& status);
void AddInfoCommand(CLI::App& app, int& status);
void AddRunCommand(CLI::App& app, int& status);
void AddGenCommand(CLI::App& app, int& status);
void AddApplyCommand(CLI::App& app, int& status);
void AddBenchCommand(CLI::App& app, int& status);
void AddReportCommand(CLI::App& app, int& status);
// These two describe the whole app, so they must come last.
void AddCompletionCommand(CLI::App& app, int& status);
void AddManCommand(CLI::App& app, int& status);

// Adds all subcommands.
void AddCommands(CLI::App& app, int& status);

// ---- Shared by several subcommands --------------------------------------------------------------

// How operators are run.
struct ExecutionOptions {
  int threads = 0;
  std::string target;
  bool queue = false;
};

void AddExecutionOptions(CLI::App& command, ExecutionOptions& options);

// Turns off the library's log of failed calls, which the command reports itself, unless
// DETOPS_LOG_LEVEL is set.
void QuietLibrary();

// Forces the instruction set of the options. Throws UserError when the CPU does not have it.
void ChooseTarget(const ExecutionOptions& options);

// Adds an option for each parameter of an operator. `parameters` receives the defaults, then the
// given values; it must outlive the parsing.
void AddParameterOptions(CLI::App& command, const Adapter& adapter,
                         std::vector<double>& parameters);

// Adds examples at the end of the help text, one per line.
void AddExamples(CLI::App& command, const std::vector<std::string>& examples);

}  // namespace detops::cli

#endif  // DETOPS_CLI_COMMANDS_H_
