// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "testing/log_capture.h"

#include <utility>

namespace detops {

LogCapture::LogCapture(detopsLogLevel_t level) {
  detopsSetLogSink(&Append, this);
  detopsSetLogLevel(level);
}

LogCapture::~LogCapture() {
  detopsSetLogLevel(DETOPS_LOG_ERROR);
  detopsSetLogSink(nullptr, nullptr);
}

std::vector<std::string> LogCapture::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(lines_, {});
}

void LogCapture::Append(detopsLogLevel_t, const char* line, void* user) {
  auto* const capture = static_cast<LogCapture*>(user);
  const std::lock_guard<std::mutex> lock(capture->mutex_);
  capture->lines_.emplace_back(line);
}

}  // namespace detops
