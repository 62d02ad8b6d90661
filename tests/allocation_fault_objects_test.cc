// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Functions other than operators with failing allocations: creation and modification of objects,
// queues, info, and error reports.

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "cnrt.h"
#include "detops/detops.hpp"
#include "tests/allocation_faults.h"

namespace detops {
namespace {

// Runs call(state), which writes its outputs to `state`, with failing allocations. A call that
// fails must leave `state` unchanged; undo(state) frees what a successful call has created.
template <class State, class Call, class Undo>
void ExpectToSurviveFailures(const char* name, const Call& call, const Undo& undo) {
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
          << name << " wrote outputs: " << NameOf(extent) << number;
    }
    EXPECT_EQ(AllocationsAlive(), before) << name << ": " << NameOf(extent) << number;
    State again{};
    EXPECT_EQ(OutcomeOf(call(again)), Outcome::kSuccess) << name;
    undo(again);
    EXPECT_EQ(AllocationsAlive(), before) << name << ": " << NameOf(extent) << number;
    return failures != 0;
  };
  WarmUp([&](int64_t, Extent) {
    State state{};
    EXPECT_EQ(OutcomeOf(call(state)), Outcome::kSuccess) << name;
    undo(state);
  });
  EXPECT_GT(ForEachAllocation(attempt), 0) << name << ": nothing was tested";
}

TEST(CreatingWithoutMemory, LeaksNothing) {
  ExpectToSurviveFailures<mluOpHandle_t>(
      "mluOpCreate", [](mluOpHandle_t& handle) { return mluOpCreate(&handle); }, mluOpDestroy);
  ExpectToSurviveFailures<mluOpTensorDescriptor_t>(
      "mluOpCreateTensorDescriptor",
      [](mluOpTensorDescriptor_t& desc) { return mluOpCreateTensorDescriptor(&desc); },
      mluOpDestroyTensorDescriptor);
  ExpectToSurviveFailures<cnrtQueue_t>(
      "cnrtQueueCreate", [](cnrtQueue_t& queue) { return cnrtQueueCreate(&queue); },
      cnrtQueueDestroy);
  ExpectToSurviveFailures<cnrtNotifier_t>(
      "cnrtNotifierCreate", [](cnrtNotifier_t& notifier) { return cnrtNotifierCreate(&notifier); },
      cnrtNotifierDestroy);
  ExpectToSurviveFailures<cnrtNotifier_t>(
      "cnrtNotifierCreateWithFlags",
      [](cnrtNotifier_t& notifier) {
        return cnrtNotifierCreateWithFlags(&notifier, CNRT_NOTIFIER_DISABLE_TIMING);
      },
      cnrtNotifierDestroy);
  ExpectToSurviveFailures<void*>(
      "cnrtMalloc", [](void*& memory) { return cnrtMalloc(&memory, 1000); }, cnrtFree);
  ExpectToSurviveFailures<void*>(
      "cnrtHostMalloc", [](void*& memory) { return cnrtHostMalloc(&memory, 1000); }, cnrtFreeHost);
}

constexpr int kGroup = 3;
struct DescriptorGroup {
  mluOpTensorDescriptor_t descs[kGroup];
};

mluOpStatus_t CreateGroup(DescriptorGroup& group) {
  mluOpTensorDescriptor_t* pointers[] = {&group.descs[0], &group.descs[1], &group.descs[2]};
  return mluOpCreateGroupTensorDescriptors(pointers, kGroup);
}

void DestroyGroup(DescriptorGroup& group) {
  mluOpTensorDescriptor_t* pointers[] = {&group.descs[0], &group.descs[1], &group.descs[2]};
  EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(pointers, kGroup), MLUOP_STATUS_SUCCESS);
}

TEST(CreatingWithoutMemory, LeaksNoPartOfAGroup) {
  ExpectToSurviveFailures<DescriptorGroup>("mluOpCreateGroupTensorDescriptors", CreateGroup,
                                           DestroyGroup);
}

