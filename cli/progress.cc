// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace detops::cli {
namespace {

// Longer names are cut, so that the line fits a narrow terminal.
constexpr size_t kMaxName = 50;

constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

Progress::Progress(size_t total) : total_(total), visible_(isatty(STDERR_FILENO) == 1) {}

void Progress::Step(std::string_view name) {
  ++step_;
  if (visible_) {
    std::fflush(stdout);
    fmt::print(stderr, "{}[{}/{}] {}", kClearLine, step_, total_, name.substr(0, kMaxName));
    std::fflush(stderr);
  }
}

void Progress::Clear() {
  if (visible_ && step_ != 0) {
    fmt::print(stderr, "{}", kClearLine);
    std::fflush(stderr);
  }
}

}  // namespace detops::cli
