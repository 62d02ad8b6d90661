// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls of mluOpPsRoiPoolForward that fail: which error is reported, and with which text.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/psroipool_forward/test_calls.h"
#include "ops/psroipool_forward/test_cases.h"

namespace detops::psroipool_forward {
namespace {

class PsRoiPoolChecks : public PsRoiPoolCApiTest {
 protected:
  static constexpr Tensor kInput = &CApiCall::input;
  static constexpr Tensor kRois = &CApiCall::rois;
  static constexpr Tensor kOutput = &CApiCall::output;
  static constexpr Tensor kMapping = &CApiCall::mapping_channel;
  static constexpr NamedTensor kTensors[] = {{kInput, "input", true},
                                             {kRois, "rois", false},
                                             {kOutput, "output", true},
                                             {kMapping, "mapping_channel", true}};
};

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
  ExpectNullsAndUnsetDescriptorsRefused(kTensors);
}

TEST_F(PsRoiPoolChecks, RefusesOtherTypes) {
  ExpectEachRefused({
      WrongType(kInput, MLUOP_DTYPE_HALF, "input has type half; it must be float"),
      WrongType(kInput, MLUOP_DTYPE_INT64, "input has type int64; it must be float"),
      WrongType(kInput, MLUOP_DTYPE_INT32, "input has type int32; it must be float"),
      WrongType(kRois, MLUOP_DTYPE_HALF, "rois has type half; it must be float"),
      WrongType(kRois, MLUOP_DTYPE_INT64, "rois has type int64; it must be float"),
      WrongType(kRois, MLUOP_DTYPE_INT32, "rois has type int32; it must be float"),
      WrongType(kOutput, MLUOP_DTYPE_HALF, "output has type half; it must be float"),
      WrongType(kOutput, MLUOP_DTYPE_INT64, "output has type int64; it must be float"),
      WrongType(kOutput, MLUOP_DTYPE_INT32, "output has type int32; it must be float"),
      WrongType(kMapping, MLUOP_DTYPE_HALF, "mapping_channel has type half; it must be int32"),
      WrongType(kMapping, MLUOP_DTYPE_INT64, "mapping_channel has type int64; it must be int32"),
      WrongType(kMapping, MLUOP_DTYPE_FLOAT, "mapping_channel has type float; it must be int32"),
  });
}

TEST_F(PsRoiPoolChecks, RefusesOtherLayouts) { ExpectOtherLayoutsRefused(kTensors); }

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
  ExpectEachRefused({
      WrongShape(kInput, {12, 12}, "input has shape float[12,12]; it must have rank 4"),
      WrongShape(kInput, {1, 2, 2, 3, 12},
                 "input has shape float[1,2,2,3,12]; it must have rank 4"),
      WrongShape(kRois, {15}, "rois has shape float[15]; it must have rank 2"),
      WrongShape(kRois, {1, 3, 5}, "rois has shape float[1,3,5]; it must have rank 2"),
      WrongShape(kOutput, {36}, "output has shape float[36]; it must have rank 4"),
      WrongShape(kMapping, {3, 4, 3},
                 "mapping_channel has shape int32[3,4,3]; it must have rank 4"),
      // Channels.
      WrongShape(
          kInput, {2, 2, 3, 13},
          "input has shape float[2,2,3,13]; dimension 3 must be group_size squared, 4, times "
          "output_dim, 3"),
      WrongShape(
          kInput, {2, 2, 3, 16},
          "input has shape float[2,2,3,16]; dimension 3 must be group_size squared, 4, times "
          "output_dim, 3"),
      WrongShape(kInput, {2, 2, 3, 0},
                 "input has shape float[2,2,3,0]; dimension 3 must be group_size squared, 4, times "
                 "output_dim, 3"),
      WrongShape(
          kInput, {2, 12, 2, 3},
          "input has shape float[2,12,2,3]; dimension 3 must be group_size squared, 4, times "
          "output_dim, 3"),
      // RoIs.
      WrongShape(kRois, {3, 4},
                 "rois has shape float[3,4]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"),
      WrongShape(kRois, {3, 6},
                 "rois has shape float[3,6]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"),
      WrongShape(kRois, {3, 0},
                 "rois has shape float[3,0]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"),
      WrongShape(kRois, {0, 5}, "rois has shape float[0,5]; it must not be empty"),
      WrongShape(kRois, {4, 5}, "output has shape float[3,2,2,3]; dimension 0 must be 4"),
      // Results.
      WrongShape(kOutput, {4, 2, 2, 3}, "output has shape float[4,2,2,3]; dimension 0 must be 3"),
      WrongShape(kOutput, {3, 1, 2, 3}, "output has shape float[3,1,2,3]; dimension 1 must be 2"),
      WrongShape(kOutput, {3, 2, 3, 2}, "output has shape float[3,2,3,2]; dimension 2 must be 2"),
      WrongShape(kOutput, {3, 2, 2, 2}, "output has shape float[3,2,2,2]; dimension 3 must be 3"),
      WrongShape(kOutput, {3, 2, 2, 0}, "output has shape float[3,2,2,0]; dimension 3 must be 3"),
      WrongShape(kMapping, {0, 2, 2, 3},
                 "mapping_channel has shape int32[0,2,2,3]; dimension 0 must be 3"),
      WrongShape(kMapping, {3, 3, 2, 2},
                 "mapping_channel has shape int32[3,3,2,2]; dimension 1 must be 2"),
      WrongShape(kMapping, {3, 2, 1, 6},
                 "mapping_channel has shape int32[3,2,1,6]; dimension 2 must be 2"),
      WrongShape(kMapping, {3, 2, 2, 4},
                 "mapping_channel has shape int32[3,2,2,4]; dimension 3 must be 3"),
  });
}

