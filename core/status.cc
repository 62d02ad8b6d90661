// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/status.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

namespace detops {
namespace {

// Not allocated, so that running out of memory can be reported, too.
thread_local char last_error[1024] = "";

}  // namespace

void SetLastError(std::string_view text) noexcept {
  const size_t length = std::min(text.size(), sizeof(last_error) - 1);
  std::memcpy(last_error, text.data(), length);
  last_error[length] = '\0';
}

Status StatusFromException() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return {MLUOP_STATUS_ALLOC_FAILED, "out of memory"};
    } catch (const std::exception& exception) {
      return {MLUOP_STATUS_INTERNAL_ERROR,
              fmt::format("unexpected exception: {}", exception.what())};
    } catch (...) {
      return {MLUOP_STATUS_INTERNAL_ERROR, "unexpected exception"};
    }
  } catch (...) {
    return {MLUOP_STATUS_ALLOC_FAILED, std::string()};  // no memory for the message
  }
}

}  // namespace detops

const char* detopsGetLastError(void) { return detops::last_error; }

const char* mluOpGetErrorString(mluOpStatus_t status) {
  switch (status) {
    case MLUOP_STATUS_SUCCESS:
      return "MLUOP_STATUS_SUCCESS";
    case MLUOP_STATUS_NOT_INITIALIZED:
      return "MLUOP_STATUS_NOT_INITIALIZED";
    case MLUOP_STATUS_ALLOC_FAILED:
      return "MLUOP_STATUS_ALLOC_FAILED";
    case MLUOP_STATUS_BAD_PARAM:
      return "MLUOP_STATUS_BAD_PARAM";
    case MLUOP_STATUS_INTERNAL_ERROR:
      return "MLUOP_STATUS_INTERNAL_ERROR";
    case MLUOP_STATUS_ARCH_MISMATCH:
      return "MLUOP_STATUS_ARCH_MISMATCH";
    case MLUOP_STATUS_EXECUTION_FAILED:
      return "MLUOP_STATUS_EXECUTION_FAILED";
    case MLUOP_STATUS_NOT_SUPPORTED:
      return "MLUOP_STATUS_NOT_SUPPORTED";
    case MLUOP_STATUS_NUMERICAL_OVERFLOW:
      return "MLUOP_STATUS_NUMERICAL_OVERFLOW";
  }
  return "unknown mluOpStatus_t";
}
