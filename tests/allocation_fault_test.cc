// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Every allocation that a call makes fails in turn: the call says so, has written nothing, keeps
// nothing, and the next one works.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "cnrt.h"
#include "detops/detops.hpp"
#include "measure/slow_build.h"
#include "testing/allocations.h"
#include "tests/operator_calls.h"

namespace detops {
namespace {

using Extent = AllocationFault::Extent;

// More than any call makes: a call that still fails then never stops to.
constexpr int64_t kMostAllocations = 2000;

const char* NameOf(Extent extent) {
  return extent == Extent::kOne ? "only the failure of allocation "
                                : "all failures from allocation ";
}

// A log at its most talkative, without memory of its own.
class LogToNowhere {
 public:
  explicit LogToNowhere(detopsLogLevel_t level) {
    detopsSetLogSink([](detopsLogLevel_t, const char*, void*) {}, nullptr);
    detopsSetLogLevel(level);
  }
  ~LogToNowhere() {
    detopsSetLogLevel(DETOPS_LOG_ERROR);
    detopsSetLogSink(nullptr, nullptr);
  }
  LogToNowhere(const LogToNowhere&) = delete;
  LogToNowhere& operator=(const LogToNowhere&) = delete;
};

// A slow build tries the one that writes most.
constexpr detopsLogLevel_t kLevels[] = {DETOPS_LOG_OFF, DETOPS_LOG_ERROR, DETOPS_LOG_DEBUG};

// What is made once for the process, some of it for the log only, is there after the first time.
template <class Attempt>
void MakeOnce(const Attempt& attempt) {
  const LogToNowhere log(DETOPS_LOG_DEBUG);
  attempt(kMostAllocations, Extent::kOne);
}

// Calls attempt(number, extent), which says whether an allocation has failed, for the first, the
// second, and so on until none does. Returns how many could fail.
template <class Attempt>
int64_t ForEachAllocation(const Attempt& attempt) {
  int64_t most = 0;
  for (const detopsLogLevel_t level : kLevels) {
    if (kSlowBuild && level != DETOPS_LOG_DEBUG) {
      continue;
    }
    const LogToNowhere log(level);
    for (const Extent extent : {Extent::kOne, Extent::kRest}) {
      int64_t number = 1;
      while (number < kMostAllocations && attempt(number, extent)) {
        ++number;
      }
      EXPECT_LT(number, kMostAllocations);
      most = std::max(most, number - 1);
    }
  }
  return most;
}

// ---- Operators ----------------------------------------------------------------------------------

struct How {
  int threads;
  bool queued;
  bool warm;  // whether the context has made the call before
};

void PrintTo(const How& how, std::ostream* stream) {
  *stream << how.threads << (how.threads == 1 ? " thread" : " threads")
          << (how.queued ? ", queued" : ", inline") << (how.warm ? ", warm" : ", cold");
}

// What a call and the work that it has queued come to.
mluOpStatus_t MakeAndWait(OperatorCall& call, Context& context, const Queue& queue) {
  const mluOpStatus_t status = call.make(context);
  return cnrtQueueSync(queue.get()) == cnrtSuccess ? status : MLUOP_STATUS_INTERNAL_ERROR;
}

// Whether an allocation has failed.
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
  // What a call can do without may fail: a line of the log, the memory of a faster sort.
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
// The first two are all that a slow build tries.
constexpr How kWays[] = {{1, false, false}, {2, true, false}, {1, true, false}, {2, false, false},
                         {7, false, false}, {7, true, false}, {1, false, true}, {2, true, true}};
INSTANTIATE_TEST_SUITE_P(Ways, OperatorsWithoutMemory,
                         testing::ValuesIn(std::begin(kWays),
                                           kSlowBuild ? std::begin(kWays) + 2 : std::end(kWays)));

TEST_P(OperatorsWithoutMemory, SayThatTheyFailedAndChangeNothing) {
  int64_t most = 0;
  for (OperatorCall& call : AllCalls()) {
    MakeOnce([&](int64_t number, Extent extent) {
      return AttemptCall(call, GetParam(), number, extent);
    });
    const auto attempt = [&](int64_t number, Extent extent) {
      const int64_t before = AllocationsAlive();
      const bool failed = AttemptCall(call, GetParam(), number, extent);
      EXPECT_EQ(AllocationsAlive(), before)
          << call.name << " keeps memory: " << NameOf(extent) << number;
      return failed && !HasFailure();
    };
    most = std::max(most, ForEachAllocation(attempt));
  }
  EXPECT_GT(most, 0) << "nothing was tested";
}

// ---- The context of calls that bring none -------------------------------------------------------

TEST(ContextOfAThread, CanBeMadeAfterItCouldNot) {
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
  MakeOnce(attempt);
  const int64_t before = AllocationsAlive();
  EXPECT_GT(ForEachAllocation(attempt), 0);
  EXPECT_EQ(AllocationsAlive(), before);
}

// ---- Everything else that allocates -------------------------------------------------------------

// Makes `call`, which says whether it succeeded, refused for want of memory (ALLOC_FAILED or
// cnrtErrorNoMem) or did something else, and `undo` when it succeeded.
enum class Outcome { kSuccess, kNoMemory, kOther };

Outcome OutcomeOf(mluOpStatus_t status) {
  return status == MLUOP_STATUS_SUCCESS        ? Outcome::kSuccess
         : status == MLUOP_STATUS_ALLOC_FAILED ? Outcome::kNoMemory
                                               : Outcome::kOther;
}

Outcome OutcomeOf(cnrtRet_t result) {
  return result == cnrtSuccess      ? Outcome::kSuccess
         : result == cnrtErrorNoMem ? Outcome::kNoMemory
                                    : Outcome::kOther;
}

// `call(fresh)` makes a call whose outputs are in `fresh`, of type State; `undo(state)` frees what
// a call that succeeded has made.
template <class State, class Call, class Undo>
void ExpectToBearFailures(const char* name, const Call& call, const Undo& undo) {
  const auto attempt = [&](int64_t number, Extent extent) {
    State state{};
    const State untouched = state;
    const int64_t before = AllocationsAlive();
    Outcome outcome;
    int64_t failures = 0;
    {
      const AllocationFault fault(number, extent);
      outcome = OutcomeOf(call(state));
      failures = AllocationFault::Failed();
    }
    EXPECT_NE(outcome, Outcome::kOther) << name << ": " << NameOf(extent) << number;
    if (outcome == Outcome::kSuccess) {
      undo(state);
    } else {
      EXPECT_GT(failures, 0) << name;
      // NOLINTNEXTLINE(bugprone-sizeof-expression): the pointers themselves are compared
      EXPECT_EQ(std::memcmp(&state, &untouched, sizeof(state)), 0)
          << name << " has written: " << NameOf(extent) << number;
    }
    EXPECT_EQ(AllocationsAlive(), before) << name << ": " << NameOf(extent) << number;
    State again{};
    EXPECT_EQ(OutcomeOf(call(again)), Outcome::kSuccess) << name;
    undo(again);
    EXPECT_EQ(AllocationsAlive(), before) << name << ": " << NameOf(extent) << number;
    return failures != 0;
  };
  MakeOnce([&](int64_t, Extent) {
    State state{};
    EXPECT_EQ(OutcomeOf(call(state)), Outcome::kSuccess) << name;
    undo(state);
  });
  EXPECT_GT(ForEachAllocation(attempt), 0) << name << ": nothing was tested";
}

TEST(CreatingWithoutMemory, LeavesNothingBehind) {
  ExpectToBearFailures<mluOpHandle_t>(
      "mluOpCreate", [](mluOpHandle_t& handle) { return mluOpCreate(&handle); }, mluOpDestroy);
  ExpectToBearFailures<mluOpTensorDescriptor_t>(
      "mluOpCreateTensorDescriptor",
      [](mluOpTensorDescriptor_t& desc) { return mluOpCreateTensorDescriptor(&desc); },
      mluOpDestroyTensorDescriptor);
  ExpectToBearFailures<cnrtQueue_t>(
      "cnrtQueueCreate", [](cnrtQueue_t& queue) { return cnrtQueueCreate(&queue); },
      cnrtQueueDestroy);
  ExpectToBearFailures<cnrtNotifier_t>(
      "cnrtNotifierCreate", [](cnrtNotifier_t& notifier) { return cnrtNotifierCreate(&notifier); },
      cnrtNotifierDestroy);
  ExpectToBearFailures<void*>(
      "cnrtMalloc", [](void*& memory) { return cnrtMalloc(&memory, 1000); }, cnrtFree);
  ExpectToBearFailures<void*>(
      "cnrtHostMalloc", [](void*& memory) { return cnrtHostMalloc(&memory, 1000); }, cnrtFreeHost);
}

constexpr int kGroup = 3;
struct Group {
  mluOpTensorDescriptor_t descs[kGroup];
};

mluOpStatus_t CreateGroup(Group& group) {
  mluOpTensorDescriptor_t* pointers[] = {&group.descs[0], &group.descs[1], &group.descs[2]};
  return mluOpCreateGroupTensorDescriptors(pointers, kGroup);
}

void DestroyGroup(Group& group) {
  mluOpTensorDescriptor_t* pointers[] = {&group.descs[0], &group.descs[1], &group.descs[2]};
  EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(pointers, kGroup), MLUOP_STATUS_SUCCESS);
}

TEST(CreatingWithoutMemory, LeavesNoPartOfAGroupBehind) {
  ExpectToBearFailures<Group>("mluOpCreateGroupTensorDescriptors", CreateGroup, DestroyGroup);
}

TEST(SettingWithoutMemory, LeavesAGroupAsItWas) {
  Group group{};
  ASSERT_EQ(CreateGroup(group), MLUOP_STATUS_SUCCESS);
  mluOpTensorDescriptor_t* pointers[] = {&group.descs[0], &group.descs[1], &group.descs[2]};
  const mluOpTensorLayout_t layouts[] = {MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_ARRAY};
  const mluOpDataType_t types[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_INT32};
  const int ranks[] = {1, 2, 1};
  const int dims[] = {5, 2, 3, 7};
  struct Counts {
    size_t of[kGroup];
  };
  const auto reset = [&](Counts&) {
    for (const mluOpTensorDescriptor_t desc : group.descs) {
      EXPECT_EQ(mluOpResetTensorDescriptor(desc), MLUOP_STATUS_SUCCESS);
    }
  };
  Counts none{};
  reset(none);
  const size_t unset = mluOpGetTensorElementNum(group.descs[0]);
  ExpectToBearFailures<Counts>(
      "mluOpSetGroupTensorDescriptors",
      [&](Counts& counts) {
        const mluOpStatus_t status =
            mluOpSetGroupTensorDescriptors(pointers, layouts, types, ranks, dims, kGroup);
        for (int i = 0; i < kGroup; ++i) {
          counts.of[i] = mluOpGetTensorElementNum(group.descs[i]) - unset;
        }
        return status;
      },
      reset);
  DestroyGroup(group);
}

TEST(SettingWithoutMemory, LeavesTheThreadsAsTheyWere) {
  mluOpHandle_t handle;
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  const auto back = [&](int&) { EXPECT_EQ(detopsSetThreads(handle, 1), MLUOP_STATUS_SUCCESS); };
  int one = 1;
  back(one);
  ExpectToBearFailures<int>(
      "detopsSetThreads",
      [&](int& changed) {
        const mluOpStatus_t status = detopsSetThreads(handle, 2);
        int threads = 0;
        detopsGetThreads(handle, &threads);
        changed = threads - 1;
        return status;
      },
      back);
  ASSERT_EQ(detopsSetThreads(handle, 0), MLUOP_STATUS_SUCCESS);
  ExpectToBearFailures<int>(
      "mluOpUpdateContextInformation", [&](int&) { return mluOpUpdateContextInformation(handle); },
      [](int&) {});
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
}

// ---- What queues do themselves ------------------------------------------------------------------

// The first job of a queue needs its thread and room for jobs.
TEST(QueuesWithoutMemory, CopyNothingAndCopyLater) {
  struct Numbers {
    int source;
    int copy;
  };
  cnrtQueue_t queue = nullptr;
  ExpectToBearFailures<Numbers>(
      "cnrtMemcpyAsync",
      [&](Numbers& numbers) {
        cnrtRet_t result = cnrtSuccess;
        if (queue == nullptr) {
          result = cnrtQueueCreate(&queue);
        }
        if (result == cnrtSuccess) {
          static constexpr int kSource = 7;
          result =
              cnrtMemcpyAsync(&numbers.copy, &kSource, sizeof(int), queue, cnrtMemcpyHostToDev);
          EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
          EXPECT_EQ(numbers.copy, result == cnrtSuccess ? 7 : 0);
        }
        if (queue != nullptr) {
          EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
          queue = nullptr;
        }
        return result;
      },
      [](Numbers&) {});
}

TEST(QueuesWithoutMemory, PlaceNoNotifierAndPlaceItLater) {
  const auto attempt = [](int64_t number, Extent extent) {
    cnrtQueue_t queue = nullptr;
    cnrtNotifier_t notifier = nullptr;
    EXPECT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
    EXPECT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
    cnrtRet_t result;
    int64_t failures = 0;
    {
      const AllocationFault fault(number, extent);
      result = cnrtPlaceNotifier(notifier, queue);
      failures = AllocationFault::Failed();
    }
    if (result != cnrtSuccess) {
      EXPECT_EQ(result, cnrtErrorNoMem);
      EXPECT_GT(failures, 0);
    }
    EXPECT_EQ(cnrtWaitNotifier(notifier), cnrtSuccess) << "what was not placed is not waited for";
    EXPECT_EQ(cnrtPlaceNotifier(notifier, queue), cnrtSuccess);
    EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
    EXPECT_EQ(cnrtQueryNotifier(notifier), cnrtSuccess);
    EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
    EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
    return failures != 0;
  };
  MakeOnce(attempt);
  const int64_t before = AllocationsAlive();
  EXPECT_GT(ForEachAllocation(attempt), 0);
  EXPECT_EQ(AllocationsAlive(), before);
}

// ---- What the library is ------------------------------------------------------------------------

TEST(AskingWithoutMemory, SaysAllOrFails) {
  const Info expected = GetInfo();
  const auto attempt = [&](int64_t number, Extent extent) {
    int64_t failures = 0;
    try {
      const AllocationFault fault(number, extent);
      const Info info = GetInfo();
      failures = AllocationFault::Failed();
      EXPECT_EQ(info.cpu, expected.cpu) << NameOf(extent) << number;
      EXPECT_EQ(info.simd_target, expected.simd_target) << NameOf(extent) << number;
      EXPECT_EQ(info.simd_targets, expected.simd_targets) << NameOf(extent) << number;
    } catch (const Error& error) {
      failures = AllocationFault::Failed();
      EXPECT_EQ(error.status(), MLUOP_STATUS_ALLOC_FAILED) << NameOf(extent) << number;
    }
    return failures != 0;
  };
  MakeOnce(attempt);
  const int64_t before = AllocationsAlive();
  EXPECT_GT(ForEachAllocation(attempt), 0);
  EXPECT_EQ(AllocationsAlive(), before);
}

// ---- Failures that are reported without memory --------------------------------------------------

TEST(ReportingWithoutMemory, IsStillAFailure) {
  mluOpHandle_t handle;
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  const auto attempt = [&](int64_t number, Extent extent) {
    mluOpStatus_t status;
    cnrtRet_t result;
    int64_t failures = 0;
    {
      const AllocationFault fault(number, extent);
      status = detopsSetThreads(handle, -1);
      result = cnrtSetDevice(1000);
      failures = AllocationFault::Failed();
    }
    // The message may be what there was no memory for.
    EXPECT_TRUE(status == MLUOP_STATUS_BAD_PARAM || status == MLUOP_STATUS_ALLOC_FAILED) << status;
    EXPECT_TRUE(result == cnrtErrorArgsInvalid || result == cnrtErrorNoMem) << result;
    EXPECT_NE(std::strstr(detopsGetLastError(), "cnrtSetDevice"), nullptr) << detopsGetLastError();
    return failures != 0;
  };
  MakeOnce(attempt);
  const int64_t before = AllocationsAlive();
  // Nothing is written about it but the log, which goes nowhere.
  testing::internal::CaptureStderr();
  const int64_t most = ForEachAllocation(attempt);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_GT(most, 0);
  EXPECT_EQ(AllocationsAlive(), before);
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
}

// What a queue's job finds wrong with its data is kept although there is no memory to say it.
TEST(ReportingWithoutMemory, QueuesKeepTheirErrors) {
  const std::vector<float> map(16, 1.0f);
  const std::vector<float> rois = {12345, 0, 0, 1, 1};  // of an image that does not exist
  float mean = -1;
  const auto attempt = [&](int64_t number, Extent extent) {
    int64_t failures = 0;
    {
      Context context;
      Queue queue;
      context.SetQueue(queue);
      PsRoiPoolOptions options;
      options.group_size = 1;
      const ConstTensorView input(map.data(), {1, 4, 4, 1});
      const ConstTensorView regions(rois.data(), {1, 5});
      const TensorView output(&mean, {1, 1, 1, 1});
      bool thrown = false;
      cnrtRet_t result;
      {
        const AllocationFault fault(number, extent);
        try {
          PsRoiPoolForward(context, input, regions, output, std::nullopt, options);
        } catch (const Error&) {
          thrown = true;
        }
        result = cnrtQueueSync(queue.get());
        failures = AllocationFault::Failed();
      }
      EXPECT_EQ(result == cnrtSuccess, thrown) << NameOf(extent) << number;
      EXPECT_TRUE(thrown || result == cnrtErrorArgsInvalid || result == cnrtErrorNoMem) << result;
      EXPECT_EQ(mean, -1);
      EXPECT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess);
    }
    return failures != 0;
  };
  MakeOnce(attempt);
  const int64_t before = AllocationsAlive();
  EXPECT_GT(ForEachAllocation(attempt), 0);
  EXPECT_EQ(AllocationsAlive(), before);
}

