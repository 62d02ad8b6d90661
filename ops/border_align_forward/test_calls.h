// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the tests of border_align_forward share: the variants of a case, a run on guarded scratch,
// and calls of the C function.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_TEST_CALLS_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_TEST_CALLS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/math.h"
#include "ops/border_align_forward/harness.h"
#include "testing/c_api_checks.h"
#include "testing/guarded_buffer.h"

namespace detops::border_align_forward {

// Channel counts around every vector width and around several vectors.
inline constexpr int64_t kChannelCounts[] = {1, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70, 130};

// Calls check(case) for float and half, in both layouts, with and without argmax_idx.
template <class Check>
void ForEachVariant(Case input, const Check& check) {
  for (const bool half : {false, true}) {
    for (const bool channels_first : {false, true}) {
      for (const bool argmax : {false, true}) {
        input.half = half;
        input.channels_first = channels_first;
        input.argmax = argmax;
        check(input);
      }
    }
  }
}

// Runs on one thread, with scratch memory that ends at an inaccessible page.
inline void RunOnOneThread(const Args& args) {
  const GuardedBuffer scratch(RoundUp(ScratchBytes(args, 1), kAlignment));
  Threads threads(1);
  RunContext context{threads, scratch.data()};
  ASSERT_TRUE(Run(context, args).ok());
}

// The arguments of mluOpBorderAlignForward. The shapes are those of SeedsExample().
struct CApiCall {
  TensorArgument input{.dims = {1, 3, 4, 4}, .layout = MLUOP_LAYOUT_NHWC};
  TensorArgument boxes{.dims = {1, 12, 4}};
  int32_t pool_size = 1;
  TensorArgument output{.dims = {1, 12, 4, 1}, .layout = MLUOP_LAYOUT_NHWC};
  TensorArgument argmax_idx{
      .dims = {1, 12, 4, 1}, .dtype = MLUOP_DTYPE_INT32, .layout = MLUOP_LAYOUT_NHWC};
  bool has_handle = true;
};

// Calls mluOpBorderAlignForward, by default with SeedsExample().
class BorderAlignCApiTest : public ArgumentsTest<CApiCall> {
 protected:
  BorderAlignCApiTest() : ArgumentsTest("mluOpBorderAlignForward", 48) {}

  CApiCall Example() override {
    CApiCall call;
    call.input.data = example_.input.data();
    call.boxes.data = example_.boxes.data();
    call.output.data = float_result_.data();
    call.argmax_idx.data = int_result_.data();
    return call;
  }

  // Returns the call for the tensors of `problem`.
  static CApiCall CallOf(const Problem& problem, void* output, int32_t* argmax_idx) {
    const Case& input = problem.source();
    const Args args = problem.args(output, argmax_idx);
    const Shape& shape = input.shape;
    CApiCall call;
    const mluOpDataType_t dtype = input.half ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT;
    call.input.dtype = call.boxes.dtype = call.output.dtype = dtype;
    call.input.dims = {shape.images, shape.height, shape.width, kBorders * shape.channels};
    call.boxes.dims = {shape.images, shape.boxes_per_image, kBoxNumbers};
    call.output.dims =
        call.argmax_idx.dims = {shape.images, shape.boxes_per_image, kBorders, shape.channels};
    call.pool_size = shape.pool_size;
    call.input.data = const_cast<void*>(args.input);
    call.boxes.data = const_cast<void*>(args.boxes);
    call.output.data = output;
    call.argmax_idx.data = argmax_idx;
    return call;
  }

  mluOpStatus_t Make(const CApiCall& call) override {
    return mluOpBorderAlignForward(
        call.has_handle ? handle_.get() : nullptr, input_desc_.Describe(call.input),
        call.input.data, boxes_desc_.Describe(call.boxes), call.boxes.data, call.pool_size,
        output_desc_.Describe(call.output), call.output.data,
        argmax_idx_desc_.Describe(call.argmax_idx), call.argmax_idx.data);
  }

  void ExpectExampleResults() {
    EXPECT_THAT(float_result_, testing::ElementsAreArray(SeedsResult().values));
    EXPECT_THAT(int_result_, testing::ElementsAreArray(SeedsResult().samples));
  }

  ScopedDescriptor input_desc_, boxes_desc_, output_desc_, argmax_idx_desc_;
  Case example_ = SeedsExample();
};

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_TEST_CALLS_H_
