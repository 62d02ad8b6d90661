// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A line that says how far a long run has come: on terminals, never in logs.

#ifndef DETOPS_CLI_PROGRESS_H_
#define DETOPS_CLI_PROGRESS_H_

#include <cstddef>
#include <string_view>

namespace detops::cli {

class Progress {
 public:
  explicit Progress(size_t total);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The next piece of work, by name.
  void Step(std::string_view name);
  // Takes the line away, for output of another kind.
  void Clear();

 private:
  const size_t total_;
  const bool visible_;
  size_t step_ = 0;
};

}  // namespace detops::cli

#endif  // DETOPS_CLI_PROGRESS_H_
