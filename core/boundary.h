// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The boundary between the library and its callers. Every entry point runs its body through ApiCall
// (C) or CppCall (C++): no exception leaves a C function, and each failure is logged once and
// becomes the thread's last error.

#ifndef DETOPS_CORE_BOUNDARY_H_
#define DETOPS_CORE_BOUNDARY_H_

#include "core/status.h"

namespace detops {

// Logs "function: message" and stores it as the thread's last error. Returns the status code.
mluOpStatus_t ReportFailure(const char* function, const Status& status) noexcept;

// Reports the exception that is being handled. Must be called from a catch block.
mluOpStatus_t ReportException(const char* function) noexcept;

// Runs `body`, which returns a Status, as the body of the C function named `function`.
template <class Body>
mluOpStatus_t ApiCall(const char* function, const Body& body) noexcept {
  try {
    const Status status = body();
    return status.ok() ? MLUOP_STATUS_SUCCESS : ReportFailure(function, status);
  } catch (...) {
    return ReportException(function);
  }
}

// Throws detops::Error. Its text is empty when there is no memory for it.
[[noreturn]] void ThrowError(mluOpStatus_t status, const char* text);

// Reports the failure as ReportFailure does, then throws it as detops::Error with the same text.
[[noreturn]] void ThrowFailure(const char* function, const Status& status);

// Runs `body`, which returns a Status, as the body of the C++ function named `function`. A failure,
// or an exception of any kind, becomes a detops::Error.
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
