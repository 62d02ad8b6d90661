// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A system that counts the threads it gives and gives no more when told so, in programs that are
// linked with thread_fault.cc.

#ifndef DETOPS_TESTING_THREAD_FAULT_H_
#define DETOPS_TESTING_THREAD_FAULT_H_

// The sanitizers have a pthread_create of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DETOPS_HAS_THREAD_FAULT 1
#endif

namespace detops {

#if defined(DETOPS_HAS_THREAD_FAULT)
// Since the program began.
int ThreadsStarted();

// No thread can be started while it lives.
class ThreadFault {
 public:
  ThreadFault();
  ~ThreadFault();
  ThreadFault(const ThreadFault&) = delete;
  ThreadFault& operator=(const ThreadFault&) = delete;
};
#endif

}  // namespace detops

#endif  // DETOPS_TESTING_THREAD_FAULT_H_