TEST_F(PsRoiPoolChecks, DoesNotSupportStrides) {
  ExpectEachRefused({
      Strided(kInput, {78, 39, 13, 1}, "input has shape float[2,2,3,12] and strides [78,39,13,1]"),
      Strided(kRois, {6, 1}, "rois has shape float[3,5] and strides [6,1]"),
      Strided(kOutput, {24, 12, 6, 2}, "output has shape float[3,2,2,3] and strides [24,12,6,2]"),
      Strided(kMapping, {12, 2, 1, 4},
              "mapping_channel has shape int32[3,2,2,3] and strides [12,2,1,4]"),
  });
}

TEST_F(PsRoiPoolChecks, DoesNotSupportHugeTensors) {
  const auto sized = [](const std::vector<int64_t>& input, int64_t rois) {
    return [=](CApiCall& call) {
      call.input.dims = input;
      call.rois.dims = {rois, 5};
      call.output.dims = call.mapping_channel.dims = {rois, 2, 2, 3};
    };
  };
  ExpectEachRefused({
      TooLarge(sized({1, 1 << 15, 1 << 14, 12}, 3), "input has shape float[1,32768,16384,12]"),
      TooLarge(sized({2, 2, 3, 12}, 1 << 29), "rois has shape float[536870912,5]"),
      TooLarge(sized({2, 2, 3, 12}, 1 << 28), "output has shape float[268435456,2,2,3]"),
      // Also with an empty input.
      TooLarge(sized({0, 2, 3, 12}, 1 << 28), "output has shape float[268435456,2,2,3]"),
  });
}

// In the documented order of errors.
TEST_F(PsRoiPoolChecks, ReportsTheFirstOfSeveralErrors) {
  ExpectFirstReported({
      {[](CApiCall& c) { c.has_handle = false; }, "handle is NULL; it must be a valid pointer"},
      {[](CApiCall& c) { c.input.is_null = true; },
       "input_desc is NULL; it must be a tensor descriptor"},
      {[](CApiCall& c) { c.mapping_channel.is_set = false; },
       "mapping_channel_desc was never set; call mluOpSetTensorDescriptor first"},
      WrongShape(&CApiCall::rois, {15}, "rois has shape float[15]; it must have rank 2"),
      WrongType(&CApiCall::mapping_channel, MLUOP_DTYPE_UINT32,
                "mapping_channel has type uint32; it must be int32"),
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
      WrongShape(
          &CApiCall::input, {2, 2, 3, 13},
          "input has shape float[2,2,3,13]; dimension 3 must be group_size squared, 4, times "
          "output_dim, 3"),
      WrongShape(&CApiCall::rois, {0, 4},
                 "rois has shape float[0,4]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"),
      WrongShape(&CApiCall::rois, {0, 5}, "rois has shape float[0,5]; it must not be empty"),
      WrongShape(&CApiCall::output, {3, 2, 3, 2},
                 "output has shape float[3,2,3,2]; dimension 2 must be 2"),
      WrongShape(&CApiCall::mapping_channel, {3, 2, 2, 4},
                 "mapping_channel has shape int32[3,2,2,4]; dimension 3 must be 3"),
      Strided(&CApiCall::mapping_channel, {1, 18, 9, 3},
              "mapping_channel has shape int32[3,2,2,3] and strides [1,18,9,3]"),
      TooLarge(
          [](CApiCall& c) {
            c.input.dims = {1, 1 << 15, 1 << 14, 12};
          },
          "input has shape float[1,32768,16384,12]"),
      {[](CApiCall& c) { c.mapping_channel.data = nullptr; },
       "mapping_channel is NULL; it must be a valid pointer"},
      {[](CApiCall& c) {
         static const std::vector<float> rois = {0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 9, 0, 0, 0, 0};
         c.rois.data = const_cast<float*>(rois.data());
       },
       "rois[1] has batch index 2; it must be 0 to 1"},
  });
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
