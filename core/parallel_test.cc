// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/parallel.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/cores.h"
#include "core/costs.h"
#include "testing/valgrind.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops {
namespace {

// Estimates, in nanoseconds per item.
constexpr double kCheap = 1e-3;  // far too little to share
constexpr double kCostly = 1e5;  // each item is worth a part of its own

// The set of threads that called Add.
class ThreadSet {
 public:
  void Add() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ids_.insert(std::this_thread::get_id());
  }
  std::set<std::thread::id> ids() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ids_;
  }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> ids_;
};

void SpinFor(std::chrono::microseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(ParallelFor, VisitsEveryItemOnce) {
  for (const int thread_count : {1, 2, 3, 7, 64}) {
    Threads threads(thread_count);
    for (const int64_t count : {1, 2, 3, 7, 8, 63, 64, 65, 1000, 10'007}) {
      for (const double cost : {kCheap, 100.0, kCostly}) {
        std::vector<std::atomic<int>> visits(count);
        ParallelFor(threads, count, cost, [&](int64_t begin, int64_t end) {
          ASSERT_LT(begin, end);
          for (int64_t i = begin; i < end; ++i) {
            ++visits[i];
          }
        });
        ASSERT_TRUE(std::all_of(visits.begin(), visits.end(), [](const auto& v) { return v == 1; }))
            << thread_count << " threads, " << count << " items";
      }
    }
  }
}

// No atomics: the loop itself orders its parts after everything before it and before everything
// after it.
TEST(ParallelFor, PlainMemoryIsSafeToReadBeforeAndAfter) {
  Threads threads(2);
  std::vector<int> input(4096);
  std::vector<int> output(input.size());
  for (int round = 0; round < 20; ++round) {
    std::fill(input.begin(), input.end(), round);
    ParallelFor(threads, static_cast<int64_t>(input.size()), 100.0,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    output[i] = input[i] + 1;
                  }
                  SpinFor(std::chrono::microseconds(50));
                });
    ASSERT_EQ(std::count(output.begin(), output.end(), round + 1),
              static_cast<int64_t>(output.size()));
  }
}

TEST(ParallelFor, DoesNotCallTheBodyWithoutItems) {
  Threads threads(2);
  for (const int64_t count : {int64_t{0}, int64_t{-1}}) {
    ParallelFor(threads, count, kCostly, [](int64_t, int64_t) { FAIL(); });
  }
}

TEST(ParallelFor, HugeCountsDoNotOverflow) {
  Threads threads(7);
  constexpr int64_t kCount = INT64_MAX;
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  ParallelFor(threads, kCount, 1.0, [&](int64_t begin, int64_t end) {
    const std::lock_guard<std::mutex> lock(mutex);
    ranges.emplace_back(begin, end);
  });
  std::sort(ranges.begin(), ranges.end());
  EXPECT_GT(ranges.size(), 1u);
  EXPECT_EQ(ranges.front().first, 0);
  EXPECT_EQ(ranges.back().second, kCount);
  for (size_t i = 1; i < ranges.size(); ++i) {
    EXPECT_EQ(ranges[i].first, ranges[i - 1].second);
  }
}

TEST(ParallelFor, SplitAlwaysSplitsWorkOfAnySize) {
  for (const int count : {1, 2, 7, 1000}) {
    Threads threads(7, Split::kAlways);
    std::atomic<int64_t> parts{0};
    std::atomic<int64_t> items{0};
    ParallelFor(threads, count, 0.0, [&](int64_t begin, int64_t end) {
      ++parts;
      items += end - begin;
    });
    EXPECT_EQ(parts, std::min(count, 56));
    EXPECT_EQ(items, count);
  }
}

