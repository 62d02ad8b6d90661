// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The subcommands. Each function adds one to the app; when it is chosen it runs while the command
// line is parsed and leaves the exit status in `status`.

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
  kExitFailed = 1,  // the command did its job, and what it looked at is not as it should be
  kExitError = 2,   // the command could not do its job
};

void AddListCommand(CLI::App& app, int& status);
void AddInfoCommand(CLI::App& app, int& status);
void AddRunCommand(CLI::App& app, int& status);
void AddGenCommand(CLI::App& app, int& status);
void AddApplyCommand(CLI::App& app, int& status);
void AddBenchCommand(CLI::App& app, int& status);
void AddReportCommand(CLI::App& app, int& status);
// These two describe the whole app, so they come last.
void AddCompletionCommand(CLI::App& app, int& status);
void AddManCommand(CLI::App& app, int& status);

// The whole command.
void AddCommands(CLI::App& app, int& status);

// ---- What several of them share ----------------------------------------------------------------

// How operators run.
struct ExecutionOptions {
  int threads = 0;
  std::string target;
  bool queue = false;
};

void AddExecutionOptions(CLI::App& command, ExecutionOptions& options);

// Keeps the library from logging failed calls, which the command tells about itself, unless the
// environment asks for a log.
void QuietLibrary();

// Chooses the instruction set. Throws UserError when there is no such one.
void ChooseTarget(const ExecutionOptions& options);

// An option for each parameter of an operator. `parameters` get the defaults, and what is given.
void AddParameterOptions(CLI::App& command, const Adapter& adapter,
                         std::vector<double>& parameters);

// Examples at the end of a help text, one a line.
void AddExamples(CLI::App& command, const std::vector<std::string>& examples);

}  // namespace detops::cli

#endif  // DETOPS_CLI_COMMANDS_H_
