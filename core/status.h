// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What went wrong, and the thread's memory of it.

#ifndef DETOPS_CORE_STATUS_H_
#define DETOPS_CORE_STATUS_H_

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "mlu_op.h"

namespace detops {

// The outcome of a step: success, or a status code with a message that names the argument, the
// value found and what was expected. The function's name is put before it where the failure is
// reported, so that helpers need not know it.
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

template <class... Values>
Status BadParam(fmt::format_string<Values...> format, Values&&... values) {
  return {MLUOP_STATUS_BAD_PARAM, fmt::format(format, std::forward<Values>(values)...)};
}

template <class... Values>
Status NotSupported(fmt::format_string<Values...> format, Values&&... values) {
  return {MLUOP_STATUS_NOT_SUPPORTED, fmt::format(format, std::forward<Values>(values)...)};
}

#define DETOPS_RETURN_IF_ERROR(expression)         \
  do {                                             \
    ::detops::Status detops_status = (expression); \
    if (!detops_status.ok()) {                     \
      return detops_status;                        \
    }                                              \
  } while (0)

// The exception that is being handled, as a status. To be called from a catch block only.
Status StatusFromException() noexcept;

// Makes `text` what detopsGetLastError returns on this thread.
void SetLastError(std::string_view text) noexcept;

}  // namespace detops

#endif  // DETOPS_CORE_STATUS_H_
