// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The names of the runtime's return values, and each thread's last error.

#include "runtime/error.h"

#include <utility>

namespace detops {
namespace {

// Initial-exec: accessing it never allocates.
__attribute__((tls_model("initial-exec"))) thread_local cnrtRet_t last_result = cnrtSuccess;

}  // namespace

cnrtRet_t Remember(cnrtRet_t result) noexcept {
  if (result != cnrtSuccess) {
    last_result = result;
  }
  return result;
}

}  // namespace detops

cnrtRet_t cnrtGetLastError(void) { return std::exchange(detops::last_result, cnrtSuccess); }

cnrtRet_t cnrtPeekAtLastError(void) { return detops::last_result; }

const char* cnrtGetErrorStr(cnrtRet_t error) {
  switch (error) {
    case cnrtSuccess:
      return "cnrtSuccess";
    case cnrtErrorNotReady:
      return "cnrtErrorNotReady";
    case cnrtErrorArgsInvalid:
      return "cnrtErrorArgsInvalid";
    case cnrtErrorNoMem:
      return "cnrtErrorNoMem";
    case cnrtErrorQueueInvalid:
      return "cnrtErrorQueueInvalid";
    case cnrtErrorUnknown:
      return "cnrtErrorUnknown";
  }
  return "unknown cnrtRet_t";
}

const char* cnrtGetErrorName(cnrtRet_t error) { return cnrtGetErrorStr(error); }
