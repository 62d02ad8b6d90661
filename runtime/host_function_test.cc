// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Functions of the user that run on queues.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "runtime/queue_test.h"
#include "testing/c_api_fixture.h"
#include "testing/gate.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HostFunction : public QueueTest {
 protected:
  std::vector<int> list_;
};

// Appends the size of the list, so that its elements count the calls.
void AppendSize(void* list) {
  auto& numbers = *static_cast<std::vector<int>*>(list);
  numbers.push_back(static_cast<int>(numbers.size()));
}

TEST_F(HostFunction, RunsInTheOrderOfTheQueue) {
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list_, 10}).ok());
  ASSERT_EQ(cnrtInvokeHostFunc(queue_, AppendSize, &list_), cnrtSuccess);
  ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list_, 20}).ok());
  ASSERT_EQ(cnrtInvokeHostFunc(queue_, AppendSize, &list_), cnrtSuccess);
  EXPECT_THAT(list_, IsEmpty()) << "the call must not run the function";
  gate.Open();
  ASSERT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_THAT(list_, ElementsAre(10, 1, 20, 3));
}

TEST_F(HostFunction, RunsInsideTheCallWithoutAQueue) {
  ASSERT_EQ(cnrtInvokeHostFunc(nullptr, AppendSize, &list_), cnrtSuccess);
  EXPECT_THAT(list_, ElementsAre(0));
}

// The function reads the result of one operator call and writes the input of the next.
struct Exchange {
  std::vector<float> boxes;
  std::vector<float> overlaps;
  std::vector<float> seen;
};

void MoveTheSecondBox(void* argument) {
  auto& exchange = *static_cast<Exchange*>(argument);
  exchange.seen.push_back(exchange.overlaps[1]);
  exchange.boxes[4] += 1;
  exchange.boxes[6] += 1;
}

TEST_F(HostFunction, RunsBetweenOperatorCalls) {
  Exchange exchange;
  exchange.boxes = {0, 0, 2, 2, 0, 0, 2, 2};
  exchange.overlaps.assign(4, -1);
  const ScopedDescriptor boxes({2, 4});
  const ScopedDescriptor overlaps({2, 2});
  for (int call = 0; call < 3; ++call) {
    ASSERT_EQ(mluOpBboxOverlaps(handle_, 0, false, 0, boxes, exchange.boxes.data(), boxes,
                                exchange.boxes.data(), overlaps, exchange.overlaps.data()),
              MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(cnrtInvokeHostFunc(queue_, MoveTheSecondBox, &exchange), cnrtSuccess);
  }
  ASSERT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_THAT(exchange.seen, ElementsAre(1, 1.0f / 3, 0));
}

TEST_F(HostFunction, MaySubmitJobs) {
  struct Resubmission {
    cnrtQueue_t queue;
    std::vector<int>* list;
  } resubmission{queue_, &list_};
  const cnrtHostFn_t resubmit = [](void* argument) {
    const auto& next = *static_cast<Resubmission*>(argument);
    EXPECT_EQ(cnrtInvokeHostFunc(next.queue, AppendSize, next.list), cnrtSuccess);
  };
  ASSERT_EQ(cnrtInvokeHostFunc(queue_, resubmit, &resubmission), cnrtSuccess);
  ASSERT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueSync(queue_), cnrtSuccess) << "the job that the function has submitted";
  EXPECT_THAT(list_, ElementsAre(0));
}

TEST_F(HostFunction, AnExceptionIsAnErrorOfTheQueueOrOfTheCall) {
  const cnrtHostFn_t fail = [](void*) { throw std::runtime_error("no such file"); };
  ASSERT_EQ(cnrtInvokeHostFunc(queue_, fail, nullptr), cnrtSuccess);
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtErrorUnknown);
  EXPECT_EQ(cnrtInvokeHostFunc(nullptr, fail, nullptr), cnrtErrorUnknown);
  EXPECT_THAT(log_.Take(),
              ElementsAre(HasSubstr("cnrtInvokeHostFunc: "), HasSubstr("cnrtInvokeHostFunc: ")));
}

TEST_F(HostFunction, RefusesNull) {
  EXPECT_EQ(cnrtInvokeHostFunc(queue_, nullptr, &list_), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtInvokeHostFunc(nullptr, nullptr, nullptr), cnrtErrorArgsInvalid);
  EXPECT_THAT(log_.Take(), ElementsAre(HasSubstr("cnrtInvokeHostFunc: function is NULL"),
                                       HasSubstr("cnrtInvokeHostFunc: function is NULL")));
}

}  // namespace
}  // namespace detops
