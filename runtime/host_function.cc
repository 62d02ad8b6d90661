// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Functions of the user that run as jobs of a queue.

#include "core/check.h"
#include "runtime/boundary.h"
#include "runtime/queue.h"

using detops::RuntimeCall;
using detops::Status;

namespace {

struct HostCall {
  cnrtHostFn_t function;
  void* argument;
};

Status RunHostCall(detops::RunContext&, const HostCall& call) {
  call.function(call.argument);
  return {};
}

}  // namespace

cnrtRet_t cnrtInvokeHostFunc(cnrtQueue_t queue, cnrtHostFn_t function, void* argument) {
  constexpr const char* kName = "cnrtInvokeHostFunc";
  return RuntimeCall(kName, [&]() -> Status {
    if (function == nullptr) {
      return detops::BadParam("function is NULL; it must be a valid pointer");
    }
    detops::HostQueue* found = nullptr;
    DETOPS_RETURN_IF_ERROR(detops::FindQueue(queue, found));
    if (found == nullptr) {
      function(argument);
      return {};
    }
    return found->Submit(detops::Job::Make<RunHostCall>(kName, HostCall{function, argument}));
  });
}
