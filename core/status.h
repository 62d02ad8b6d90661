// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Status, the result of a step that can fail, and the last error of a thread.

#ifndef DETOPS_CORE_STATUS_H_
#define DETOPS_CORE_STATUS_H_

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "mlu_op.h"

namespace detops {

// Success, or a status code with a message. The message names the argument, its value and what is
// valid: "rank is 9; it must be 0 to 8". The name of the API function is prepended when the failure
// is reported (core/boundary.h), so helpers need not know it.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(mluOpStatus_t code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == MLUOP_STATUS_SUCCESS; }
  mluOpStatus_t code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  mluOpStatus_t code_ = MLUOP_STATUS_SUCCESS;
  std::string message_;
};

// Returns MLUOP_STATUS_BAD_PARAM with a formatted message: an argument is invalid.
template <class... Values>
Status BadParam(fmt::format_string<Values...> format, Values&&... values) {
  return {MLUOP_STATUS_BAD_PARAM, fmt::format(format, std::forward<Values>(values)...)};
}

// Returns MLUOP_STATUS_NOT_SUPPORTED with a formatted message: valid, but not implemented.
template <class... Values>
Status NotSupported(fmt::format_string<Values...> format, Values&&... values) {
  return {MLUOP_STATUS_NOT_SUPPORTED, fmt::format(format, std::forward<Values>(values)...)};
}

// Evaluates an expression of type Status and returns it from the current function if it is an
// error.
#define DETOPS_RETURN_IF_ERROR(expression)         \
  do {                                             \
    ::detops::Status detops_status = (expression); \
    if (!detops_status.ok()) {                     \
      return detops_status;                        \
    }                                              \
  } while (0)

// Converts the exception that is being handled to a Status. Must be called from a catch block.
Status StatusFromException() noexcept;

// Sets the text that detopsGetLastError returns on this thread. Truncates it if it is too long.
// Sets `fallback`, which must be a string literal, if there is no memory for the text.
void SetLastError(std::string_view text, const char* fallback) noexcept;

}  // namespace detops

#endif  // DETOPS_CORE_STATUS_H_
