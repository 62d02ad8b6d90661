// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Which part of the scratch a thread works in.

#ifndef DETOPS_CORE_SLOTS_H_
#define DETOPS_CORE_SLOTS_H_

#include <atomic>
#include <thread>

#include "core/parallel.h"

namespace detops {

// The numbers from 0 to `count` - 1, of which each holder has one to itself. With more holders than
// numbers the others wait, so nobody may wait for anybody else while it holds one: those who want
// to hold one are the threads of a loop, and in the arena of a user's own loop they may be more
// than there are slots.
class Slots {
 public:
  explicit Slots(int count) : count_(count) {}

  class Held {
   public:
    explicit Held(Slots& slots) : slots_(slots), number_(slots.Take()) {}
    ~Held() { slots_.taken_[number_].store(false, std::memory_order_release); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    int number() const { return number_; }

   private:
    Slots& slots_;
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

#endif  // DETOPS_CORE_SLOTS_H_