TEST(ParallelFor, SmallWorkIsOnePartOnTheCallingThread) {
  EXPECT_EQ(kMinParallelNanoseconds, 20'000) << "mlu_op.h and docs/architecture.md state it";
  Threads threads(4);
  ThreadSet seen;
  int calls = 0;
  ParallelFor(threads, 100, 0.9 * kMinParallelNanoseconds / 100, [&](int64_t begin, int64_t end) {
    seen.Add();
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seen.ids(), std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(ParallelFor, OneThreadIsTheCallingThread) {
  Threads threads(1);
  ThreadSet seen;
  ParallelFor(threads, 1000, kCostly, [&](int64_t, int64_t) { seen.Add(); });
  EXPECT_EQ(seen.ids(), std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(ParallelFor, LargeWorkIsShared) {
  if (AvailableCores() == 1) {
    GTEST_SKIP() << "needs more than one core";
  }
  if (UnderValgrind()) {
    GTEST_SKIP() << "Valgrind runs one thread at a time";
  }
  Threads threads(2);
  ThreadSet seen;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (seen.ids().size() < 2 && std::chrono::steady_clock::now() < give_up) {
    ParallelFor(threads, 16, kCostly, [&](int64_t, int64_t) {
      seen.Add();
      SpinFor(std::chrono::microseconds(200));
    });
  }
  EXPECT_EQ(seen.ids().size(), 2u);
}

// Signals of the process are for its own threads: a handler must not run on a worker.
TEST(ParallelFor, WorkersBlockAllSignals) {
  if (AvailableCores() == 1 || UnderValgrind()) {
    GTEST_SKIP() << "needs more than one core, which Valgrind does not use";
  }
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> workers{0};
  std::atomic<int> unblocked{0};
  Threads threads(2);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (workers == 0 && std::chrono::steady_clock::now() < give_up) {
    ParallelFor(threads, 16, kCostly, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != caller) {
        sigset_t blocked;
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGCHLD}) {
          unblocked += sigismember(&blocked, signal) == 1 ? 0 : 1;
        }
        ++workers;
      }
      SpinFor(std::chrono::microseconds(200));
    });
  }
  EXPECT_GT(workers, 0) << "no worker ran a part, so nothing was tested";
  EXPECT_EQ(unblocked, 0);
}

// Whatever the handles ask for, the process has at most AvailableCores() - 1 workers, in addition
// to the calling threads.
TEST(ParallelFor, WorkersNeverExceedTheCores) {
  constexpr int kCallers = 6;
  ThreadSet seen;
  std::vector<std::thread> callers;
  std::set<std::thread::id> caller_ids;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&, i] {
      Threads threads(3 + 8 * i);
      for (int round = 0; round < 20; ++round) {
        ParallelFor(threads, 64, kCostly, [&](int64_t, int64_t) {
          seen.Add();
          SpinFor(std::chrono::microseconds(20));
        });
      }
    });
    caller_ids.insert(callers.back().get_id());
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  int workers = 0;
  for (const std::thread::id id : seen.ids()) {
    workers += caller_ids.count(id) == 0 ? 1 : 0;
  }
  EXPECT_LE(workers, AvailableCores() - 1);
}

TEST(ParallelFor, NestedLoopsFinishAndUseNoMoreThreads) {
  Threads outer(2);
  Threads inner(7);
  ThreadSet seen;
  std::atomic<int64_t> sum{0};
  ParallelFor(outer, 8, kCostly, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      ParallelFor(inner, 100, kCostly, [&](int64_t inner_begin, int64_t inner_end) {
        seen.Add();
        sum += inner_end - inner_begin;
      });
    }
  });
  EXPECT_EQ(sum, 800);
  EXPECT_LE(seen.ids().size(), 2u);
}

// A thread that waits for its inner loop must not start another part of the outer loop, because it
// may hold a lock. The error needs three threads to show; on two cores the test proves nothing.
TEST(ParallelFor, NestedLoopsDoNotReenterTheirCaller) {
  Threads threads(AvailableCores());
  thread_local bool inside = false;
  std::atomic<int> reentered{0};
  for (int round = 0; round < 5; ++round) {
    ParallelFor(threads, 24, kCostly, [&](int64_t, int64_t) {
      reentered += inside ? 1 : 0;
      inside = true;
      ParallelFor(threads, 6, kCostly, [&](int64_t begin, int64_t) {
        std::this_thread::sleep_for(std::chrono::microseconds(begin % 2 == 0 ? 100 : 700));
      });
      inside = false;
    });
  }
  EXPECT_EQ(reentered, 0);
}

TEST(ParallelFor, AnExceptionReachesTheCaller) {
  Threads threads(2);
  EXPECT_THROW(ParallelFor(threads, 100, kCostly,
                           [](int64_t, int64_t) { throw std::runtime_error("from a part"); }),
               std::runtime_error);
  std::atomic<int64_t> items{0};
  ParallelFor(threads, 100, kCostly, [&](int64_t begin, int64_t end) { items += end - begin; });
  EXPECT_EQ(items, 100) << "the threads are usable afterward";
}

