// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Checks of the API fuzz target. A check that fails ends the program.

#ifndef DETOPS_TESTS_API_FUZZ_CHECKS_H_
#define DETOPS_TESTS_API_FUZZ_CHECKS_H_

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cnrt.h"
#include "measure/fuzz_bytes.h"
#include "mlu_op.h"

namespace detops {

// Aborts with the text `what` unless `condition` holds.
inline void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "api_fuzz: %s (last error: %s)\n", what, detopsGetLastError());
    std::abort();
  }
}

// Requires that the thread's last error is "function: " and a reason.
inline void RequireReason(const char* function) {
  const size_t length = std::strlen(function);
  const char* const message = detopsGetLastError();
  Require(std::strncmp(message, function, length) == 0 && message[length] == ':' &&
              message[length + 1] == ' ' && message[length + 2] != '\0',
          function);
}

// Requires success, or BAD_PARAM with a reason if the call `is_wrong`.
inline void Expect(const char* function, mluOpStatus_t status, bool is_wrong) {
  Require(status == (is_wrong ? MLUOP_STATUS_BAD_PARAM : MLUOP_STATUS_SUCCESS), function);
  if (is_wrong) {
    RequireReason(function);
  }
}

// Requires success, or `error` with a reason if the call `is_wrong`.
inline void Expect(const char* function, cnrtRet_t result, bool is_wrong,
                   cnrtRet_t error = cnrtErrorArgsInvalid) {
  Require(result == (is_wrong ? error : cnrtSuccess), function);
  if (is_wrong) {
    RequireReason(function);
  }
}

// Returns the pointer, or rarely NULL.
template <class Pointer>
Pointer OrNull(FuzzBytes& bytes, Pointer pointer) {
  return bytes.TakeInRange(0, 31) == 1 ? nullptr : pointer;
}

}  // namespace detops

#endif  // DETOPS_TESTS_API_FUZZ_CHECKS_H_
