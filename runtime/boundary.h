// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C boundary (core/boundary.h) of the runtime's functions, which return cnrtRet_t.

#ifndef DETOPS_RUNTIME_BOUNDARY_H_
#define DETOPS_RUNTIME_BOUNDARY_H_

#include "cnrt.h"
#include "core/boundary.h"
#include "runtime/error.h"

namespace detops {

// Returns the runtime's code that is closest to `status`.
inline cnrtRet_t ToCnrt(mluOpStatus_t status) {
  switch (status) {
    case MLUOP_STATUS_SUCCESS:
      return cnrtSuccess;
    case MLUOP_STATUS_ALLOC_FAILED:
      return cnrtErrorNoMem;
    case MLUOP_STATUS_BAD_PARAM:
      return cnrtErrorArgsInvalid;
    default:
      return cnrtErrorUnknown;
  }
}

// Runs `body`, which returns a Status, as the body of the runtime function named `function`. A
// failure becomes the thread's last error (cnrtGetLastError).
template <class Body>
cnrtRet_t RuntimeCall(const char* function, const Body& body) noexcept {
  return Remember(ToCnrt(ApiCall(function, body)));
}

}  // namespace detops

#endif  // DETOPS_RUNTIME_BOUNDARY_H_
