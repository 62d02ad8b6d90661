// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The `detops` command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "core/operators.h"
#include "core/version.h"
#include "detops/info.hpp"

namespace {

// Exit status of a command that could not do its job, also for wrong usage.
constexpr int kExitFailure = 2;

void PrintInfo() {
  const detops::Info info = detops::GetInfo();
  fmt::print("version       {}\n", info.version);
  fmt::print("cpu           {}\n", info.cpu);
  fmt::print("cores         {}\n", info.cores);
  fmt::print("threads       {}\n", info.threads);
  fmt::print("simd target   {}\n", info.simd_target);
  fmt::print("simd targets  {}\n", fmt::join(info.simd_targets, " "));
}

void PrintOperators() {
  for (const detops::Operator* op : detops::Operators()) {
    fmt::print("{:<24} {}\n", op->name, op->summary);
  }
}

int Run(int argc, char** argv) {
  CLI::App app("The operators that object detectors run around their networks.");
  app.set_version_flag("--version", detops::kVersion);
  app.require_subcommand(1);
  app.add_subcommand("info", "Print version, CPU, threads and instruction sets")
      ->callback(PrintInfo);
  app.add_subcommand("list", "Print the operators")->callback(PrintOperators);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitFailure;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int result = Run(argc, argv);
    if (std::fflush(stdout) != 0) {
      std::perror("detops: standard output");
      return kExitFailure;
    }
    return result;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "detops: %s\n", error.what());
    return kExitFailure;
  }
}
