// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Handles, tensor descriptors, queues and notifiers that were destroyed, that never existed, or
// that are of another kind: every function of the C API refuses them with a message.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "detops/detops.hpp"
#include "testing/c_api_fixture.h"
#include "testing/error_message.h"

namespace detops {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// What can stand where a live object is required.
enum class Wrong { kDestroyed, kAddress, kOtherKind };

class DestroyedObjects : public testing::TestWithParam<Wrong> {
 protected:
  DestroyedObjects() {
    EXPECT_EQ(mluOpDestroy(Created<mluOpHandle_t>(mluOpCreate)), MLUOP_STATUS_SUCCESS);
    handle_ = Wrongly<mluOpHandle_t>(mluOpCreate, mluOpDestroy, live_queue_.get());
    desc_ = Wrongly<mluOpTensorDescriptor_t>(mluOpCreateTensorDescriptor,
                                             mluOpDestroyTensorDescriptor, live_handle_.get());
    queue_ = Wrongly<cnrtQueue_t>(cnrtQueueCreate, cnrtQueueDestroy, live_desc_.get());
    notifier_ = Wrongly<cnrtNotifier_t>(cnrtNotifierCreate, cnrtNotifierDestroy, live_desc_.get());
  }

  void ExpectRefused(const std::function<mluOpStatus_t()>& call, const std::string& object) {
    LogCapture log;
    EXPECT_EQ(call(), MLUOP_STATUS_BAD_PARAM);
    ExpectOneLine(log, object);
  }
  void ExpectRefusedByRuntime(const std::function<cnrtRet_t()>& call, const std::string& object) {
    LogCapture log;
    EXPECT_EQ(call(), cnrtErrorArgsInvalid);
    EXPECT_EQ(cnrtGetLastError(), cnrtErrorArgsInvalid);
    ExpectOneLine(log, object);
  }

  const ScopedHandle live_handle_;
  const ScopedDescriptor live_desc_{{1}};
  const ScopedQueue live_queue_{live_handle_};
  mluOpHandle_t handle_ = nullptr;
  mluOpTensorDescriptor_t desc_ = nullptr;
  cnrtQueue_t queue_ = nullptr;
  cnrtNotifier_t notifier_ = nullptr;