TEST(SettingWithoutMemory, LeavesAGroupUnchanged) {
  DescriptorGroup group{};
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
  ExpectToSurviveFailures<Counts>(
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

TEST(SettingWithoutMemory, SetsTheThreads) {
  mluOpHandle_t handle;
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  int threads = 0;
  {
    const AllocationFault fault(1, Extent::kRest);
    EXPECT_EQ(detopsSetThreads(handle, 2), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(detopsGetThreads(handle, &threads), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(threads, 2);
    EXPECT_EQ(detopsSetThreads(handle, 0), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpUpdateContextInformation(handle), MLUOP_STATUS_SUCCESS);
  }
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
}

// ---- Queues -------------------------------------------------------------------------------------

// Runs submit(number, queue), which submits a job that changes `number` from 0 to 7, as the first
// job of a queue: it allocates the list of jobs and starts the queue's thread.
template <class SubmitJob>
void ExpectJobToSurviveFailures(const char* name, const SubmitJob& submit) {
  cnrtQueue_t queue = nullptr;
  ExpectToSurviveFailures<int>(
      name,
      [&](int& number) {
        cnrtRet_t result = cnrtSuccess;
        if (queue == nullptr) {
          result = cnrtQueueCreate(&queue);
        }
        if (result == cnrtSuccess) {
          result = submit(number, queue);
          EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
          EXPECT_EQ(number, result == cnrtSuccess ? 7 : 0);
        }
        if (queue != nullptr) {
          EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
          queue = nullptr;
        }
        return result;
      },
      [](int&) {});
}

TEST(QueuesWithoutMemory, FailToSubmitAJobAndSubmitItLater) {
  static constexpr int kSource = 7;
  ExpectJobToSurviveFailures("cnrtMemcpyAsync", [](int& number, cnrtQueue_t queue) {
    return cnrtMemcpyAsync(&number, &kSource, sizeof(int), queue, cnrtMemcpyHostToDev);
  });
  ExpectJobToSurviveFailures("cnrtMemsetAsync", [](int& number, cnrtQueue_t queue) {
    return cnrtMemsetAsync(&number, 7, 1, queue);  // the first byte is the lowest
  });
  ExpectJobToSurviveFailures("cnrtInvokeHostFunc", [](int& number, cnrtQueue_t queue) {
    return cnrtInvokeHostFunc(
        queue, [](void* target) { *static_cast<int*>(target) = kSource; }, &number);
  });
}

// A queue that failed to wait for a notifier does not wait for it.
TEST(QueuesWithoutMemory, FailToWaitForANotifierAndWaitLater) {
  const auto attempt = [](int64_t number, Extent extent) {
    std::atomic<bool> open{false};
    cnrtQueue_t blocked = nullptr;
    cnrtQueue_t queue = nullptr;
    cnrtNotifier_t notifier = nullptr;
    EXPECT_EQ(cnrtQueueCreate(&blocked), cnrtSuccess);
    EXPECT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
    EXPECT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
    const cnrtHostFn_t wait_until_open = [](void* flag) {
      while (!*static_cast<std::atomic<bool>*>(flag)) {
        std::this_thread::yield();
      }
    };
    EXPECT_EQ(cnrtInvokeHostFunc(blocked, wait_until_open, &open), cnrtSuccess);
    EXPECT_EQ(cnrtPlaceNotifier(notifier, blocked), cnrtSuccess);
    cnrtRet_t result;
    int64_t failures = 0;
    {
      const AllocationFault fault(number, extent);
      result = cnrtQueueWaitNotifier(notifier, queue, 0);
      failures = AllocationFault::Failed();
    }
    if (result != cnrtSuccess) {
      EXPECT_EQ(result, cnrtErrorNoMem);
      EXPECT_GT(failures, 0);
      EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
      EXPECT_EQ(cnrtQueueWaitNotifier(notifier, queue, 0), cnrtSuccess);
    }
    EXPECT_EQ(cnrtQueueQuery(queue), cnrtErrorNotReady);
    open = true;
    EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
    EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
    EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
    EXPECT_EQ(cnrtQueueDestroy(blocked), cnrtSuccess);
    return failures != 0;
  };
  WarmUp(attempt);
  const int64_t before = AllocationsAlive();
  EXPECT_GT(ForEachAllocation(attempt), 0);
  EXPECT_EQ(AllocationsAlive(), before);
}

TEST(QueuesWithoutMemory, FailToPlaceANotifierAndPlaceItLater) {
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
    EXPECT_EQ(cnrtWaitNotifier(notifier), cnrtSuccess) << "waits although it was not placed";
    EXPECT_EQ(cnrtPlaceNotifier(notifier, queue), cnrtSuccess);
    EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
    EXPECT_EQ(cnrtQueryNotifier(notifier), cnrtSuccess);
    EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
    EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
    return failures != 0;
  };
  WarmUp(attempt);
  const int64_t before = AllocationsAlive();
  EXPECT_GT(ForEachAllocation(attempt), 0);
  EXPECT_EQ(AllocationsAlive(), before);
}

// ---- Info ---------------------------------------------------------------------------------------

TEST(InfoWithoutMemory, IsCompleteOrThrows) {
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
  WarmUp(attempt);
  const int64_t before = AllocationsAlive();
  EXPECT_GT(ForEachAllocation(attempt), 0);
  EXPECT_EQ(AllocationsAlive(), before);
}

// ---- Error reports ------------------------------------------------------------------------------

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
    // ALLOC_FAILED if there was no memory for the message.
    EXPECT_TRUE(status == MLUOP_STATUS_BAD_PARAM || status == MLUOP_STATUS_ALLOC_FAILED) << status;
    EXPECT_TRUE(result == cnrtErrorArgsInvalid || result == cnrtErrorNoMem) << result;
    EXPECT_NE(std::strstr(detopsGetLastError(), "cnrtSetDevice"), nullptr) << detopsGetLastError();
    return failures != 0;
  };
  WarmUp(attempt);
  const int64_t before = AllocationsAlive();
  // Nothing may be written to stderr: the log is discarded.
  testing::internal::CaptureStderr();
  const int64_t most = ForEachAllocation(attempt);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_GT(most, 0);
  EXPECT_EQ(AllocationsAlive(), before);
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
}

// A queue keeps the error of a job even if there is no memory for the message.
TEST(ReportingWithoutMemory, QueuesKeepErrors) {
  const std::vector<float> map(16, 1.0f);
  const std::vector<float> rois = {12345, 0, 0, 1, 1};  // the batch index is out of range
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
  WarmUp(attempt);
  const int64_t before = AllocationsAlive();
  EXPECT_GT(ForEachAllocation(attempt), 0);
  EXPECT_EQ(AllocationsAlive(), before);
}

}  // namespace
}  // namespace detops