// A loop that needs fewer workers than there are wakes no more than it needs.
TEST(ParallelFor, LoopsMayUseFewerThreadsThanThereAreWorkers) {
  PretendCores(4);
  for (const int thread_count : {4, 2, 3, 2}) {
    Threads threads(thread_count);
    for (int round = 0; round < 10; ++round) {
      std::atomic<int64_t> items{0};
      ParallelFor(threads, 1000, kCostly,
                  [&](int64_t begin, int64_t end) { items += end - begin; });
      EXPECT_EQ(items, 1000);
    }
  }
  PretendCores(0);
}

// Is requested when it is asked for the n-th time.
class RequestedAt final : public Interruption {
 public:
  explicit RequestedAt(int when) : when_(when) {}
  bool IsRequested() override { return ++asked_ >= when_; }

 private:
  const int when_;
  int asked_ = 0;
};

TEST(ParallelFor, AnInterruptionEndsTheLoop) {
  for (const int thread_count : {1, 2, 7}) {
    Threads threads(thread_count);
    for (const int when : {1, 2, 5}) {
      RequestedAt interruption(when);
      threads.SetInterruption(&interruption);
      std::atomic<int64_t> items{0};
      EXPECT_THROW(ParallelFor(threads, 1000, 1e8,
                               [&](int64_t begin, int64_t end) {
                                 items += end - begin;
                                 SpinFor(std::chrono::microseconds(20));
                               }),
                   Interrupted);
      EXPECT_LT(items, 1000);
      const int64_t afterward = items;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(items, afterward) << "no thread works on the loop any more";
    }
    threads.SetInterruption(nullptr);
    std::atomic<int64_t> items{0};
    ParallelFor(threads, 1000, 1e8, [&](int64_t begin, int64_t end) { items += end - begin; });
    EXPECT_EQ(items, 1000);
  }
}

// On one thread, too, long work is split so that it can be interrupted.
TEST(ParallelFor, LongWorkIsInterruptibleOnOneThread) {
  Threads threads(1);
  RequestedAt never(1 << 30);
  threads.SetInterruption(&never);
  int parts = 0;
  ParallelFor(threads, 1000, 1e6, [&](int64_t, int64_t) { ++parts; });  // one second
  EXPECT_EQ(parts, 50);
  parts = 0;
  ParallelFor(threads, 1000, 1.0, [&](int64_t, int64_t) { ++parts; });
  EXPECT_EQ(parts, 1);
}

#if defined(__SSE2__)
TEST(ParallelFor, EveryThreadComputesInTheDefaultModeAndRestoresItsOwn) {
  if (UnderValgrind()) {
    GTEST_SKIP() << "Valgrind has only one floating-point mode";
  }
  constexpr uint32_t kDefault = 0x1F80;
  // Denormals are flushed and treated as zero, rounding is down, and one flag is raised.
  constexpr uint32_t kUnusual = 0x1F80 | 0x8040 | 0x2000 | 0x20;
  Threads threads(2);
  for (const double cost : {kCheap, kCostly}) {
    std::atomic<int> wrong{0};
    _mm_setcsr(kUnusual);
    ParallelFor(threads, 64, cost, [&](int64_t, int64_t) {
      wrong += (_mm_getcsr() & ~0x3Fu) != kDefault ? 1 : 0;
      volatile float denormal = 1e-40f;
      wrong += denormal * 2.0f > 0.0f ? 0 : 1;
      SpinFor(std::chrono::microseconds(20));
    });
    const uint32_t after = _mm_getcsr();
    _mm_setcsr(kDefault);
    EXPECT_EQ(after, kUnusual);
    EXPECT_EQ(wrong, 0);
  }
}

TEST(ParallelFor, FlagsThatAPartRaisesDoNotReachTheCaller) {
  if (UnderValgrind()) {
    GTEST_SKIP() << "Valgrind does not raise exception flags";
  }
  constexpr uint32_t kDefault = 0x1F80;
  constexpr uint32_t kInexact = 0x20;
  constexpr uint32_t kDividedByZero = 0x04;
  Threads threads(2);
  for (const uint32_t before : {kDefault, kDefault | kInexact}) {
    uint32_t inside = 0;
    _mm_setcsr(before);
    ParallelFor(threads, 1, kCheap, [&](int64_t, int64_t) {
      volatile float zero = 0.0f;
      zero = 1.0f / zero;
      inside = _mm_getcsr();
    });
    const uint32_t after = _mm_getcsr();
    _mm_setcsr(kDefault);
    EXPECT_EQ(inside, before | kDividedByZero);
    EXPECT_EQ(after, before);
  }
}
#endif

}  // namespace
}  // namespace detops
