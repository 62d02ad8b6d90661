// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/handle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "core/cores.h"
#include "core/parallel.h"
#include "core/version.h"
#include "detops/detops.hpp"
#include "testing/log_capture.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Handle : public testing::Test {
 protected:
  Handle() { EXPECT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS); }
  ~Handle() override { EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS); }

  void ExpectRejected(const std::function<mluOpStatus_t()>& call, const std::string& message) {
    LogCapture log;
    EXPECT_EQ(call(), MLUOP_STATUS_BAD_PARAM);
    EXPECT_THAT(log.Take(), ElementsAre(HasSubstr(message)));
  }

  int Threads() {
    int threads = 0;
    EXPECT_EQ(detopsGetThreads(handle_, &threads), MLUOP_STATUS_SUCCESS);
    return threads;
  }

  mluOpHandle_t handle_ = nullptr;
};

TEST_F(Handle, StartsWithoutQueueAndWithDefaultModes) {
  cnrtQueue_t queue = reinterpret_cast<cnrtQueue_t>(this);
  EXPECT_EQ(mluOpGetQueue(handle_, &queue), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(queue, nullptr);
  mluOpAtomicsMode_t atomics;
  EXPECT_EQ(mluOpGetAtomicsMode(handle_, &atomics), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(atomics, MLUOP_ATOMICS_NOT_ALLOWED);
  mluOpQuantizeRoundMode_t round;
  EXPECT_EQ(mluOpGetQuantizeRoundMode(handle_, &round), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(round, MLUOP_ROUND_HALF_TO_EVEN);
}

TEST_F(Handle, KeepsItsModesAndQueue) {
  EXPECT_EQ(mluOpSetAtomicsMode(handle_, MLUOP_ATOMICS_ALLOWED), MLUOP_STATUS_SUCCESS);
  mluOpAtomicsMode_t atomics;
  EXPECT_EQ(mluOpGetAtomicsMode(handle_, &atomics), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(atomics, MLUOP_ATOMICS_ALLOWED);
  for (const auto mode :
       {MLUOP_ROUND_HALF_UP, MLUOP_ROUND_HALF_OFF_ZERO, MLUOP_ROUND_HALF_TO_EVEN}) {
    EXPECT_EQ(mluOpSetQuantizeRoundMode(handle_, mode), MLUOP_STATUS_SUCCESS);
    mluOpQuantizeRoundMode_t round;
    EXPECT_EQ(mluOpGetQuantizeRoundMode(handle_, &round), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(round, mode);
  }
  cnrtQueue_t queue;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  EXPECT_EQ(mluOpSetQueue(handle_, queue), MLUOP_STATUS_SUCCESS);
  cnrtQueue_t got = nullptr;
  EXPECT_EQ(mluOpGetQueue(handle_, &got), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(got, queue);
  EXPECT_EQ(mluOpSetQueue(handle_, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetQueue(handle_, &got), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(got, nullptr);
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST_F(Handle, RejectsBadInput) {
  mluOpAtomicsMode_t atomics;
  mluOpQuantizeRoundMode_t round;
  cnrtQueue_t queue;
  int threads = 0;
  ExpectRejected([] { return mluOpCreate(nullptr); }, "mluOpCreate: handle is NULL");
  ExpectRejected([] { return mluOpDestroy(nullptr); }, "mluOpDestroy: handle is NULL");
  ExpectRejected([] { return mluOpUpdateContextInformation(nullptr); },
                 "mluOpUpdateContextInformation: handle is NULL");
  ExpectRejected([] { return mluOpSetQueue(nullptr, nullptr); }, "mluOpSetQueue: handle is NULL");
  ExpectRejected([&] { return mluOpGetQueue(nullptr, &queue); }, "mluOpGetQueue: handle is NULL");
  ExpectRejected([&] { return mluOpGetQueue(handle_, nullptr); }, "mluOpGetQueue: queue is NULL");
  ExpectRejected([] { return mluOpSetAtomicsMode(nullptr, MLUOP_ATOMICS_ALLOWED); },
                 "handle is NULL");
  ExpectRejected([&] { return mluOpSetAtomicsMode(handle_, static_cast<mluOpAtomicsMode_t>(0)); },
                 "atomics_mode is 0; it must be 1 to 2");
  ExpectRejected([&] { return mluOpGetAtomicsMode(nullptr, &atomics); }, "handle is NULL");
  ExpectRejected([&] { return mluOpGetAtomicsMode(handle_, nullptr); }, "atomics_mode is NULL");
  ExpectRejected([] { return mluOpSetQuantizeRoundMode(nullptr, MLUOP_ROUND_HALF_UP); },
                 "handle is NULL");
  ExpectRejected(
      [&] { return mluOpSetQuantizeRoundMode(handle_, static_cast<mluOpQuantizeRoundMode_t>(3)); },
      "round_mode is 3; it must be 0 to 2");
  ExpectRejected([&] { return mluOpGetQuantizeRoundMode(nullptr, &round); }, "handle is NULL");
  ExpectRejected([&] { return mluOpGetQuantizeRoundMode(handle_, nullptr); }, "round_mode is NULL");
  ExpectRejected([] { return detopsSetThreads(nullptr, 1); }, "handle is NULL");
  ExpectRejected([&] { return detopsSetThreads(handle_, -1); },
                 "threads is -1; it must be 0 to 1024");
  ExpectRejected([&] { return detopsSetThreads(handle_, 1025); }, "threads is 1025");
  ExpectRejected([&] { return detopsGetThreads(nullptr, &threads); }, "handle is NULL");
  ExpectRejected([&] { return detopsGetThreads(handle_, nullptr); }, "threads is NULL");
}

TEST_F(Handle, ThreadsComeFromTheCallThenTheEnvironmentThenTheCores) {
  ::unsetenv("DETOPS_NUM_THREADS");
  EXPECT_EQ(detopsSetThreads(handle_, 0), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Threads(), AvailableCores());
  EXPECT_EQ(detopsSetThreads(handle_, 7), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Threads(), 7);

  ::setenv("DETOPS_NUM_THREADS", "5", 1);
  EXPECT_EQ(mluOpUpdateContextInformation(handle_), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Threads(), 7) << "an explicit setting has priority over the environment";
  EXPECT_EQ(detopsSetThreads(handle_, 0), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Threads(), 5);
  ::setenv("DETOPS_NUM_THREADS", "3", 1);
  EXPECT_EQ(mluOpUpdateContextInformation(handle_), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Threads(), 3);
  mluOpHandle_t other;
  ASSERT_EQ(mluOpCreate(&other), MLUOP_STATUS_SUCCESS);
  int threads = 0;
  EXPECT_EQ(detopsGetThreads(other, &threads), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(mluOpDestroy(other), MLUOP_STATUS_SUCCESS);

  for (const char* invalid : {"0", "-2", "2x", "x", "1025", "99999999999999999999"}) {
    LogCapture log;
    ::setenv("DETOPS_NUM_THREADS", invalid, 1);
    EXPECT_EQ(mluOpUpdateContextInformation(handle_), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(Threads(), AvailableCores()) << invalid;
    EXPECT_THAT(log.Take(), ElementsAre(std::string("DETOPS_NUM_THREADS is '") + invalid +
                                        "'; it must be an integer from 1 to 1024 (ignored)"));
  }
  ::unsetenv("DETOPS_NUM_THREADS");
}

TEST_F(Handle, ScratchGrowsAndIsReused) {
  detops::Handle& handle = *Find<detops::Handle>(handle_);
  void* const small = handle.ReserveScratch(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % kAlignment, 0u);
  EXPECT_EQ(handle.ReserveScratch(50), small);
  void* const large = handle.ReserveScratch(1 << 20);
  EXPECT_EQ(handle.ReserveScratch(100), large);
}

TEST(Version, InCIsThatOfMluOps) {
  int major = -1;
  int minor = -1;
  int patch = -1;
  mluOpGetLibVersion(&major, &minor, &patch);
  EXPECT_EQ(major, MLUOP_MAJOR);
  EXPECT_EQ(minor, MLUOP_MINOR);
  EXPECT_EQ(patch, MLUOP_PATCHLEVEL);
  mluOpGetLibVersion(nullptr, nullptr, nullptr);
  EXPECT_EQ(GetInfo().version, kVersion) << "C++ returns the version of detops";
}

TEST(CppContext, WrapsAndMovesAHandle) {
  Context context;
  context.SetThreads(3);
  EXPECT_EQ(context.threads(), 3);
  Context moved = std::move(context);
  EXPECT_EQ(moved.threads(), 3);
  Context assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.threads(), 3);

  Queue queue;
  assigned.SetQueue(queue);
  cnrtQueue_t got = nullptr;
  EXPECT_EQ(mluOpGetQueue(assigned.handle(), &got), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(got, queue.get());
  assigned.ClearQueue();
  EXPECT_EQ(mluOpGetQueue(assigned.handle(), &got), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(got, nullptr);
  EXPECT_NO_THROW(queue.Sync());
  Queue other = std::move(queue);
  Queue third;
  third = std::move(other);
  EXPECT_NO_THROW(third.Sync());
}

TEST(CppContext, ThrowsTheLibrarysMessage) {
  LogCapture log;
  Context context;
  try {
    context.SetThreads(-4);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MLUOP_STATUS_BAD_PARAM);
    EXPECT_STREQ(error.what(), "detopsSetThreads: threads is -4; it must be 0 to 1024");
  }
  EXPECT_EQ(log.Take().size(), 1u);
}

TEST(Info, DescribesTheMachine) {
  const Info info = GetInfo();
  EXPECT_FALSE(info.version.empty());
  EXPECT_FALSE(info.cpu.empty());
  EXPECT_GE(info.cores, 1);
  EXPECT_GE(info.threads, 1);
  ASSERT_FALSE(info.simd_targets.empty());
  EXPECT_THAT(info.simd_targets, testing::Contains(info.simd_target));
}

}  // namespace
}  // namespace detops
