// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The default context of C++ calls.

#ifndef DETOPS_RUNTIME_THREAD_CONTEXT_H_
#define DETOPS_RUNTIME_THREAD_CONTEXT_H_

#include "detops/context.hpp"

namespace detops {

// Returns the context of C++ calls that name none. Each thread has one. It may be used in
// destructors of static and thread_local objects, too.
Context& ThreadContext();

}  // namespace detops

#endif  // DETOPS_RUNTIME_THREAD_CONTEXT_H_
