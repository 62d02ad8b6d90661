// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/boundary.h"

#include <new>
#include <string>

#include "core/log.h"
#include "detops/error.hpp"

namespace detops {

mluOpStatus_t ReportFailure(const char* function, const Status& status) noexcept {
  try {
    const std::string text = fmt::format("{}: {}", function, status.message());
    SetLastError(text, function);
    Log(DETOPS_LOG_ERROR, text);
  } catch (...) {
    SetLastError(function, function);  // out of memory: at least the function's name
  }
  return status.code();
}

mluOpStatus_t ReportException(const char* function) noexcept {
  return ReportFailure(function, StatusFromException());
}

void ThrowError(mluOpStatus_t status, const char* text) {
  try {
    throw Error(status, text);
  } catch (const std::bad_alloc&) {
    throw Error(status, std::string());  // an empty text needs no allocation
  }
}

void ThrowFailure(const char* function, const Status& status) {
  ReportFailure(function, status);
  std::string text;
  try {
    text = fmt::format("{}: {}", function, status.message());
  } catch (const std::bad_alloc&) {
    ThrowError(status.code(), function);
  }
  ThrowError(status.code(), text.c_str());
}

}  // namespace detops
