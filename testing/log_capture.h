// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Captures the log of a test.

#ifndef DETOPS_TESTING_LOG_CAPTURE_H_
#define DETOPS_TESTING_LOG_CAPTURE_H_

#include <mutex>
#include <string>
#include <vector>

#include "mlu_op.h"

namespace detops {

// Collects the log lines of all threads during its lifetime, instead of writing them to stderr.
class LogCapture {
 public:
  explicit LogCapture(detopsLogLevel_t level = DETOPS_LOG_ERROR);
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  // Returns the lines since the last call.
  std::vector<std::string> Take();

 private:
  static void Append(detopsLogLevel_t level, const char* line, void* user);

  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace detops

#endif  // DETOPS_TESTING_LOG_CAPTURE_H_
