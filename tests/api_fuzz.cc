// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Random sequences of calls of the core and runtime API with random arguments. A call that is
// refused must say why and change nothing; what is accepted must come back from the getters.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mlu_op.h"
#include "testing/fuzz_bytes.h"

namespace {

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "api_fuzz: %s (last error: %s)\n", what, detopsGetLastError());
    std::abort();
  }
}

struct Shape {
  mluOpTensorLayout_t layout;
  mluOpDataType_t dtype;
  int rank;
  int64_t dims[MLUOP_DIM_MAX];
  int64_t strides[MLUOP_DIM_MAX];
};

bool operator==(const Shape& a, const Shape& b) {
  return a.layout == b.layout && a.dtype == b.dtype && a.rank == b.rank &&
         std::equal(a.dims, a.dims + a.rank, b.dims) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

Shape Read(mluOpTensorDescriptor_t desc) {
  Shape shape{};
  Require(mluOpGetTensorDescriptorEx_v2(desc, &shape.layout, &shape.dtype, &shape.rank, shape.dims,
                                        shape.strides) == MLUOP_STATUS_SUCCESS,
          "a descriptor cannot be read");
  return shape;
}

// Dimensions are small, huge or negative, so that every kind of outcome is near.
int64_t TakeDimension(detops::FuzzBytes& bytes) {
  const int64_t value = bytes.Take<int64_t>();
  switch (bytes.TakeInRange(0, 3)) {
    case 0:
      return value;
    case 1:
      return value & 0x7FFFFFFF;
    default:
      return value & 0xF;
  }
}

void SetDescriptor(detops::FuzzBytes& bytes, mluOpTensorDescriptor_t desc) {
  const Shape before = Read(desc);
  const auto layout = static_cast<mluOpTensorLayout_t>(bytes.TakeInRange(-1, 12));
  const auto dtype = static_cast<mluOpDataType_t>(bytes.TakeInRange(-1, 19));
  const int rank = bytes.TakeInRange(-1, MLUOP_DIM_MAX + 1);
  int64_t dims[MLUOP_DIM_MAX + 1];
  int64_t strides[MLUOP_DIM_MAX + 1];
  for (int i = 0; i < rank; ++i) {
    dims[i] = TakeDimension(bytes);
    strides[i] = bytes.Take<int64_t>();
  }
  const int kind = bytes.TakeInRange(0, 2);
  const mluOpStatus_t status =
      kind == 0   ? mluOpSetTensorDescriptor_v2(desc, layout, dtype, rank, dims)
      : kind == 1 ? mluOpSetTensorDescriptorEx_v2(desc, layout, dtype, rank, dims, strides)
                  : mluOpSetTensorDescriptorDim_v2(desc, rank, dims);
  const Shape after = Read(desc);
  if (status != MLUOP_STATUS_SUCCESS) {
    Require(status == MLUOP_STATUS_BAD_PARAM, "a refusal is not BAD_PARAM");
    Require(detopsGetLastError()[0] != '\0', "a refusal without a reason");
    Require(before == after, "a refusal changed the descriptor");
    return;
  }
  Require(after.rank == rank &&
              std::memcmp(after.dims, dims, sizeof(dims[0]) * static_cast<size_t>(rank)) == 0,
          "the dimensions did not come back");
  if (kind == 1) {
    Require(
        std::memcmp(after.strides, strides, sizeof(strides[0]) * static_cast<size_t>(rank)) == 0,
        "the strides did not come back");
  }
  if (kind != 2) {
    Require(after.layout == layout && after.dtype == dtype, "layout or type did not come back");
  }
  int narrow[MLUOP_DIM_MAX];
  mluOpTensorLayout_t narrow_layout;
  mluOpDataType_t narrow_dtype;
  int narrow_rank;
  if (mluOpGetTensorDescriptor(desc, &narrow_layout, &narrow_dtype, &narrow_rank, narrow) ==
      MLUOP_STATUS_SUCCESS) {
    for (int i = 0; i < rank; ++i) {
      Require(narrow[i] == dims[i], "a dimension was cut");
    }
  }
}

// A few jobs on a queue, which may be destroyed before they ran.
void UseQueue(detops::FuzzBytes& bytes, cnrtNotifier_t notifier) {
  cnrtQueue_t queue = nullptr;
  Require(cnrtQueueCreate(&queue) == cnrtSuccess, "no queue");
  uint64_t values[8] = {bytes.Take<uint64_t>()};
  const int copies = bytes.TakeInRange(0, 7);
  for (int i = 0; i < copies; ++i) {
    const auto direction = static_cast<cnrtMemTransDir_t>(i % 4);
    Require(cnrtMemcpyAsync(&values[i + 1 < 8 ? i + 1 : 7], &values[i], sizeof(uint64_t), queue,
                            direction) == cnrtSuccess,
            "a copy was refused");
  }
  if (bytes.TakeInRange(0, 1) == 1) {
    Require(cnrtPlaceNotifier(notifier, queue) == cnrtSuccess, "a notifier could not be placed");
  }
  Require(cnrtQueueDestroy(queue) == cnrtSuccess, "a queue failed");
  Require(values[copies] == values[0], "a copy was lost");
  Require(cnrtQueryNotifier(notifier) == cnrtSuccess, "a notifier was not reached");
}

void UseHandle(detops::FuzzBytes& bytes, mluOpHandle_t handle) {
  const int threads = bytes.Take<int16_t>();
  int got = 0;
  if (detopsSetThreads(handle, threads) == MLUOP_STATUS_SUCCESS && threads != 0) {
    Require(detopsGetThreads(handle, &got) == MLUOP_STATUS_SUCCESS && got == threads,
            "threads did not come back");
  }
  const auto mode = static_cast<mluOpQuantizeRoundMode_t>(bytes.TakeInRange(-1, 4));
  mluOpQuantizeRoundMode_t got_mode;
  if (mluOpSetQuantizeRoundMode(handle, mode) == MLUOP_STATUS_SUCCESS) {
    Require(
        mluOpGetQuantizeRoundMode(handle, &got_mode) == MLUOP_STATUS_SUCCESS && got_mode == mode,
        "the round mode did not come back");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops::FuzzBytes bytes(data, size);
  mluOpHandle_t handle = nullptr;
  mluOpTensorDescriptor_t desc = nullptr;
  cnrtNotifier_t notifier = nullptr;
  Require(mluOpCreate(&handle) == MLUOP_STATUS_SUCCESS &&
              mluOpCreateTensorDescriptor(&desc) == MLUOP_STATUS_SUCCESS &&
              cnrtNotifierCreate(&notifier) == cnrtSuccess,
          "something could not be created");
  while (!bytes.empty()) {
    switch (bytes.TakeInRange(0, 15)) {
      case 0:
        UseQueue(bytes, notifier);
        break;
      case 1:
        UseHandle(bytes, handle);
        break;
      case 2:
        Require(mluOpResetTensorDescriptor(desc) == MLUOP_STATUS_SUCCESS, "reset was refused");
        break;
      default:
        SetDescriptor(bytes, desc);
    }
  }
  Require(cnrtNotifierDestroy(notifier) == cnrtSuccess &&
              mluOpDestroyTensorDescriptor(desc) == MLUOP_STATUS_SUCCESS &&
              mluOpDestroy(handle) == MLUOP_STATUS_SUCCESS,
          "something could not be destroyed");
  return 0;
}
