// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The fixture of tests that call mluOpPsRoiPoolForward.

#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_TEST_CALLS_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_TEST_CALLS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ops/psroipool_forward/harness.h"
#include "testing/c_api_checks.h"

namespace detops::psroipool_forward {

// The arguments of a call: those of ExampleCase(), until a test changes them.
struct CApiCall {
  int pooled_height = 2;
  int pooled_width = 2;
  float spatial_scale = 1;
  int group_size = 2;
  int output_dim = 3;
  TensorArgument input{.dims = {2, 2, 3, 12}, .layout = MLUOP_LAYOUT_NHWC};
  TensorArgument rois{.dims = {3, 5}};
  void* workspace = nullptr;
  size_t workspace_size = 0;
  TensorArgument output{.dims = {3, 2, 2, 3}, .layout = MLUOP_LAYOUT_NHWC};
  TensorArgument mapping_channel{
      .dims = {3, 2, 2, 3}, .dtype = MLUOP_DTYPE_INT32, .layout = MLUOP_LAYOUT_NHWC};
  bool has_handle = true;
  bool has_workspace = true;  // otherwise passes 14 arguments, without a workspace

  void SetGroup(int group) { pooled_height = pooled_width = group_size = group; }
};

class PsRoiPoolCApiTest : public ArgumentsTest<CApiCall> {
 protected:
  PsRoiPoolCApiTest() : ArgumentsTest("mluOpPsRoiPoolForward", 36) {}

  // Returns a call with the tensors of the example.
  CApiCall Example() override {
    CApiCall call;
    call.input.data = example_.input.data();
    call.rois.data = example_.rois.data();
    call.output.data = float_result_.data();
    call.mapping_channel.data = int_result_.data();
    return call;
  }

  // Returns a call with the tensors of a case whose channels are last.
  static CApiCall CallOf(Case& input, float* output, int32_t* mapping_channel) {
    const Shape& shape = input.shape;
    CApiCall call;
    call.SetGroup(static_cast<int>(shape.group));
    call.output_dim = static_cast<int>(shape.dim);
    call.spatial_scale = input.scale;
    call.input.dims = {shape.images, shape.height, shape.width, input.channels()};
    call.rois.dims = {shape.rois, kRoiNumbers};
    call.output.dims =
        call.mapping_channel.dims = {shape.rois, shape.group, shape.group, shape.dim};
    call.input.data = input.input.data();
    call.rois.data = input.rois.data();
    call.output.data = output;
    call.mapping_channel.data = mapping_channel;
    return call;
  }

  mluOpStatus_t Make(const CApiCall& call) override {
    const mluOpTensorDescriptor_t input = descriptors_[0].Describe(call.input);
    const mluOpTensorDescriptor_t rois = descriptors_[1].Describe(call.rois);
    const mluOpTensorDescriptor_t output = descriptors_[2].Describe(call.output);
    const mluOpTensorDescriptor_t mapping = descriptors_[3].Describe(call.mapping_channel);
    const mluOpHandle_t handle = call.has_handle ? handle_.get() : nullptr;
    if (!call.has_workspace) {
      return mluOpPsRoiPoolForward(handle, call.pooled_height, call.pooled_width,
                                   call.spatial_scale, call.group_size, call.output_dim, input,
                                   call.input.data, rois, call.rois.data, output, call.output.data,
                                   mapping, call.mapping_channel.data);
    }
    return mluOpPsRoiPoolForward(handle, call.pooled_height, call.pooled_width, call.spatial_scale,
                                 call.group_size, call.output_dim, input, call.input.data, rois,
                                 call.rois.data, call.workspace, call.workspace_size, output,
                                 call.output.data, mapping, call.mapping_channel.data);
  }

  // Expects that the last call wrote the results of the example, and clears them.
  void ExpectExampleResults() {
    EXPECT_THAT(float_result_, testing::ElementsAreArray(kExampleMeans));
    EXPECT_THAT(int_result_, testing::ElementsAreArray(kExampleChannels));
    float_result_.assign(float_result_.size(), kUntouched);
    int_result_.assign(int_result_.size(), static_cast<int32_t>(kUntouched));
  }
  // Calls the function, waits for `queue` (null: the default queue) and compares the results.
  void ExpectMatchesReference(Case input, cnrtQueue_t queue = nullptr) {
    std::vector<float> output(static_cast<size_t>(input.results()));
    std::vector<int32_t> mapping_channel(output.size(), -1);
    ASSERT_EQ(Make(CallOf(input, output.data(), mapping_channel.data())), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(cnrtQueueSync(queue), cnrtSuccess);
    EXPECT_TRUE(ReadResult(input, output.data(), mapping_channel.data()) == RunReference(input))
        << input.ToString();
  }

  ScopedDescriptor descriptors_[4];
  Case example_ = ExampleCase();
};

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_TEST_CALLS_H_
