// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The context of C++ calls that bring none.

#ifndef DETOPS_RUNTIME_THREAD_CONTEXT_H_
#define DETOPS_RUNTIME_THREAD_CONTEXT_H_

#include "core/handle.h"
#include "detops/context.hpp"
#include "runtime/queue.h"

namespace detops {

// One a thread.
inline Context& ThreadContext() {
  thread_local Context context;
  return context;
}

// For calls that return their result, which may come from work on the context's queue.
inline void WaitForQueue(const Context& context) {
  if (context.handle()->queue != nullptr) {
    context.handle()->queue->Wait();
  }
}

}  // namespace detops

#endif  // DETOPS_RUNTIME_THREAD_CONTEXT_H_
