// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/scratch_slots.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace detops {
namespace {

TEST(ScratchSlots, AreDifferentWhileTheyAreHeld) {
  ScratchSlots slots(3);
  const ScratchSlots::Held first(slots);
  const ScratchSlots::Held second(slots);
  const ScratchSlots::Held third(slots);
  EXPECT_NE(first.number(), second.number());
  EXPECT_NE(first.number(), third.number());
  EXPECT_NE(second.number(), third.number());
  for (const auto* held : {&first, &second, &third}) {
    EXPECT_GE(held->number(), 0);
    EXPECT_LT(held->number(), 3);
  }
}

TEST(ScratchSlots, AreGivenBack) {
  ScratchSlots slots(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ScratchSlots::Held(slots).number(), 0);
  }
}

// More threads than slots take turns.
TEST(ScratchSlots, HaveOneHolderEach) {
  constexpr int kSlots = 2;
  ScratchSlots slots(kSlots);
  std::atomic<int> holders[kSlots] = {};
  std::atomic<bool> shared{false};
  std::vector<std::thread> threads;
  threads.reserve(5);
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 2000; ++turn) {
        const ScratchSlots::Held held(slots);
        shared = shared || holders[held.number()].fetch_add(1) != 0;
        holders[held.number()].fetch_sub(1);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(shared);
}

}  // namespace
}  // namespace detops
