// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// First calls of a process with failing allocations: objects that are created once per process must
// be created by a later call, and only once.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>

#include "cnrt.h"
#include "tests/allocation_faults.h"

namespace detops {
namespace {

// Exit codes of the child processes.
constexpr int kWrong = 1;
constexpr int kKeeps = 100;  // plus the number of allocations that are still alive

// Runs in a new process, in which nothing has been called yet: makes a call in which an allocation
// fails, then one that works, and exits with kKeeps plus the number of allocations that they leave.
template <class Call, class Undo>
[[noreturn]] void CallFirst(int64_t number, Extent extent, bool with_log, const Call& call,
                            const Undo& undo) {
  if (!with_log) {
    detopsSetLogLevel(DETOPS_LOG_OFF);  // creates the log
  }
  const int64_t before = AllocationsAlive();
  Outcome outcome;
  int64_t failures = 0;
  {
    const AllocationFault fault(number, extent);
    outcome = OutcomeOf(call());
    failures = AllocationFault::Failed();
  }
  bool right = outcome == Outcome::kSuccess || (outcome == Outcome::kNoMemory && failures != 0);
  if (outcome == Outcome::kNoMemory) {
    right = right && OutcomeOf(call()) == Outcome::kSuccess;
  }
  undo();
  detopsSetLogLevel(DETOPS_LOG_OFF);
  std::_Exit(right ? kKeeps + static_cast<int>(AllocationsAlive() - before) : kWrong);
}

template <class Call, class Undo>
void ExpectFirstCallToSurviveFailures(const Call& call, const Undo& undo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // runs the program again
  constexpr int64_t kMost = 6;
  for (const bool with_log : {false, true}) {
    // The number of allocations that stay without a failure: objects that are created once.
    int kept = 0;
    const auto without_failure = [&](int status) {
      kept = WIFEXITED(status) ? WEXITSTATUS(status) : kWrong;
      return kept >= kKeeps;
    };
    const auto keeps_no_more = [&](int status) {
      return WIFEXITED(status) && WEXITSTATUS(status) >= kKeeps && WEXITSTATUS(status) <= kept;
    };
    EXPECT_EXIT(CallFirst(kMaxAllocations, Extent::kOne, with_log, call, undo), without_failure,
                "");
    for (const Extent extent : {Extent::kOne, Extent::kRest}) {
      for (int64_t number = 1; number <= kMost; ++number) {
        EXPECT_EXIT(CallFirst(number, extent, with_log, call, undo), keeps_no_more, "")
            << NameOf(extent) << number << (with_log ? ", with the log" : "") << ", usual " << kept;
      }
    }
  }
}

TEST(FirstCallDeathTest, Handle) {
  mluOpHandle_t handle = nullptr;
  ExpectFirstCallToSurviveFailures([&] { return mluOpCreate(&handle); },
                                   [&] { mluOpDestroy(handle); });
}

TEST(FirstCallDeathTest, Queue) {
  cnrtQueue_t queue = nullptr;
  ExpectFirstCallToSurviveFailures([&] { return cnrtQueueCreate(&queue); },
                                   [&] { cnrtQueueDestroy(queue); });
}

TEST(FirstCallDeathTest, LogLevel) {
  ExpectFirstCallToSurviveFailures([] { return detopsSetLogLevel(DETOPS_LOG_OFF); }, [] {});
}

TEST(FirstCallDeathTest, SyncDevice) {
  ExpectFirstCallToSurviveFailures([] { return cnrtSyncDevice(); }, [] {});
}

// These functions return no status; without memory they return "unknown" or an empty text.
TEST(FirstCallDeathTest, SimdTargets) {
  const auto status_of = [](bool known) {
    return known ? MLUOP_STATUS_SUCCESS : MLUOP_STATUS_ALLOC_FAILED;
  };
  ExpectFirstCallToSurviveFailures(
      [&] { return status_of(std::strcmp(detopsGetSimdTarget(), "unknown") != 0); }, [] {});
  ExpectFirstCallToSurviveFailures([&] { return status_of(detopsGetSimdTargets()[0] != '\0'); },
                                   [] {});
}

}  // namespace
}  // namespace detops
