// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// After warm-up, a repeated call with the same shapes makes no heap allocation in our code. This
// program counts every `new`, its own and the library's; TBB's memory does not come from there.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "cnrt.h"
#include "mlu_op.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/border_align_forward/cases.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/poly_nms/cases.h"
#include "ops/psroipool_forward/cases.h"

namespace {

std::atomic<int64_t> allocations{0};

void* Allocate(std::size_t bytes, std::size_t alignment) noexcept {
  ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

void* AllocateOrThrow(std::size_t bytes, std::size_t alignment) {
  void* const memory = Allocate(bytes, alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return AllocateOrThrow(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return Allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return AllocateOrThrow(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t& /*tag*/) noexcept {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace detops {
namespace {

// A handle with some number of threads, with and without a queue.
class Allocations : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  void SetUp() override {
    ASSERT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(detopsSetThreads(handle_, std::get<0>(GetParam())), MLUOP_STATUS_SUCCESS);
    if (std::get<1>(GetParam())) {
      ASSERT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
      ASSERT_EQ(mluOpSetQueue(handle_, queue_), MLUOP_STATUS_SUCCESS);
    }
  }

  void TearDown() override {
    for (const mluOpTensorDescriptor_t descriptor : descriptors_) {
      mluOpDestroyTensorDescriptor(descriptor);
    }
    mluOpDestroy(handle_);
    if (queue_ != nullptr) {
      cnrtQueueDestroy(queue_);
    }
  }

  mluOpTensorDescriptor_t Describe(mluOpDataType_t dtype, const std::vector<int64_t>& dims,
                                   mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY) {
    mluOpTensorDescriptor_t descriptor = nullptr;
    mluOpCreateTensorDescriptor(&descriptor);
    mluOpSetTensorDescriptor_v2(descriptor, layout, dtype, static_cast<int>(dims.size()),
                                dims.data());
    descriptors_.push_back(descriptor);
    return descriptor;
  }

  // How many a call makes when others like it came before.
  int64_t CountOf(const std::function<mluOpStatus_t()>& call) {
    constexpr int kWarmUps = 3;
    constexpr int kCalls = 5;
    int64_t before = 0;
    for (int i = 0; i < kWarmUps + kCalls; ++i) {
      if (i == kWarmUps) {
        before = allocations;
      }
      EXPECT_EQ(call(), MLUOP_STATUS_SUCCESS);
      EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
    }
    return allocations - before;
  }

  mluOpHandle_t handle_ = nullptr;
  cnrtQueue_t queue_ = nullptr;
  std::vector<mluOpTensorDescriptor_t> descriptors_;
};

INSTANTIATE_TEST_SUITE_P(ThreadsAndQueue, Allocations,
                         testing::Combine(testing::Values(1, 2), testing::Bool()));

TEST_P(Allocations, AreCounted) {
  const int64_t before = allocations;
  const std::vector<int> some(1000);
  EXPECT_GT(allocations, before);
}

TEST_P(Allocations, BboxOverlapsMakesNone) {
  constexpr int64_t kCount = 300;
  const std::vector<float> boxes =
      bbox_overlaps::RandomBoxes(bbox_overlaps::Kind::kImage, kCount, 1);
  std::vector<float> ious(kCount * kCount);
  const mluOpTensorDescriptor_t boxes_desc = Describe(MLUOP_DTYPE_FLOAT, {kCount, 4});
  const mluOpTensorDescriptor_t ious_desc = Describe(MLUOP_DTYPE_FLOAT, {kCount, kCount});
  EXPECT_EQ(CountOf([&] {
              return mluOpBboxOverlaps(handle_, 0, false, 0, boxes_desc, boxes.data(), boxes_desc,
                                       boxes.data(), ious_desc, ious.data());
            }),
            0);
}

TEST_P(Allocations, BorderAlignForwardMakesNone) {
  using border_align_forward::Shape;
  // Many boxes on a small map, and few on a large one.
  for (const Shape& shape : {Shape{2, 12, 15, 96, 60, 10}, Shape{1, 60, 80, 96, 3, 10}}) {
    const border_align_forward::Case input =
        RandomCase(border_align_forward::Kind::kNetwork, shape, 1);
    std::vector<float> output(static_cast<size_t>(input.results()));
    std::vector<int32_t> argmax_idx(output.size());
    const std::vector<int64_t> result_dims = {shape.images, shape.boxes_per_image, 4,
                                              shape.channels};
    const mluOpTensorDescriptor_t input_desc =
        Describe(MLUOP_DTYPE_FLOAT, {shape.images, shape.height, shape.width, 4 * shape.channels},
                 MLUOP_LAYOUT_NHWC);
    const mluOpTensorDescriptor_t boxes_desc =
        Describe(MLUOP_DTYPE_FLOAT, {shape.images, shape.boxes_per_image, 4});
    const mluOpTensorDescriptor_t output_desc =
        Describe(MLUOP_DTYPE_FLOAT, result_dims, MLUOP_LAYOUT_NHWC);
    const mluOpTensorDescriptor_t argmax_idx_desc =
        Describe(MLUOP_DTYPE_INT32, result_dims, MLUOP_LAYOUT_NHWC);
    EXPECT_EQ(CountOf([&] {
                return mluOpBorderAlignForward(handle_, input_desc, input.input.data(), boxes_desc,
                                               input.boxes.data(), shape.pool_size, output_desc,
                                               output.data(), argmax_idx_desc, argmax_idx.data());
              }),
              0)
        << input.ToString();
  }
}

TEST_P(Allocations, PolyNmsMakesNone) {
  using poly_nms::Kind;
  // Each of its ways: few boxes, many, and many in a heap.
  for (const auto& [kind, count] : {std::pair(Kind::kAerial, 100), std::pair(Kind::kAerial, 3000),
                                    std::pair(Kind::kHeap, 500)}) {
    const std::vector<float> boxes = poly_nms::RandomBoxes(kind, count, 1);
    std::vector<int32_t> output(static_cast<size_t>(count));
    int32_t result_num = 0;
    const mluOpTensorDescriptor_t boxes_desc = Describe(MLUOP_DTYPE_FLOAT, {count, 9});
    const mluOpTensorDescriptor_t output_desc = Describe(MLUOP_DTYPE_INT32, {count});
    size_t size = 0;
    ASSERT_EQ(mluOpGetPolyNmsWorkspaceSize(handle_, boxes_desc, &size), MLUOP_STATUS_SUCCESS);
    std::vector<std::byte> workspace(size);
    EXPECT_EQ(CountOf([&] {
                return mluOpPolyNms(handle_, boxes_desc, boxes.data(), 0.1f, workspace.data(), size,
                                    output_desc, output.data(), &result_num);
              }),
              0)
        << poly_nms::NameOf(kind) << ", " << count;
  }
}

TEST_P(Allocations, PsRoiPoolForwardMakesNone) {
  using psroipool_forward::Shape;
  // Many rois on a small map, which is packed, and few on a large one.
  for (const Shape& shape : {Shape{2, 14, 14, 7, 8, 300}, Shape{1, 60, 80, 3, 40, 12}}) {
    constexpr float kScale = 0.0625f;
    const psroipool_forward::Case input =
        RandomCase(psroipool_forward::Kind::kNetwork, shape, kScale, 1);
    std::vector<float> output(static_cast<size_t>(input.results()));
    std::vector<int32_t> mapping_channel(output.size());
    const std::vector<int64_t> result_dims = {shape.rois, shape.group, shape.group, shape.dim};
    const mluOpTensorDescriptor_t input_desc =
        Describe(MLUOP_DTYPE_FLOAT, {shape.images, shape.height, shape.width, input.channels()},
                 MLUOP_LAYOUT_NHWC);
    const mluOpTensorDescriptor_t rois_desc = Describe(MLUOP_DTYPE_FLOAT, {shape.rois, 5});
    const mluOpTensorDescriptor_t output_desc =
        Describe(MLUOP_DTYPE_FLOAT, result_dims, MLUOP_LAYOUT_NHWC);
    const mluOpTensorDescriptor_t mapping_channel_desc =
        Describe(MLUOP_DTYPE_INT32, result_dims, MLUOP_LAYOUT_NHWC);
    const auto group = static_cast<int>(shape.group);
    const auto dim = static_cast<int>(shape.dim);
    EXPECT_EQ(CountOf([&] {
                return mluOpPsRoiPoolForward(handle_, group, group, kScale, group, dim, input_desc,
                                             input.input.data(), rois_desc, input.rois.data(),
                                             nullptr, 0, output_desc, output.data(),
                                             mapping_channel_desc, mapping_channel.data());
              }),
              0)
        << input.ToString();
  }
}

TEST_P(Allocations, GenerateProposalsV2MakesNone) {
  namespace op = generate_proposals_v2;
  // Few scores and many, of one image and of several; and everything kept.
  struct Call {
    op::Shape shape;
    float nms_thresh;
  };
  for (const Call& call : {Call{{1, 11, 11, 3}, 0.5f}, Call{{1, 100, 100, 3}, 0.7f},
                           Call{{3, 30, 40, 3}, 0.7f}, Call{{1, 30, 40, 3}, 1.0f}}) {
    constexpr int kPost = 500;
    const op::Shape& shape = call.shape;
    const op::Case input = op::RandomCase(op::Kind::kTrained, shape, 8, 32, 1);
    const int64_t rows = shape.images * kPost;
    std::vector<float> rois(static_cast<size_t>(rows * 4));
    std::vector<float> probs(static_cast<size_t>(rows));
    std::vector<int32_t> counts(static_cast<size_t>(shape.images));
    int32_t total = 0;
    const mluOpTensorDescriptor_t scores_desc = Describe(
        MLUOP_DTYPE_FLOAT, {shape.images, shape.height, shape.width, shape.anchors_per_position});
    const mluOpTensorDescriptor_t deltas_desc =
        Describe(MLUOP_DTYPE_FLOAT,
                 {shape.images, shape.height, shape.width, 4 * shape.anchors_per_position});
    const mluOpTensorDescriptor_t im_shape_desc = Describe(MLUOP_DTYPE_FLOAT, {shape.images, 2});
    const mluOpTensorDescriptor_t anchors_desc =
        Describe(MLUOP_DTYPE_FLOAT, {shape.height, shape.width, shape.anchors_per_position, 4});
    const mluOpTensorDescriptor_t rois_desc = Describe(MLUOP_DTYPE_FLOAT, {rows, 4});
    const mluOpTensorDescriptor_t probs_desc = Describe(MLUOP_DTYPE_FLOAT, {rows, 1});
    const mluOpTensorDescriptor_t counts_desc = Describe(MLUOP_DTYPE_INT32, {shape.images});
    size_t size = 0;
    ASSERT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize(handle_, scores_desc, &size),
              MLUOP_STATUS_SUCCESS);
    std::vector<std::byte> workspace(size);
    EXPECT_EQ(CountOf([&] {
                return mluOpGenerateProposalsV2(
                    handle_, 6000, kPost, call.nms_thresh, 0.1f, 1.0f, false, scores_desc,
                    input.scores.data(), deltas_desc, input.deltas.data(), im_shape_desc,
                    input.im_shape.data(), anchors_desc, input.anchors.data(), anchors_desc,
                    input.variances.data(), workspace.data(), size, rois_desc, rois.data(),
                    probs_desc, probs.data(), counts_desc, counts.data(), &total);
              }),
              0)
        << input.ToString();
    EXPECT_GT(total, 10) << input.ToString();
  }
}

}  // namespace
}  // namespace detops