// ---- What is made once for the process ----------------------------------------------------------

constexpr int kWrong = 1;
constexpr int kKeeps = 100;  // and the number of allocations that stay

// Runs in a process of its own, in which nothing has been called yet, and ends it: a call in which
// an allocation fails, one that works, and how much of both is left.
template <class Call, class Undo>
[[noreturn]] void CallFirst(int64_t number, Extent extent, bool with_log, const Call& call,
                            const Undo& undo) {
  if (!with_log) {
    detopsSetLogLevel(DETOPS_LOG_OFF);  // makes the log
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
void ExpectFirstCallToBearFailures(const Call& call, const Undo& undo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program anew
  constexpr int64_t kMost = 6;
  for (const bool with_log : {false, true}) {
    // What is made once for the process stays, and no more than that.
    int kept = 0;
    const auto without_failure = [&](int status) {
      kept = WIFEXITED(status) ? WEXITSTATUS(status) : kWrong;
      return kept >= kKeeps;
    };
    const auto keeps_no_more = [&](int status) {
      return WIFEXITED(status) && WEXITSTATUS(status) >= kKeeps && WEXITSTATUS(status) <= kept;
    };
    EXPECT_EXIT(CallFirst(kMostAllocations, Extent::kOne, with_log, call, undo), without_failure,
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
  ExpectFirstCallToBearFailures([&] { return mluOpCreate(&handle); },
                                [&] { mluOpDestroy(handle); });
}

TEST(FirstCallDeathTest, Queue) {
  cnrtQueue_t queue = nullptr;
  ExpectFirstCallToBearFailures([&] { return cnrtQueueCreate(&queue); },
                                [&] { cnrtQueueDestroy(queue); });
}

TEST(FirstCallDeathTest, LogLevel) {
  ExpectFirstCallToBearFailures([] { return detopsSetLogLevel(DETOPS_LOG_OFF); }, [] {});
}

TEST(FirstCallDeathTest, SyncDevice) {
  ExpectFirstCallToBearFailures([] { return cnrtSyncDevice(); }, [] {});
}

// They have no status, so what they answer without memory stands for it.
TEST(FirstCallDeathTest, SimdTargets) {
  const auto status_of = [](bool known) {
    return known ? MLUOP_STATUS_SUCCESS : MLUOP_STATUS_ALLOC_FAILED;
  };
  ExpectFirstCallToBearFailures(
      [&] { return status_of(std::strcmp(detopsGetSimdTarget(), "unknown") != 0); }, [] {});
  ExpectFirstCallToBearFailures([&] { return status_of(detopsGetSimdTargets()[0] != '\0'); },
                                [] {});
}

// When a queued call has said that all is well, nothing that its job needs for the first time may
// be missing.
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
