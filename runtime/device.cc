// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The device functions of the runtime. The host is the only device, number 0.

#include "core/check.h"
#include "runtime/boundary.h"

using detops::CheckNotNull;
using detops::CheckRange;
using detops::RuntimeCall;
using detops::Status;

cnrtRet_t cnrtGetDevice(int* ordinal) {
  return RuntimeCall("cnrtGetDevice", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("ordinal", ordinal));
    *ordinal = 0;
    return {};
  });
}

cnrtRet_t cnrtSetDevice(int ordinal) {
  return RuntimeCall("cnrtSetDevice",
                     [&]() -> Status { return CheckRange("ordinal", ordinal, 0, 0); });
}

cnrtRet_t cnrtGetDeviceCount(unsigned int* count) {
  return RuntimeCall("cnrtGetDeviceCount", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("count", count));
    *count = 1;
    return {};
  });
}

cnrtRet_t cnrtDeviceReset(void) { return cnrtSyncDevice(); }
