// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Invalid calls of mluOpBorderAlignForward: status, message, and that nothing is written.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "ops/border_align_forward/test_calls.h"

namespace detops::border_align_forward {
namespace {

class BorderAlignForwardChecks : public BorderAlignCApiTest {
 protected:
  static constexpr Tensor kInput = &CApiCall::input;
  static constexpr Tensor kBoxes = &CApiCall::boxes;
  static constexpr Tensor kOutput = &CApiCall::output;
  static constexpr Tensor kArgmax = &CApiCall::argmax_idx;
  static constexpr NamedTensor kTensors[] = {{kInput, "input", true},
                                             {kBoxes, "boxes", false},
                                             {kOutput, "output", true},
                                             {kArgmax, "argmax_idx", true}};
};

TEST_F(BorderAlignForwardChecks, RejectTheInvalidShapesOfTheDesignDocument) {
  struct Row {
    std::vector<int64_t> input, boxes;
    int32_t pool_size;
    const char* why;
  };
  const Row rows[] = {
      {{10, 8, 10, 410},
       {3, 80, 4},
       2,
       "input has shape float[10,8,10,410]; dimension 3 must be a multiple of 4"},
      {{10, 8, 100, 8}, {3, 800, 4}, 1, "boxes has shape float[3,800,4]; dimension 0 must be 10"},
      {{3, 1, 2, 1, 256}, {3, 5, 4}, 5, "input has shape float[3,1,2,1,256]; it must have rank 4"},
      {{3, 9, 2, 10},
       {3, 4},
       10,
       "input has shape float[3,9,2,10]; dimension 3 must be a multiple of 4"},
      {{3, 1, 0, 1}, {13, 5, 3}, 6, "input has shape float[3,1,0,1]; it must not be empty"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    call.input.dims = row.input;
    call.boxes.dims = row.boxes;
    call.pool_size = row.pool_size;
    ExpectRefused(call, row.why);
  }
}

TEST_F(BorderAlignForwardChecks, RejectNullAndUnsetDescriptors) {
  ExpectNullsAndUnsetDescriptorsRefused(kTensors);
}

TEST_F(BorderAlignForwardChecks, RejectOtherTypes) {
  ExpectEachRefused({
      WrongType(kInput, MLUOP_DTYPE_INT32, "input has type int32; it must be float or half"),
      WrongType(kInput, MLUOP_DTYPE_BFLOAT16, "input has type bfloat16; it must be float or half"),
      WrongType(kInput, MLUOP_DTYPE_HALF, "boxes has type float; it must be half"),
      WrongType(kBoxes, MLUOP_DTYPE_HALF, "boxes has type half; it must be float"),
      WrongType(kOutput, MLUOP_DTYPE_HALF, "output has type half; it must be float"),
      WrongType(kArgmax, MLUOP_DTYPE_FLOAT, "argmax_idx has type float; it must be int32"),
      WrongType(kArgmax, MLUOP_DTYPE_INT64, "argmax_idx has type int64; it must be int32"),
  });
}

TEST_F(BorderAlignForwardChecks, RejectOtherLayouts) { ExpectOtherLayoutsRefused(kTensors); }

TEST_F(BorderAlignForwardChecks, RejectPoolSizesBelowOne) {
  for (const int32_t pool_size : {0, -1, std::numeric_limits<int32_t>::min()}) {
    CApiCall call = Example();
    call.pool_size = pool_size;
    ExpectRefused(call, "pool_size is " + std::to_string(pool_size) + "; it must be at least 1");
  }
}

TEST_F(BorderAlignForwardChecks, RejectWrongShapes) {
  ExpectEachRefused({
      WrongShape(kInput, {12, 4}, "input has shape float[12,4]; it must have rank 4"),
      WrongShape(kBoxes, {1, 48}, "boxes has shape float[1,48]; it must have rank 3"),
      WrongShape(kOutput, {48}, "output has shape float[48]; it must have rank 4"),
      WrongShape(kArgmax, {48}, "argmax_idx has shape int32[48]; it must have rank 4"),
      // No elements.
      WrongShape(kInput, {0, 3, 4, 4}, "input has shape float[0,3,4,4]; it must not be empty"),
      WrongShape(kInput, {1, 3, 4, 0}, "input has shape float[1,3,4,0]; it must not be empty"),
      WrongShape(kBoxes, {1, 0, 4}, "boxes has shape float[1,0,4]; it must not be empty"),
      WrongShape(kOutput, {1, 12, 4, 0}, "output has shape float[1,12,4,0]; it must not be empty"),
      WrongShape(kArgmax, {1, 0, 4, 1},
                 "argmax_idx has shape int32[1,0,4,1]; it must not be empty"),
      // Dimensions that contradict each other.
      WrongShape(kInput, {1, 3, 4, 6},
                 "input has shape float[1,3,4,6]; dimension 3 must be a multiple of 4"),
      WrongShape(kInput, {2, 3, 4, 4}, "boxes has shape float[1,12,4]; dimension 0 must be 2"),
      WrongShape(kBoxes, {1, 12, 5},
                 "boxes has shape float[1,12,5]; dimension 2 must be 4 (x1, y1, x2, y2)"),
      WrongShape(kOutput, {2, 12, 4, 1}, "output has shape float[2,12,4,1]; dimension 0 must be 1"),
      WrongShape(kOutput, {1, 11, 4, 1},
                 "output has shape float[1,11,4,1]; dimension 1 must be 12"),
      WrongShape(kOutput, {1, 12, 1, 4}, "output has shape float[1,12,1,4]; dimension 2 must be 4"),
      WrongShape(kInput, {1, 3, 4, 8}, "output has shape float[1,12,4,1]; dimension 3 must be 2"),
      WrongShape(kArgmax, {1, 12, 4, 2},
                 "argmax_idx has shape int32[1,12,4,2]; dimension 3 must be 1"),
  });
}

TEST_F(BorderAlignForwardChecks, DoNotSupportStrides) {
  ExpectEachRefused({
      Strided(kInput, {60, 20, 5, 1}, "input has shape float[1,3,4,4] and strides [60,20,5,1]"),
      Strided(kBoxes, {48, 1, 12}, "boxes has shape float[1,12,4] and strides [48,1,12]"),
      Strided(kOutput, {96, 8, 2, 1}, "output has shape float[1,12,4,1] and strides [96,8,2,1]"),
      Strided(kArgmax, {48, 1, 12, 1},
              "argmax_idx has shape int32[1,12,4,1] and strides [48,1,12,1]"),
  });
}

TEST_F(BorderAlignForwardChecks, DoNotSupportHugeTensors) {
  const auto sized = [](const std::vector<int64_t>& input, const std::vector<int64_t>& boxes,
                        const std::vector<int64_t>& results) {
    return [=](CApiCall& call) {
      call.input.dims = input;
      call.boxes.dims = boxes;
      call.output.dims = call.argmax_idx.dims = results;
    };
  };
  ExpectEachRefused({
      TooLarge(sized({1, 1 << 15, 1 << 14, 4}, {1, 12, 4}, {1, 12, 4, 1}),
               "input has shape float[1,32768,16384,4]"),
      TooLarge(sized({1, 3, 4, 4}, {1, 1 << 29, 4}, {1, 1 << 29, 4, 1}),
               "boxes has shape float[1,536870912,4]"),
      TooLarge(sized({1, 1, 1, 1 << 16}, {1, 1 << 15, 4}, {1, 1 << 15, 4, 1 << 14}),
               "output has shape float[1,32768,4,16384]"),
  });
}

// In the order in which README.md lists the checks.
TEST_F(BorderAlignForwardChecks, ReportTheFirstOfSeveralErrors) {
  ExpectFirstReported({
      {[](CApiCall& c) { c.has_handle = false; }, "handle is NULL; it must be a valid pointer"},
      {[](CApiCall& c) { c.argmax_idx.is_set = false; },
       "argmax_idx_desc was never set; call mluOpSetTensorDescriptor first"},
      WrongType(&CApiCall::argmax_idx, MLUOP_DTYPE_FLOAT,
                "argmax_idx has type float; it must be int32"),
      {[](CApiCall& c) { c.input.layout = MLUOP_LAYOUT_NCHW; },
       "input has layout NCHW; it must be NHWC"},
      {[](CApiCall& c) { c.pool_size = 0; }, "pool_size is 0; it must be at least 1"},
      WrongShape(&CApiCall::input, {12, 4}, "input has shape float[12,4]; it must have rank 4"),
      WrongShape(&CApiCall::argmax_idx, {1, 12, 4, 0},
                 "argmax_idx has shape int32[1,12,4,0]; it must not be empty"),
      WrongShape(&CApiCall::input, {1, 3, 4, 6},
                 "input has shape float[1,3,4,6]; dimension 3 must be a multiple of 4"),
      WrongShape(&CApiCall::boxes, {12, 4}, "boxes has shape float[12,4]; it must have rank 3"),
      WrongShape(&CApiCall::boxes, {2, 12, 3},
                 "boxes has shape float[2,12,3]; dimension 0 must be 1"),
      WrongShape(&CApiCall::output, {1, 12, 5, 1},
                 "output has shape float[1,12,5,1]; dimension 2 must be 4"),
      Strided(&CApiCall::argmax_idx, {48, 1, 12, 1},
              "argmax_idx has shape int32[1,12,4,1] and strides [48,1,12,1]"),
      TooLarge(
          [](CApiCall& c) {
            c.input.dims = {1, 1 << 15, 1 << 14, 4};
          },
          "input has shape float[1,32768,16384,4]"),
      {[](CApiCall& c) { c.output.data = nullptr; }, "output is NULL; it must be a valid pointer"},
  });
}

}  // namespace
}  // namespace detops::border_align_forward
