// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Replaces pthread_create in programs that are linked with thread_fault.cc: threads are counted,
// and cannot be started where a test asks for it.

#ifndef DETOPS_TESTING_THREAD_FAULT_H_
#define DETOPS_TESTING_THREAD_FAULT_H_

// The sanitizers replace pthread_create themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DETOPS_HAS_THREAD_FAULT 1
#endif

namespace detops {

#if defined(DETOPS_HAS_THREAD_FAULT)
// Returns the number of threads that were started since the program began.
int ThreadsStarted();

// During its lifetime, `allowed` threads can be started; every further attempt fails.
class ThreadFault {
 public:
  explicit ThreadFault(int allowed = 0);
  ~ThreadFault();
  ThreadFault(const ThreadFault&) = delete;
  ThreadFault& operator=(const ThreadFault&) = delete;
};
#endif

}  // namespace detops

#endif  // DETOPS_TESTING_THREAD_FAULT_H_
