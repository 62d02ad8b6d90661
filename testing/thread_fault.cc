// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "testing/thread_fault.h"

#if defined(DETOPS_HAS_THREAD_FAULT)

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <climits>

namespace {

std::atomic<int> threads_allowed{INT_MAX};
std::atomic<int> threads_started{0};

}  // namespace

// Symbols of the program take precedence, so std::thread calls this function.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) {
  if (threads_allowed.fetch_sub(1) <= 0) {
    threads_allowed.fetch_add(1);
    return EAGAIN;
  }
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  const int error = create(thread, attributes, start, argument);
  threads_started += error == 0 ? 1 : 0;
  return error;
}

namespace detops {

int ThreadsStarted() { return threads_started; }

ThreadFault::ThreadFault(int allowed) { threads_allowed = allowed; }
ThreadFault::~ThreadFault() { threads_allowed = INT_MAX; }

}  // namespace detops

#endif
