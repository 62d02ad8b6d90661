// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls of mluOpPsRoiPoolForward that fail: which error is reported, and with which text.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/psroipool_forward/c_api_call.h"
#include "ops/psroipool_forward/test_cases.h"
#include "testing/c_api_fixture.h"

namespace detops::psroipool_forward {
namespace {

class PsRoiPoolChecks : public PsRoiPoolCApiTest {};

using Tensor = TensorArgument CApiCall::*;
constexpr Tensor kInput = &CApiCall::input;
constexpr Tensor kRois = &CApiCall::rois;
constexpr Tensor kOutput = &CApiCall::output;
constexpr Tensor kMapping = &CApiCall::mapping_channel;

// The tensors and their names in messages.
constexpr std::pair<Tensor, const char*> kTensors[] = {
    {kInput, "input"}, {kRois, "rois"}, {kOutput, "output"}, {kMapping, "mapping_channel"}};

TEST_F(PsRoiPoolChecks, RefusesWrongNumberOfChannels) {
  CApiCall call = Example();
  call.SetGroup(3);
  call.output_dim = 21;
  call.spatial_scale = 0.0625f;
  call.input.dims = {2, 14, 14, 198};
  call.rois.dims = {493, 5};
  call.output.dims = call.mapping_channel.dims = {493, 3, 3, 21};
  ExpectRefused(call,
                "input has shape float[2,14,14,198]; dimension 3 must be group_size squared, "
                "9, times output_dim, 21");
}

TEST_F(PsRoiPoolChecks, RefusesNullPointersAndUnsetDescriptors) {
  CApiCall call = Example();
  call.has_handle = false;
  ExpectRefused(call, "handle is NULL; it must be a valid pointer");
  for (const auto& [tensor, name] : kTensors) {
    call = Example();
    (call.*tensor).is_null = true;
    ExpectRefused(call, std::string(name) + "_desc is NULL; it must be a tensor descriptor");
    call = Example();
    (call.*tensor).is_set = false;
    ExpectRefused(call,
                  std::string(name) + "_desc was never set; call mluOpSetTensorDescriptor first");
    call = Example();
    (call.*tensor).data = nullptr;
    ExpectRefused(call, std::string(name) + " is NULL; it must be a valid pointer");
  }
}

TEST_F(PsRoiPoolChecks, RefusesOtherTypesAndLayouts) {
  for (const auto& [tensor, name] : kTensors) {
    CApiCall call = Example();
    const bool is_mapping = tensor == kMapping;
    const std::string expected = is_mapping ? "; it must be int32" : "; it must be float";
    (call.*tensor).dtype = MLUOP_DTYPE_HALF;
    ExpectRefused(call, std::string(name) + " has type half" + expected);
    (call.*tensor).dtype = MLUOP_DTYPE_INT64;
    ExpectRefused(call, std::string(name) + " has type int64" + expected);
    (call.*tensor).dtype = is_mapping ? MLUOP_DTYPE_FLOAT : MLUOP_DTYPE_INT32;
    ExpectRefused(
        call, std::string(name) + (is_mapping ? " has type float" : " has type int32") + expected);
    if (tensor != kRois) {
      call = Example();
      (call.*tensor).layout = MLUOP_LAYOUT_NCHW;
      ExpectRefused(call, std::string(name) + " has layout NCHW; it must be NHWC");
      (call.*tensor).layout = MLUOP_LAYOUT_ARRAY;
      ExpectRefused(call, std::string(name) + " has layout ARRAY; it must be NHWC");
    }
  }
}

TEST_F(PsRoiPoolChecks, RefusesParametersOutOfRange) {
  constexpr int kLeast = std::numeric_limits<int>::min();
  for (const int value : {0, -1, kLeast}) {
    const std::string found = " is " + std::to_string(value) + "; it must be at least 1";
    CApiCall call = Example();
    call.SetGroup(value);
    ExpectRefused(call, "group_size" + found);
    call = Example();
    call.output_dim = value;
    ExpectRefused(call, "output_dim" + found);
  }
  for (const int value : {0, 1, 3, -2, kLeast}) {
    const std::string found =
        " is " + std::to_string(value) + "; it must equal group_size, which is 2";
    CApiCall call = Example();
    call.pooled_height = value;
    ExpectRefused(call, "pooled_height" + found);
    call = Example();
    call.pooled_width = value;
    ExpectRefused(call, "pooled_width" + found);
  }
  CApiCall call = Example();
  call.group_size = 1;
  ExpectRefused(call, "pooled_height is 2; it must equal group_size, which is 1");
  const std::pair<float, const char*> scales[] = {{0.0f, "0"},        {-0.0f, "-0"},
                                                  {-1.0f, "-1"},      {kNaN, "nan"},
                                                  {kInfinity, "inf"}, {-kInfinity, "-inf"}};
  for (const auto& [scale, found] : scales) {
    call = Example();
    call.spatial_scale = scale;
    ExpectRefused(
        call, std::string("spatial_scale is ") + found + "; it must be a finite number above 0");
  }
}

// group_size squared, or that times output_dim, exceeds the range of int.
TEST_F(PsRoiPoolChecks, RefusesHugeParametersWithoutOverflow) {
  struct Row {
    int group, dim;
    const char* bins;
  };
  const Row rows[] = {
      {46340, 3, "2147395600"},
      {46341, 3, "2147488281"},
      {65536, 1, "4294967296"},
      {2147483647, 1, "4611686014132420609"},
      {2147483647, 2147483647, "4611686014132420609"},
      {2, 2147483647, "4"},
      {1, 2147483647, "1"},
      {2, 1 << 30, "4"},  // the product is 0 modulo 2^32
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    call.SetGroup(row.group);
    call.output_dim = row.dim;
    ExpectRefused(call, std::string("input has shape float[2,2,3,12]; dimension 3 must be "
                                    "group_size squared, ") +
                            row.bins + ", times output_dim, " + std::to_string(row.dim));
  }
}

TEST_F(PsRoiPoolChecks, RefusesWrongShapes) {
  struct Row {
    Tensor tensor;
    std::vector<int64_t> dims;
    const char* why;
  };
  const Row rows[] = {
      {kInput, {12, 12}, "input has shape float[12,12]; it must have rank 4"},
      {kInput, {1, 2, 2, 3, 12}, "input has shape float[1,2,2,3,12]; it must have rank 4"},
      {kRois, {15}, "rois has shape float[15]; it must have rank 2"},
      {kRois, {1, 3, 5}, "rois has shape float[1,3,5]; it must have rank 2"},
      {kOutput, {36}, "output has shape float[36]; it must have rank 4"},
      {kMapping, {3, 4, 3}, "mapping_channel has shape int32[3,4,3]; it must have rank 4"},
      // Channels.
      {kInput,
       {2, 2, 3, 13},
       "input has shape float[2,2,3,13]; dimension 3 must be group_size squared, 4, times "
       "output_dim, 3"},
      {kInput,
       {2, 2, 3, 16},
       "input has shape float[2,2,3,16]; dimension 3 must be group_size squared, 4, times "
       "output_dim, 3"},
      {kInput,
       {2, 2, 3, 0},
       "input has shape float[2,2,3,0]; dimension 3 must be group_size squared, 4, times "
       "output_dim, 3"},
      {kInput,
       {2, 12, 2, 3},
       "input has shape float[2,12,2,3]; dimension 3 must be group_size squared, 4, times "
       "output_dim, 3"},
      // RoIs.
      {kRois,
       {3, 4},
       "rois has shape float[3,4]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"},
      {kRois,
       {3, 6},
       "rois has shape float[3,6]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"},
      {kRois,
       {3, 0},
       "rois has shape float[3,0]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"},
      {kRois, {0, 5}, "rois has shape float[0,5]; it must not be empty"},
      {kRois, {4, 5}, "output has shape float[3,2,2,3]; dimension 0 must be 4"},
      // Results.
      {kOutput, {4, 2, 2, 3}, "output has shape float[4,2,2,3]; dimension 0 must be 3"},
      {kOutput, {3, 1, 2, 3}, "output has shape float[3,1,2,3]; dimension 1 must be 2"},
      {kOutput, {3, 2, 3, 2}, "output has shape float[3,2,3,2]; dimension 2 must be 2"},
      {kOutput, {3, 2, 2, 2}, "output has shape float[3,2,2,2]; dimension 3 must be 3"},
      {kOutput, {3, 2, 2, 0}, "output has shape float[3,2,2,0]; dimension 3 must be 3"},
      {kMapping, {0, 2, 2, 3}, "mapping_channel has shape int32[0,2,2,3]; dimension 0 must be 3"},
      {kMapping, {3, 3, 2, 2}, "mapping_channel has shape int32[3,3,2,2]; dimension 1 must be 2"},
      {kMapping, {3, 2, 1, 6}, "mapping_channel has shape int32[3,2,1,6]; dimension 2 must be 2"},
      {kMapping, {3, 2, 2, 4}, "mapping_channel has shape int32[3,2,2,4]; dimension 3 must be 3"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    (call.*row.tensor).dims = row.dims;
    ExpectRefused(call, row.why);
  }
}

TEST_F(PsRoiPoolChecks, DoesNotSupportStrides) {
  struct Row {
    Tensor tensor;
    std::vector<int64_t> strides;
    const char* found;
  };
  const Row rows[] = {
      {kInput, {78, 39, 13, 1}, "input has shape float[2,2,3,12] and strides [78,39,13,1]"},
      {kRois, {6, 1}, "rois has shape float[3,5] and strides [6,1]"},
      {kOutput, {24, 12, 6, 2}, "output has shape float[3,2,2,3] and strides [24,12,6,2]"},
      {kMapping, {12, 2, 1, 4}, "mapping_channel has shape int32[3,2,2,3] and strides [12,2,1,4]"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    (call.*row.tensor).strides = row.strides;
    ExpectRefused(call, std::string(row.found) + "; it must be contiguous",
                  MLUOP_STATUS_NOT_SUPPORTED);
  }
}

TEST_F(PsRoiPoolChecks, DoesNotSupportHugeTensors) {
  struct Row {
    std::vector<int64_t> input;
    int64_t rois;
    const char* found;
  };
  const Row rows[] = {
      {{1, 1 << 15, 1 << 14, 12}, 3, "input has shape float[1,32768,16384,12]"},
      {{2, 2, 3, 12}, 1 << 29, "rois has shape float[536870912,5]"},
      {{2, 2, 3, 12}, 1 << 28, "output has shape float[268435456,2,2,3]"},
      // Also with an empty input.
      {{0, 2, 3, 12}, 1 << 28, "output has shape float[268435456,2,2,3]"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    call.input.dims = row.input;
    call.rois.dims = {row.rois, 5};
    call.output.dims = call.mapping_channel.dims = {row.rois, 2, 2, 3};
    ExpectRefused(call, std::string(row.found) + "; it must have fewer than 2^31 elements",
                  MLUOP_STATUS_NOT_SUPPORTED);
  }
}

// A wrong argument and its error.
struct Refusal {
  std::function<void(CApiCall&)> change;
  const char* why;
  mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM;
};

// In the documented order of errors.
const Refusal kRefusals[] = {
    {[](CApiCall& c) { c.has_handle = false; }, "handle is NULL; it must be a valid pointer"},
    {[](CApiCall& c) { c.input.is_null = true; },
     "input_desc is NULL; it must be a tensor descriptor"},
    {[](CApiCall& c) { c.mapping_channel.is_set = false; },
     "mapping_channel_desc was never set; call mluOpSetTensorDescriptor first"},
    {[](CApiCall& c) { c.rois.dims = {15}; }, "rois has shape float[15]; it must have rank 2"},
    {[](CApiCall& c) { c.mapping_channel.dtype = MLUOP_DTYPE_UINT32; },
     "mapping_channel has type uint32; it must be int32"},
    {[](CApiCall& c) { c.mapping_channel.layout = MLUOP_LAYOUT_NCHW; },
     "mapping_channel has layout NCHW; it must be NHWC"},
    {[](CApiCall& c) { c.group_size = 0; }, "group_size is 0; it must be at least 1"},
    {[](CApiCall& c) { c.output_dim = 0; }, "output_dim is 0; it must be at least 1"},
    {[](CApiCall& c) { c.pooled_height = 3; },
     "pooled_height is 3; it must equal group_size, which is 2"},
    {[](CApiCall& c) { c.pooled_width = 4; },
     "pooled_width is 4; it must equal group_size, which is 2"},
    {[](CApiCall& c) { c.spatial_scale = 0; },
     "spatial_scale is 0; it must be a finite number above 0"},
    {[](CApiCall& c) {
       c.input.dims = {2, 2, 3, 13};
     },
     "input has shape float[2,2,3,13]; dimension 3 must be group_size squared, 4, times "
     "output_dim, 3"},
    {[](CApiCall& c) {
       c.rois.dims = {0, 4};
     },
     "rois has shape float[0,4]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"},
    {[](CApiCall& c) {
       c.rois.dims = {0, 5};
     },
     "rois has shape float[0,5]; it must not be empty"},
    {[](CApiCall& c) {
       c.output.dims = {3, 2, 3, 2};
     },
     "output has shape float[3,2,3,2]; dimension 2 must be 2"},
    {[](CApiCall& c) {
       c.mapping_channel.dims = {3, 2, 2, 4};
     },
     "mapping_channel has shape int32[3,2,2,4]; dimension 3 must be 3"},
    {[](CApiCall& c) {
       c.mapping_channel.strides = {1, 18, 9, 3};
     },
     "mapping_channel has shape int32[3,2,2,3] and strides [1,18,9,3]; it must be contiguous",
     MLUOP_STATUS_NOT_SUPPORTED},
    {[](CApiCall& c) {
       c.input.dims = {1, 1 << 15, 1 << 14, 12};
     },
     "input has shape float[1,32768,16384,12]; it must have fewer than 2^31 elements",
     MLUOP_STATUS_NOT_SUPPORTED},
    {[](CApiCall& c) { c.mapping_channel.data = nullptr; },
     "mapping_channel is NULL; it must be a valid pointer"},
    {[](CApiCall& c) {
       static const std::vector<float> rois = {0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 9, 0, 0, 0, 0};
       c.rois.data = const_cast<float*>(rois.data());
     },
     "rois[1] has batch index 2; it must be 0 to 1"},
};

// Starts with everything wrong and fixes one error after the other, in the documented order.
TEST_F(PsRoiPoolChecks, ReportsTheFirstOfSeveralErrors) {
  for (size_t first = 0; first < std::size(kRefusals); ++first) {
    CApiCall call = Example();
    // Applied in reverse: if two change the same argument, the earlier one wins.
    for (size_t i = std::size(kRefusals); i-- > first;) {
      kRefusals[i].change(call);
    }
    ExpectRefused(call, kRefusals[first].why, kRefusals[first].status);
  }
}

// An invalid batch index is found before anything is written, wherever the RoI is in the list.
TEST_F(PsRoiPoolChecks, RefusesBatchIndicesOutOfRange) {
  const std::pair<float, const char*> images[] = {
      {-1.0f, "-1"}, {2.0f, "2"}, {kNaN, "nan"}, {kInfinity, "inf"}, {1e30f, "1e+30"}};
  for (const auto& [image, found] : images) {
    for (size_t roi = 0; roi < 3; ++roi) {
      example_ = ExampleCase();
      example_.rois[roi * kRoiNumbers] = image;
      ExpectRefused(Example(), "rois[" + std::to_string(roi) + "] has batch index " + found +
                                   "; it must be 0 to 1");
    }
  }
  example_ = ExampleCase();
  example_.rois[0] = -0.5f;
  example_.rois[kRoiNumbers] = 1.5f;
  example_.rois[2 * kRoiNumbers] = 0.9f;
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  ExpectExampleResults();
}

}  // namespace
}  // namespace detops::psroipool_forward
