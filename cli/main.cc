// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The `detops` command.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/output_file.h"

namespace {

int Run(int argc, char** argv) {
  CLI::App app("The operators that object detectors run around their networks.", "detops");
  int status = detops::cli::kExitSuccess;
  detops::cli::AddCommands(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? detops::cli::kExitSuccess : detops::cli::kExitError;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    detops::cli::HandleInterrupts();
    const int status = Run(argc, argv);
    if (std::fflush(stdout) != 0) {
      std::perror("detops: standard output");
      return detops::cli::kExitError;
    }
    return status;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "detops: out of memory\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "detops: %s\n", error.what());
  }
  return detops::cli::kExitError;
}
