// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Invalid calls of mluOpBorderAlignForward: status, message, and that nothing is written.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/border_align_forward/test_calls.h"

namespace detops::border_align_forward {
namespace {

class BorderAlignForwardChecks : public BorderAlignCApiTest {};

using Tensor = TensorArgument CApiCall::*;
constexpr Tensor kInput = &CApiCall::input;
constexpr Tensor kBoxes = &CApiCall::boxes;
constexpr Tensor kOutput = &CApiCall::output;
constexpr Tensor kArgmax = &CApiCall::argmax_idx;

// The tensors and their names in messages.
constexpr std::pair<Tensor, const char*> kTensors[] = {
    {kInput, "input"}, {kBoxes, "boxes"}, {kOutput, "output"}, {kArgmax, "argmax_idx"}};

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

TEST_F(BorderAlignForwardChecks, RejectOtherTypes) {
  struct Row {
    Tensor tensor;
    mluOpDataType_t dtype;
    const char* why;
  };
  const Row rows[] = {
      {kInput, MLUOP_DTYPE_INT32, "input has type int32; it must be float or half"},
      {kInput, MLUOP_DTYPE_BFLOAT16, "input has type bfloat16; it must be float or half"},
      {kInput, MLUOP_DTYPE_HALF, "boxes has type float; it must be half"},
      {kBoxes, MLUOP_DTYPE_HALF, "boxes has type half; it must be float"},
      {kOutput, MLUOP_DTYPE_HALF, "output has type half; it must be float"},
      {kArgmax, MLUOP_DTYPE_FLOAT, "argmax_idx has type float; it must be int32"},
      {kArgmax, MLUOP_DTYPE_INT64, "argmax_idx has type int64; it must be int32"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    (call.*row.tensor).dtype = row.dtype;
    ExpectRefused(call, row.why);
  }
}

TEST_F(BorderAlignForwardChecks, RejectOtherLayouts) {
  for (const auto& [tensor, name] : kTensors) {
    if (tensor != kBoxes) {
      CApiCall call = Example();
      (call.*tensor).layout = MLUOP_LAYOUT_NCHW;
      ExpectRefused(call, std::string(name) + " has layout NCHW; it must be NHWC");
      (call.*tensor).layout = MLUOP_LAYOUT_ARRAY;
      ExpectRefused(call, std::string(name) + " has layout ARRAY; it must be NHWC");
    }
  }
}

TEST_F(BorderAlignForwardChecks, RejectPoolSizesBelowOne) {
  for (const int32_t pool_size : {0, -1, std::numeric_limits<int32_t>::min()}) {
    CApiCall call = Example();
    call.pool_size = pool_size;
    ExpectRefused(call, "pool_size is " + std::to_string(pool_size) + "; it must be at least 1");
  }
}

TEST_F(BorderAlignForwardChecks, RejectWrongShapes) {
  struct Row {
    Tensor tensor;
    std::vector<int64_t> dims;
    const char* why;
  };
  const Row rows[] = {
      {kInput, {12, 4}, "input has shape float[12,4]; it must have rank 4"},
      {kBoxes, {1, 48}, "boxes has shape float[1,48]; it must have rank 3"},
      {kOutput, {48}, "output has shape float[48]; it must have rank 4"},
      {kArgmax, {48}, "argmax_idx has shape int32[48]; it must have rank 4"},
      // No elements.
      {kInput, {0, 3, 4, 4}, "input has shape float[0,3,4,4]; it must not be empty"},
      {kInput, {1, 3, 4, 0}, "input has shape float[1,3,4,0]; it must not be empty"},
      {kBoxes, {1, 0, 4}, "boxes has shape float[1,0,4]; it must not be empty"},
      {kOutput, {1, 12, 4, 0}, "output has shape float[1,12,4,0]; it must not be empty"},
      {kArgmax, {1, 0, 4, 1}, "argmax_idx has shape int32[1,0,4,1]; it must not be empty"},
      // Dimensions that contradict each other.
      {kInput, {1, 3, 4, 6}, "input has shape float[1,3,4,6]; dimension 3 must be a multiple of 4"},
      {kInput, {2, 3, 4, 4}, "boxes has shape float[1,12,4]; dimension 0 must be 2"},
      {kBoxes, {1, 12, 5}, "boxes has shape float[1,12,5]; dimension 2 must be 4 (x1, y1, x2, y2)"},
      {kOutput, {2, 12, 4, 1}, "output has shape float[2,12,4,1]; dimension 0 must be 1"},
      {kOutput, {1, 11, 4, 1}, "output has shape float[1,11,4,1]; dimension 1 must be 12"},
      {kOutput, {1, 12, 1, 4}, "output has shape float[1,12,1,4]; dimension 2 must be 4"},
      {kInput, {1, 3, 4, 8}, "output has shape float[1,12,4,1]; dimension 3 must be 2"},
      {kArgmax, {1, 12, 4, 2}, "argmax_idx has shape int32[1,12,4,2]; dimension 3 must be 1"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    (call.*row.tensor).dims = row.dims;
    ExpectRefused(call, row.why);
  }
}

TEST_F(BorderAlignForwardChecks, DoNotSupportStrides) {
  struct Row {
    Tensor tensor;
    std::vector<int64_t> strides;
    const char* found;
  };
  const Row rows[] = {
      {kInput, {60, 20, 5, 1}, "input has shape float[1,3,4,4] and strides [60,20,5,1]"},
      {kBoxes, {48, 1, 12}, "boxes has shape float[1,12,4] and strides [48,1,12]"},
      {kOutput, {96, 8, 2, 1}, "output has shape float[1,12,4,1] and strides [96,8,2,1]"},
      {kArgmax, {48, 1, 12, 1}, "argmax_idx has shape int32[1,12,4,1] and strides [48,1,12,1]"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    (call.*row.tensor).strides = row.strides;
    ExpectRefused(call, std::string(row.found) + "; it must be contiguous",
                  MLUOP_STATUS_NOT_SUPPORTED);
  }
}

TEST_F(BorderAlignForwardChecks, DoNotSupportHugeTensors) {
  struct Row {
    std::vector<int64_t> input, boxes, results;
    const char* found;
  };
  const Row rows[] = {
      {{1, 1 << 15, 1 << 14, 4},
       {1, 12, 4},
       {1, 12, 4, 1},
       "input has shape float[1,32768,16384,4]"},
      {{1, 3, 4, 4}, {1, 1 << 29, 4}, {1, 1 << 29, 4, 1}, "boxes has shape float[1,536870912,4]"},
      {{1, 1, 1, 1 << 16},
       {1, 1 << 15, 4},
       {1, 1 << 15, 4, 1 << 14},
       "output has shape float[1,32768,4,16384]"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    call.input.dims = row.input;
    call.boxes.dims = row.boxes;
    call.output.dims = call.argmax_idx.dims = row.results;
    ExpectRefused(call, std::string(row.found) + "; it must have fewer than 2^31 elements",
                  MLUOP_STATUS_NOT_SUPPORTED);
  }
}

// Starts with a call in which everything is wrong, and corrects one error after the other in the
// order in which README.md lists them.
TEST_F(BorderAlignForwardChecks, ReportTheFirstOfSeveralErrors) {
  struct Refusal {
    std::function<void(CApiCall&)> change;
    const char* why;
    mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM;
  };
  const Refusal refusals[] = {
      {[](CApiCall& c) { c.has_handle = false; }, "handle is NULL; it must be a valid pointer"},
      {[](CApiCall& c) { c.argmax_idx.is_set = false; },
       "argmax_idx_desc was never set; call mluOpSetTensorDescriptor first"},
      {[](CApiCall& c) { c.argmax_idx.dtype = MLUOP_DTYPE_FLOAT; },
       "argmax_idx has type float; it must be int32"},
      {[](CApiCall& c) { c.input.layout = MLUOP_LAYOUT_NCHW; },
       "input has layout NCHW; it must be NHWC"},
      {[](CApiCall& c) { c.pool_size = 0; }, "pool_size is 0; it must be at least 1"},
      {[](CApiCall& c) {
         c.input.dims = {12, 4};
       },
       "input has shape float[12,4]; it must have rank 4"},
      {[](CApiCall& c) {
         c.argmax_idx.dims = {1, 12, 4, 0};
       },
       "argmax_idx has shape int32[1,12,4,0]; it must not be empty"},
      {[](CApiCall& c) {
         c.input.dims = {1, 3, 4, 6};
       },
       "input has shape float[1,3,4,6]; dimension 3 must be a multiple of 4"},
      {[](CApiCall& c) {
         c.boxes.dims = {12, 4};
       },
       "boxes has shape float[12,4]; it must have rank 3"},
      {[](CApiCall& c) {
         c.boxes.dims = {2, 12, 3};
       },
       "boxes has shape float[2,12,3]; dimension 0 must be 1"},
      {[](CApiCall& c) {
         c.output.dims = {1, 12, 5, 1};
       },
       "output has shape float[1,12,5,1]; dimension 2 must be 4"},
      {[](CApiCall& c) {
         c.argmax_idx.strides = {48, 1, 12, 1};
       },
       "argmax_idx has shape int32[1,12,4,1] and strides [48,1,12,1]; it must be contiguous",
       MLUOP_STATUS_NOT_SUPPORTED},
      {[](CApiCall& c) {
         c.input.dims = {1, 1 << 15, 1 << 14, 4};
       },
       "input has shape float[1,32768,16384,4]; it must have fewer than 2^31 elements",
       MLUOP_STATUS_NOT_SUPPORTED},
      {[](CApiCall& c) { c.output.data = nullptr; }, "output is NULL; it must be a valid pointer"},
  };
  for (size_t first = 0; first < std::size(refusals); ++first) {
    CApiCall call = Example();
    // If two errors change the same member, the earlier one must win: apply it last.
    for (size_t i = std::size(refusals); i-- > first;) {
      refusals[i].change(call);
    }
    ExpectRefused(call, refusals[first].why, refusals[first].status);
  }
}

}  // namespace
}  // namespace detops::border_align_forward