 private:
  template <class Opaque, class Create>
  static Opaque Created(Create* create) {
    Opaque opaque = nullptr;
    EXPECT_EQ(static_cast<int>(create(&opaque)), 0);
    return opaque;
  }
  template <class Opaque, class Create, class Destroy>
  Opaque Wrongly(Create* create, Destroy* destroy, void* other_kind) {
    if (GetParam() == Wrong::kAddress) {
      return reinterpret_cast<Opaque>(this);
    }
    if (GetParam() == Wrong::kOtherKind) {
      return reinterpret_cast<Opaque>(other_kind);
    }
    const Opaque opaque = Created<Opaque>(create);
    EXPECT_EQ(static_cast<int>(destroy(opaque)), 0);
    return opaque;
  }
  static void ExpectOneLine(LogCapture& log, const std::string& object) {
    EXPECT_THAT(log.Take(), testing::ElementsAre(HasSubstr(" does not name a " + object +
                                                           "; it was destroyed or never was one")));
    EXPECT_THAT(detopsGetLastError(), EndsWith("; it was destroyed or never was one"));
  }
};

INSTANTIATE_TEST_SUITE_P(Values, DestroyedObjects,
                         testing::Values(Wrong::kDestroyed, Wrong::kAddress, Wrong::kOtherKind));

TEST_P(DestroyedObjects, HandlesAreRefused) {
  mluOpAtomicsMode_t atomics;
  mluOpQuantizeRoundMode_t round;
  cnrtQueue_t queue;
  int threads;
  const std::function<mluOpStatus_t()> calls[] = {
      [&] { return mluOpDestroy(handle_); },
      [&] { return mluOpUpdateContextInformation(handle_); },
      [&] { return mluOpSetQueue(handle_, nullptr); },
      [&] { return mluOpGetQueue(handle_, &queue); },
      [&] { return mluOpSetAtomicsMode(handle_, MLUOP_ATOMICS_ALLOWED); },
      [&] { return mluOpGetAtomicsMode(handle_, &atomics); },
      [&] { return mluOpSetQuantizeRoundMode(handle_, MLUOP_ROUND_HALF_UP); },
      [&] { return mluOpGetQuantizeRoundMode(handle_, &round); },
      [&] { return detopsSetThreads(handle_, 1); },
      [&] { return detopsGetThreads(handle_, &threads); },
  };
  for (const auto& call : calls) {
    ExpectRefused(call, "handle");
  }
}

TEST_P(DestroyedObjects, OperatorsRefuseHandlesAndDescriptors) {
  const float boxes[] = {0, 0, 1, 1};
  float iou = -7;
  const auto overlaps = [&](mluOpHandle_t handle, mluOpTensorDescriptor_t desc) {
    const ScopedDescriptor boxes_desc({1, 4});
    const ScopedDescriptor ious_desc({1, 1});
    return mluOpBboxOverlaps(handle, 0, false, 0, boxes_desc, boxes,
                             desc != nullptr ? desc : boxes_desc.get(), boxes, ious_desc, &iou);
  };
  ExpectRefused([&] { return overlaps(handle_, nullptr); }, "handle");
  ExpectRefused([&] { return overlaps(live_handle_, desc_); }, "tensor descriptor");
  EXPECT_EQ(iou, -7);
  size_t size = 0;
  const ScopedDescriptor quadrilaterals({1, 9});
  ExpectRefused([&] { return mluOpGetPolyNmsWorkspaceSize(handle_, quadrilaterals, &size); },
                "handle");
  ExpectRefused([&] { return mluOpGetPolyNmsWorkspaceSize(live_handle_, desc_, &size); },
                "tensor descriptor");
}

TEST_P(DestroyedObjects, DescriptorsAreRefused) {
  const int dims[] = {1};
  const int64_t dims64[] = {1};
  int number;
  float scale;
  mluOpDataType_t dtype;
  mluOpPointerMode_t mode;
  const auto layout = MLUOP_LAYOUT_ARRAY;
  const auto type = MLUOP_DTYPE_FLOAT;
  const std::function<mluOpStatus_t()> calls[] = {
      [&] { return mluOpDestroyTensorDescriptor(desc_); },
      [&] { return mluOpResetTensorDescriptor(desc_); },
      [&] { return mluOpSetTensorDescriptor(desc_, layout, type, 1, dims); },
      [&] { return mluOpSetTensorDescriptor_v2(desc_, layout, type, 1, dims64); },
      [&] { return mluOpSetTensorDescriptorEx(desc_, layout, type, 1, dims, dims); },
      [&] { return mluOpSetTensorDescriptorEx_v2(desc_, layout, type, 1, dims64, dims64); },
      [&] { return mluOpSetTensorDescriptorDim(desc_, 1, dims); },
      [&] { return mluOpSetTensorDescriptorDim_v2(desc_, 1, dims64); },
      [&] { return mluOpGetTensorDescriptor(desc_, nullptr, &dtype, nullptr, nullptr); },
      [&] { return mluOpGetTensorDescriptor_v2(desc_, nullptr, &dtype, nullptr, nullptr); },
      [&] { return mluOpGetTensorDescriptorEx(desc_, nullptr, &dtype, nullptr, nullptr, nullptr); },
      [&] { return mluOpSetTensorDescriptorOnchipDataType(desc_, type); },
      [&] { return mluOpGetTensorDescriptorOnchipDataType(desc_, &dtype); },
      [&] { return mluOpSetTensorDescriptorPointerMode(desc_, MLUOP_POINTER_MODE_HOST); },
      [&] { return mluOpGetTensorDescriptorPointerMode(desc_, &mode); },
      [&] { return mluOpSetTensorDescriptorPosition(desc_, 1); },
      [&] { return mluOpGetTensorDescriptorPosition(desc_, &number); },
      [&] { return mluOpSetTensorDescriptorPositionAndScale(desc_, 1, 1); },
      [&] { return mluOpGetTensorDescriptorPositionAndScale(desc_, &number, &scale); },
      [&] { return mluOpSetTensorDescriptorPositionScaleAndOffset(desc_, 1, 1, 1); },
      [&] {
        return mluOpGetTensorDescriptorPositionScaleAndOffset(desc_, &number, &scale, &number);
      },
  };
  for (const auto& call : calls) {
    ExpectRefused(call, "tensor descriptor");
  }
  LogCapture log;
  EXPECT_EQ(mluOpGetTensorElementNum(desc_), 0u);
  EXPECT_EQ(log.Take().size(), 1u);
}

TEST_P(DestroyedObjects, GroupsWithOneAreRefusedAsAWhole) {
  mluOpTensorDescriptor_t good = nullptr;
  ASSERT_EQ(mluOpCreateTensorDescriptor(&good), MLUOP_STATUS_SUCCESS);
  mluOpTensorDescriptor_t* group[] = {&good, &desc_};
  const mluOpTensorLayout_t layouts[] = {MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_ARRAY};
  const mluOpDataType_t dtypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_FLOAT};
  const int ranks[] = {1, 1};
  const int dims[] = {3, 3};
  ExpectRefused(
      [&] { return mluOpSetGroupTensorDescriptors(group, layouts, dtypes, ranks, dims, 2); },
      "tensor descriptor");
  ExpectRefused([&] { return mluOpDestroyGroupTensorDescriptors(group, 2); }, "tensor descriptor");
  EXPECT_EQ(mluOpDestroyTensorDescriptor(good), MLUOP_STATUS_SUCCESS) << "destroyed with the group";
}

