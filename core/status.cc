// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/status.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "core/interruption.h"
#include "core/per_thread.h"

namespace detops {
namespace {

// The text of the last error; null before the first. Initial-exec: accessing it never allocates.
__attribute__((tls_model("initial-exec"))) thread_local const char* last_error = nullptr;

// Where a thread keeps the text. Allocated with its first error.
struct ErrorText {
  char text[1024];

  ErrorText() = default;
  ~ErrorText() { last_error = nullptr; }
  ErrorText(const ErrorText&) = delete;
  ErrorText& operator=(const ErrorText&) = delete;
};

constinit PerThread<ErrorText> error_texts;

}  // namespace

void SetLastError(std::string_view text, const char* fallback) noexcept {
  try {
    ErrorText& error = error_texts.Get();
    const size_t length = std::min(text.size(), sizeof(error.text) - 1);
    std::memcpy(error.text, text.data(), length);
    error.text[length] = '\0';
    last_error = error.text;
  } catch (...) {
    last_error = fallback;
  }
}

Status StatusFromException() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return {MLUOP_STATUS_ALLOC_FAILED, "out of memory"};
    } catch (const Interrupted& interrupted) {
      return {MLUOP_STATUS_EXECUTION_FAILED, interrupted.what()};
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

const char* detopsGetLastError(void) {
  return detops::last_error != nullptr ? detops::last_error : "";
}

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
