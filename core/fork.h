// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the library must do when a process forks. The child has the memory of its parent, but only
// one thread: workers and queue threads are gone, and locks that they held stay locked.

#ifndef DETOPS_CORE_FORK_H_
#define DETOPS_CORE_FORK_H_

#include <atomic>
#include <cstdint>

namespace detops {

// Counts the forks between the process that loaded the library and this one. An object that stores
// the number when it is created can find out later that it was inherited from a parent.
class ForkCount {
 public:
  static uint32_t Get() { return count_.load(std::memory_order_relaxed); }

 private:
  static void Increment();

  static std::atomic<uint32_t> count_;
  static const int handler_;
};

// Calls `renew` in each forked child before fork() returns there. It may use only functions that
// are safe in signal handlers. Returns 0, or an error number when out of memory.
int CallInForkedChild(void (*renew)());

}  // namespace detops

#endif  // DETOPS_CORE_FORK_H_