TEST_P(DestroyedObjects, QueuesAreRefused) {
  ExpectRefused([&] { return mluOpSetQueue(live_handle_, queue_); }, "queue");
  char from = 1;
  char to = 0;
  cnrtNotifier_t notifier = nullptr;
  ASSERT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
  const std::function<cnrtRet_t()> calls[] = {
      [&] { return cnrtQueueDestroy(queue_); },
      [&] { return cnrtQueueSync(queue_); },
      [&] { return cnrtQueueQuery(queue_); },
      [&] { return cnrtMemcpyAsync(&to, &from, 1, queue_, cnrtMemcpyHostToDev); },
      [&] { return cnrtMemsetAsync(&to, 1, 1, queue_); },
      [&] {
        return cnrtInvokeHostFunc(
            queue_, [](void* called) { *static_cast<char*>(called) = 1; }, &to);
      },
      [&] { return cnrtPlaceNotifier(notifier, queue_); },
      [&] { return cnrtQueueWaitNotifier(notifier, queue_, 0); },
  };
  for (const auto& call : calls) {
    ExpectRefusedByRuntime(call, "queue");
  }
  EXPECT_EQ(to, 0);
  EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
}

TEST_P(DestroyedObjects, NotifiersAreRefused) {
  float time = 0;
  cnrtNotifier_t live = nullptr;
  ASSERT_EQ(cnrtNotifierCreate(&live), cnrtSuccess);
  const std::function<cnrtRet_t()> calls[] = {
      [&] { return cnrtNotifierDestroy(notifier_); },
      [&] { return cnrtPlaceNotifier(notifier_, nullptr); },
      [&] { return cnrtWaitNotifier(notifier_); },
      [&] { return cnrtQueryNotifier(notifier_); },
      [&] { return cnrtNotifierDuration(notifier_, live, &time); },
      [&] { return cnrtNotifierDuration(live, notifier_, &time); },
      [&] { return cnrtNotifierElapsedTime(notifier_, live, &time); },
      [&] { return cnrtQueueWaitNotifier(notifier_, nullptr, 0); },
  };
  for (const auto& call : calls) {
    ExpectRefusedByRuntime(call, "notifier");
  }
  EXPECT_EQ(cnrtNotifierDestroy(live), cnrtSuccess);
}

// The queue is destroyed while a handle still has it: the next operator call says so.
TEST(DestroyedQueue, OperatorsOfItsHandleAreRefused) {
  const ScopedHandle handle;
  cnrtQueue_t queue = nullptr;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle, queue), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
  const ScopedDescriptor boxes_desc({1, 4});
  const ScopedDescriptor ious_desc({1, 1});
  const float boxes[] = {0, 0, 1, 1};
  float iou = -7;
  const auto call = [&] {
    return mluOpBboxOverlaps(handle, 0, false, 0, boxes_desc, boxes, boxes_desc, boxes, ious_desc,
                             &iou);
  };
  ExpectRefused("mluOpBboxOverlaps", MLUOP_STATUS_BAD_PARAM,
                "the handle's queue does not name a queue; it was destroyed or never was one", call,
                iou);
  ASSERT_EQ(mluOpSetQueue(handle, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(call(), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(iou, 1);
}

TEST(DestroyedQueue, CppFunctionsThrow) {
  Context context;
  {
    const Queue queue;
    context.SetQueue(queue);
  }
  const float boxes[] = {0, 0, 1, 1};
  const float scores[] = {1};
  ExpectThrown("Nms: the handle's queue does not name a queue; it was destroyed or never was one",
               MLUOP_STATUS_BAD_PARAM, [&] {
                 Nms(context, {boxes, {1, 4}}, {scores, {1}});
               });
  context.ClearQueue();
  EXPECT_EQ(Nms(context, {boxes, {1, 4}}, {scores, {1}}).indices.size(), 1u);
}

TEST(MovedContext, IsRefused) {
  Context context;
  const Context owner = std::move(context);
  const float boxes[] = {0, 0, 1, 1};
  // NOLINTBEGIN(bugprone-use-after-move): this is what the test is about.
  ExpectThrown("BboxOverlapsRowMaximum: handle is NULL; it must be a valid pointer",
               MLUOP_STATUS_BAD_PARAM, [&] {
                 BboxOverlapsRowMaximum(context, {boxes, {1, 4}}, {boxes, {1, 4}});
               });
  // NOLINTEND(bugprone-use-after-move)
}

TEST(GroupDestroy, ReportsADescriptorThatIsNamedTwice) {
  mluOpTensorDescriptor_t a = nullptr;
  mluOpTensorDescriptor_t b = nullptr;
  mluOpTensorDescriptor_t* created[] = {&a, &b};
  ASSERT_EQ(mluOpCreateGroupTensorDescriptors(created, 2), MLUOP_STATUS_SUCCESS);
  mluOpTensorDescriptor_t* group[] = {&a, &b, &a};
  ExpectRefused("mluOpDestroyGroupTensorDescriptors", MLUOP_STATUS_BAD_PARAM,
                "*group_desc[2] is in the group twice; it was destroyed once",
                [&] { return mluOpDestroyGroupTensorDescriptors(group, 3); });
  EXPECT_EQ(mluOpDestroyTensorDescriptor(b), MLUOP_STATUS_BAD_PARAM) << "it was not destroyed";
}

}  // namespace
}  // namespace detops
