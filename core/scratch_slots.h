// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Hands out the per-thread parts of a call's scratch memory.

#ifndef DETOPS_CORE_SCRATCH_SLOTS_H_
#define DETOPS_CORE_SCRATCH_SLOTS_H_

#include <atomic>
#include <thread>

#include "core/parallel.h"

namespace detops {

// Numbers from 0 to `count` - 1. Each holder has a number to itself. When all are taken, further
// threads wait: in the arena of a user's own parallel loop there may be more threads than slots. A
// holder must therefore not wait for another thread.
class ScratchSlots {
 public:
  explicit ScratchSlots(int count) : count_(count) {}

  class Held {
   public:
    explicit Held(ScratchSlots& slots) : slots_(slots), number_(slots.Take()) {}
    ~Held() { slots_.taken_[number_].store(false, std::memory_order_release); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    int number() const { return number_; }

   private:
    ScratchSlots& slots_;
    const int number_;
  };

 private:
  int Take() {
    for (;;) {
      for (int i = 0; i < count_; ++i) {
        if (!taken_[i].exchange(true, std::memory_order_acquire)) {
          return i;
        }
      }
      std::this_thread::yield();
    }
  }

  const int count_;
  std::atomic<bool> taken_[kMaxThreads] = {};
};

}  // namespace detops

#endif  // DETOPS_CORE_SCRATCH_SLOTS_H_
