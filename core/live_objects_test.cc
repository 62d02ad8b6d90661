// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/live_objects.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "measure/slow_build.h"

namespace detops {
namespace {

constexpr ObjectKind kKinds[] = {ObjectKind::kHandle, ObjectKind::kTensorDescriptor,
                                 ObjectKind::kQueue, ObjectKind::kNotifier};

TEST(LiveObjects, FindsAnObjectWhileItLives) {
  static LiveObjects objects;
  int object = 0;
  const uint64_t value = objects.Add(ObjectKind::kQueue, &object);
  EXPECT_EQ(objects.Find(ObjectKind::kQueue, value), &object);
  EXPECT_EQ(objects.Remove(ObjectKind::kQueue, value), &object);
  EXPECT_EQ(objects.Find(ObjectKind::kQueue, value), nullptr);
  EXPECT_EQ(objects.Remove(ObjectKind::kQueue, value), nullptr) << "removed twice";
}

TEST(LiveObjects, DoesNotTakeOneKindForAnother) {
  static LiveObjects objects;
  int object = 0;
  for (const ObjectKind kind : kKinds) {
    const uint64_t value = objects.Add(kind, &object);
    for (const ObjectKind other : kKinds) {
      EXPECT_EQ(objects.Find(other, value), other == kind ? &object : nullptr);
      if (other != kind) {
        EXPECT_EQ(objects.Remove(other, value), nullptr);
      }
    }
    EXPECT_EQ(objects.Find(kind, value), &object) << "removing it as another kind changed it";
  }
}

// Addresses, small numbers, values of other slots and generations, and random bits.
TEST(LiveObjects, RefusesValuesThatItNeverReturned) {
  static LiveObjects objects;
  int object = 0;
  const uint64_t value = objects.Add(ObjectKind::kHandle, &object);
  std::vector<uint64_t> others = {0, 1, 2, ~uint64_t{0}, value & 0xFFFFFFFF};
  others.push_back(reinterpret_cast<uint64_t>(&object));
  others.push_back(reinterpret_cast<uint64_t>(&objects));
  for (int bit = 0; bit < 64; ++bit) {
    others.push_back(value ^ uint64_t{1} << bit);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    others.push_back(random());
  }
  for (const uint64_t other : others) {
    for (const ObjectKind kind : kKinds) {
      ASSERT_EQ(objects.Find(kind, other), nullptr) << other;
      ASSERT_EQ(objects.Remove(kind, other), nullptr) << other;
    }
  }
  EXPECT_EQ(objects.Find(ObjectKind::kHandle, value), &object);
}

// More objects at once than several chunks have, twice.
TEST(LiveObjects, ManyObjectsHaveDifferentValues) {
  static LiveObjects objects;
  constexpr size_t kCount = 20'000;
  std::vector<int> all(kCount);
  std::set<uint64_t> values;
  for (int round = 0; round < 2; ++round) {
    std::vector<uint64_t> live;
    for (int& object : all) {
      live.push_back(objects.Add(ObjectKind::kTensorDescriptor, &object));
      values.insert(live.back());
    }
    for (size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(objects.Find(ObjectKind::kTensorDescriptor, live[i]), &all[i]);
    }
    for (size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(objects.Remove(ObjectKind::kTensorDescriptor, live[i]), &all[i]);
    }
  }
  EXPECT_EQ(values.size(), 2 * kCount) << "a value was used twice";
}

// The first slot is used until its generations are exhausted. Its values must never come back.
TEST(LiveObjects, NeverReturnsAValueTwice) {
  if (kSlowBuild) {
    GTEST_SKIP() << "takes too long in this build";
  }
  static LiveObjects objects;
  int object = 0;
  const uint64_t first = objects.Add(ObjectKind::kQueue, &object);
  uint64_t previous = first;
  for (uint32_t i = 0; i < LiveObjects::kMaxGeneration + 2; ++i) {
    ASSERT_NE(objects.Remove(ObjectKind::kQueue, previous), nullptr);
    const uint64_t value = objects.Add(ObjectKind::kQueue, &object);
    ASSERT_NE(value, first);
    ASSERT_NE(value, previous);
    previous = value;
  }
  EXPECT_NE(static_cast<uint32_t>(previous), static_cast<uint32_t>(first))
      << "the slot is used although its generations are exhausted";
}

// Threads add, find and remove objects of their own at the same time.
TEST(LiveObjects, ThreadsDoNotDisturbEachOther) {
  static LiveObjects objects;
  constexpr int kThreads = 4;
  const int rounds = kSlowBuild ? 200 : 5'000;
  std::atomic<int> errors{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      int mine[8] = {};
      uint64_t values[8] = {};
      for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < 8; ++i) {
          values[i] = objects.Add(ObjectKind::kTensorDescriptor, &mine[i]);
        }
        for (int i = 0; i < 8; ++i) {
          errors += objects.Find(ObjectKind::kTensorDescriptor, values[i]) != &mine[i];
          errors += objects.Remove(ObjectKind::kTensorDescriptor, values[i]) != &mine[i];
          errors += objects.Find(ObjectKind::kTensorDescriptor, values[i]) != nullptr;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(errors, 0);
}

TEST(LiveObjects, OneOfSeveralThreadsRemovesAnObject) {
  static LiveObjects objects;
  int object = 0;
  for (int round = 0; round < (kSlowBuild ? 20 : 500); ++round) {
    const uint64_t value = objects.Add(ObjectKind::kHandle, &object);
    std::atomic<int> ready{0};
    std::atomic<int> removed{0};
    std::vector<std::thread> threads;
    threads.reserve(3);
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        ++ready;
        while (ready < 3) {
        }
        removed += objects.Remove(ObjectKind::kHandle, value) != nullptr;
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    ASSERT_EQ(removed, 1);
  }
}

}  // namespace
}  // namespace detops
