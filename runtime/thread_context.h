// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The context of C++ calls that do not pass one.

#ifndef DETOPS_RUNTIME_THREAD_CONTEXT_H_
#define DETOPS_RUNTIME_THREAD_CONTEXT_H_

#include "core/handle.h"
#include "detops/context.hpp"
#include "runtime/queue.h"

namespace detops {

// Returns the default context of this thread.
inline Context& ThreadContext() {
  thread_local Context context;
  return context;
}

// Waits for the context's queue, if it has one. For calls that return results by value: the work
// that produces them may be on the queue.
inline void WaitForQueue(const Context& context) {
  if (context.handle()->queue != nullptr) {
    context.handle()->queue->Wait();
  }
}

}  // namespace detops

#endif  // DETOPS_RUNTIME_THREAD_CONTEXT_H_
