// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A line that shows the progress of a long run, on terminals only.

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

  // Shows the next step.
  void Step(std::string_view name);
  // Removes the line, so that other output can follow.
  void Clear();

 private:
  const size_t total_;
  const bool visible_;
  size_t step_ = 0;
};

}  // namespace detops::cli

#endif  // DETOPS_CLI_PROGRESS_H_
