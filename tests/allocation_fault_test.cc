// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Operators with failing allocations: each allocation of a call fails in turn. The call returns
// ALLOC_FAILED, has written nothing and leaks nothing, and the next call works.

#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <thread>
#include <vector>

#include "cnrt.h"
#include "detops/detops.hpp"
#include "testing/test_folder.h"
#include "tests/allocation_faults.h"
#include "tests/operator_calls.h"

namespace detops {
namespace {

struct How {
  int threads;
  bool queued;
  bool warm;  // whether the context has made the same call before
};

void PrintTo(const How& how, std::ostream* stream) {
  *stream << how.threads << (how.threads == 1 ? " thread" : " threads")
          << (how.queued ? ", queued" : ", inline") << (how.warm ? ", warm" : ", cold");
}

// Returns the status of a call, or INTERNAL_ERROR if the work that it queued fails.
mluOpStatus_t MakeAndWait(OperatorCall& call, Context& context, const Queue& queue) {
  const mluOpStatus_t status = call.make(context);
  return cnrtQueueSync(queue.get()) == cnrtSuccess ? status : MLUOP_STATUS_INTERNAL_ERROR;
}

// Returns whether an allocation has failed.
bool AttemptCall(OperatorCall& call, const How& how, int64_t number, Extent extent) {
  Context context;
  Queue queue;
  context.SetThreads(how.threads);
  if (how.queued) {
    context.SetQueue(queue);
  }
  if (how.warm) {
    EXPECT_EQ(MakeAndWait(call, context, queue), MLUOP_STATUS_SUCCESS) << call.name;
  }
  call.Clear();
  mluOpStatus_t status;
  int64_t failures = 0;
  {
    const AllocationFault fault(number, extent);
    status = MakeAndWait(call, context, queue);
    failures = AllocationFault::Failed();
  }
  // A call succeeds if it can do without the memory: that of a log line or of a faster sort.
  if (status == MLUOP_STATUS_SUCCESS) {
    EXPECT_TRUE(call.IsRight()) << call.name << ": " << NameOf(extent) << number;
  } else {
    EXPECT_EQ(status, MLUOP_STATUS_ALLOC_FAILED) << call.name << ": " << NameOf(extent) << number;
    EXPECT_GT(failures, 0) << call.name;
    EXPECT_TRUE(call.IsUntouched()) << call.name << ": " << NameOf(extent) << number;
  }
  EXPECT_EQ(MakeAndWait(call, context, queue), MLUOP_STATUS_SUCCESS)
      << call.name << ", after " << NameOf(extent) << number;
  EXPECT_TRUE(call.IsRight()) << call.name << ", after " << NameOf(extent) << number;
  return failures != 0;
}

class OperatorsWithoutMemory : public testing::TestWithParam<How> {};
// Slow builds run the first two.
constexpr How kWays[] = {{1, false, false}, {2, true, false}, {1, true, false}, {2, false, false},
                         {7, false, false}, {7, true, false}, {1, false, true}, {2, true, true}};
INSTANTIATE_TEST_SUITE_P(Ways, OperatorsWithoutMemory,
                         testing::ValuesIn(std::begin(kWays),
                                           kSlowBuild ? std::begin(kWays) + 2 : std::end(kWays)));

TEST_P(OperatorsWithoutMemory, ReportFailuresAndChangeNothing) {
  int64_t most = 0;
  for (OperatorCall& call : AllCalls()) {
    WarmUp([&](int64_t number, Extent extent) {
      return AttemptCall(call, GetParam(), number, extent);
    });
    const auto attempt = [&](int64_t number, Extent extent) {
      const int64_t before = AllocationsAlive();
      const bool failed = AttemptCall(call, GetParam(), number, extent);
      EXPECT_EQ(AllocationsAlive(), before)
          << call.name << " leaks memory: " << NameOf(extent) << number;
      return failed && !HasFailure();
    };
    most = std::max(most, ForEachAllocation(attempt));
  }
  EXPECT_GT(most, 0) << "nothing was tested";
}

// ---- Calls that are recorded --------------------------------------------------------------------

// A call that is recorded fails only for the reasons for which it fails otherwise.
TEST(RecordedCall, FailsNotForLackOfMemoryToRecordIt) {
  const TestFolder folder;
  ASSERT_EQ(mluOpSetGenCaseDirectory(folder.path().c_str()), MLUOP_STATUS_SUCCESS);
  mluOpSetGenCaseMode(2);
  for (const bool queued : {false, true}) {
    for (const int64_t boxes : {2, 300}) {
      OperatorCall call = OverlapsOf(boxes);
      const auto attempt = [&](int64_t number, Extent extent) {
        return AttemptCall(call, {1, queued, true}, number, extent) && !HasFailure();
      };
      WarmUp(attempt);
      EXPECT_GT(ForEachAllocation(attempt), 0);
    }
  }
  mluOpSetGenCaseMode(0);
}

// ---- Calls without a context --------------------------------------------------------------------

TEST(ContextOfAThread, CanBeCreatedAfterAFailure) {
  const std::vector<float> boxes = {0, 0, 2, 2, 0, 0, 2, 2};
  const auto attempt = [&](int64_t number, Extent extent) {
    float iou = -1;
    int64_t failures = 0;
    std::thread([&] {
      const ConstTensorView first(boxes.data(), {1, 4});
      const ConstTensorView second(boxes.data() + 4, {1, 4});
      const TensorView result(&iou, {1, 1});
      bool thrown = false;
      try {
        const AllocationFault fault(number, extent);
        BboxOverlaps(first, second, result);
      } catch (const Error& error) {
        thrown = true;
        EXPECT_EQ(error.status(), MLUOP_STATUS_ALLOC_FAILED) << NameOf(extent) << number;
      }
      failures = AllocationFault::Failed();
      EXPECT_EQ(iou, thrown ? -1 : 1) << NameOf(extent) << number;
      BboxOverlaps(first, second, result);
      EXPECT_EQ(iou, 1) << NameOf(extent) << number;
    }).join();
    return failures != 0;
  };
  WarmUp(attempt);
  const int64_t before = AllocationsAlive();
  EXPECT_GT(ForEachAllocation(attempt), 0);
  EXPECT_EQ(AllocationsAlive(), before);
}

// ---- First calls of a process -------------------------------------------------------------------

// If a queued call succeeds, its job must not fail for lack of something that is created once per
// process.
TEST(FirstCallDeathTest, QueuedOperator) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int64_t number = 1; number <= 8; ++number) {
    EXPECT_EXIT(
        {
          detopsSetLogLevel(DETOPS_LOG_OFF);
          std::vector<OperatorCall> calls = CCalls();
          AttemptCall(calls.front(), {2, true, false}, number, Extent::kOne);
          std::_Exit(HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "")
        << number;
  }
}

}  // namespace
}  // namespace detops
