// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/fork.h"

#include <pthread.h>

namespace detops {

constinit std::atomic<uint32_t> ForkCount::count_{0};

const int ForkCount::handler_ = CallInForkedChild(&ForkCount::Increment);

void ForkCount::Increment() { count_.fetch_add(1, std::memory_order_relaxed); }

int CallInForkedChild(void (*renew)()) { return pthread_atfork(nullptr, nullptr, renew); }

}  // namespace detops
