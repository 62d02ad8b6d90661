// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Fixture and jobs that the tests of queues share.

#ifndef DETOPS_RUNTIME_QUEUE_TEST_H_
#define DETOPS_RUNTIME_QUEUE_TEST_H_

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "core/handle.h"
#include "runtime/queue.h"
#include "runtime/submit.h"
#include "testing/log_capture.h"

namespace detops {

struct AppendArgs {
  std::vector<int>* list;
  int value;
};

inline Status Append(RunContext&, const AppendArgs& args) {
  args.list->push_back(args.value);
  return {};
}

// Fails as an operator does that finds invalid data.
inline Status Fail(RunContext&, const int& number) {
  return BadParam("rois[{}] is out of range", number);
}

// A queue, and a handle that uses it.
class QueueTest : public testing::Test {
 protected:
  QueueTest() {
    EXPECT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
    EXPECT_EQ(mluOpSetQueue(handle_, queue_), MLUOP_STATUS_SUCCESS);
  }
  ~QueueTest() override {
    if (handle_ != nullptr) {
      EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
    }
    if (queue_ != nullptr) {
      EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
    }
  }

  Handle& handle() { return *Find<Handle>(handle_); }

  void SubmitFailure(int number) { ASSERT_TRUE(Submit<Fail>(handle(), "op", number).ok()); }

  // Queries the queue until it is idle, but does not wait for it, which would run its jobs here.
  // Returns the last result.
  cnrtRet_t PollUntilIdle() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    cnrtRet_t result;
    while ((result = cnrtQueueQuery(queue_)) == cnrtErrorNotReady &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    return result;
  }

  LogCapture log_;
  mluOpHandle_t handle_ = nullptr;
  cnrtQueue_t queue_ = nullptr;
};

}  // namespace detops

#endif  // DETOPS_RUNTIME_QUEUE_TEST_H_
