// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The `detops` command.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/case.h"
#include "cli/commands.h"
#include "cli/one_line.h"
#include "cli/output_file.h"
#include "mlu_op.h"

namespace {

int Run(int argc, char** argv) {
  CLI::App app("Run, test and benchmark object detection operators on the CPU.", "detops");
  int status = detops::cli::kExitSuccess;
  detops::cli::AddCommands(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> unknown = app.remaining();
    throw detops::cli::UserError(app.get_subcommands().empty() && !unknown.empty()
                                     ? "there is no command '" + unknown.front() +
                                           "'; detops --help lists the commands"
                                     : error.what() + std::string(" (see --help)"));
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    detops::cli::HandleInterrupts();
    // The command replays recorded calls. It does not record them again, whatever the environment.
    mluOpSetGenCaseMode(0);
    const int status = Run(argc, argv);
    if (std::fflush(stdout) != 0) {
      std::perror("detops: standard output");
      return detops::cli::kExitError;
    }
    return status;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "detops: out of memory\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "detops: %s\n", detops::cli::OneLine(error.what()).c_str());
  }
  return detops::cli::kExitError;
}
