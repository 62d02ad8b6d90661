// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Where C++ ends and C begins: nothing throws past it, and every failure is logged and remembered
// once.

#ifndef DETOPS_CORE_BOUNDARY_H_
#define DETOPS_CORE_BOUNDARY_H_

#include "core/status.h"

namespace detops {

// Logs "function: message" and makes it the thread's last error. Returns the status code.
mluOpStatus_t ReportFailure(const char* function, const Status& status) noexcept;

// Reports the exception that is being handled. To be called from a catch block only.
mluOpStatus_t ReportException(const char* function) noexcept;

// Runs `body`, which returns a Status, as the C function of that name.
template <class Body>
mluOpStatus_t ApiCall(const char* function, const Body& body) noexcept {
  try {
    const Status status = body();
    return status.ok() ? MLUOP_STATUS_SUCCESS : ReportFailure(function, status);
  } catch (...) {
    return ReportException(function);
  }
}

// Throws detops::Error, with an empty text when there is no memory for it.
[[noreturn]] void ThrowError(mluOpStatus_t status, const char* text);

// Runs `body`, which returns a Status, as the C++ function of that name: a failure is reported in
// the same way, then thrown as detops::Error with the same text.
[[noreturn]] void ThrowFailure(const char* function, const Status& status);

template <class Body>
void CppCall(const char* function, const Body& body) {
  Status status;
  try {
    status = body();
  } catch (...) {
    status = StatusFromException();
  }
  if (!status.ok()) {
    ThrowFailure(function, status);
  }
}

}  // namespace detops

#endif  // DETOPS_CORE_BOUNDARY_H_
