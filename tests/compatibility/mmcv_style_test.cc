// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A program in the manner of mmcv's operators for MLU: it wraps handles and descriptors in classes,
// translates its own types to those of MLU-OPS, and checks the version. It uses enumerations that
// no function of detops uses.

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "cn_api.h"
#include "cnrt.h"
#include "mlu_op.h"

#if MLUOP_VERSION < 1000 || !defined(MLUOP_MINOR) || !defined(MLUOP_PATCHLEVEL)
#error "the operators need MLU-OPS 1.0"
#endif

namespace {

void Check(mluOpStatus_t status) {
  if (status != MLUOP_STATUS_SUCCESS) {
    throw std::runtime_error(mluOpGetErrorString(status));
  }
}

enum class Reduce { kSum, kMean, kMax };

mluOpReduceMode_t ReduceModeOf(Reduce reduce) {
  static const std::map<Reduce, mluOpReduceMode_t> kModes = {{Reduce::kSum, MLUOP_REDUCE_DSUM},
                                                             {Reduce::kMean, MLUOP_REDUCE_DMEAN},
                                                             {Reduce::kMax, MLUOP_REDUCE_DMAX}};
  return kModes.at(reduce);
}

mluOpDataType_t DataTypeOf(const std::string& name) {
  static const std::map<std::string, mluOpDataType_t> kTypes = {
      {"Half", MLUOP_DTYPE_HALF},   {"float", MLUOP_DTYPE_FLOAT}, {"double", MLUOP_DTYPE_DOUBLE},
      {"int", MLUOP_DTYPE_INT32},   {"long", MLUOP_DTYPE_INT64},  {"int8", MLUOP_DTYPE_INT8},
      {"uint8", MLUOP_DTYPE_UINT8}, {"bool", MLUOP_DTYPE_BOOL}};
  return kTypes.at(name);
}

class Descriptor {
 public:
  Descriptor() { Check(mluOpCreateTensorDescriptor(&desc_)); }
  ~Descriptor() { mluOpDestroyTensorDescriptor(desc_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void Set(const std::string& type, const std::vector<int>& dims) {
    Check(mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_ARRAY, DataTypeOf(type),
                                   static_cast<int>(dims.size()), dims.data()));
  }
  mluOpTensorDescriptor_t desc() const { return desc_; }

 private:
  mluOpTensorDescriptor_t desc_ = nullptr;
};

class Handle {
 public:
  Handle() { Check(mluOpCreate(&handle_)); }
  ~Handle() { mluOpDestroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  mluOpHandle_t WithQueue(cnrtQueue_t queue) {
    Check(mluOpSetQueue(handle_, queue));
    return handle_;
  }

 private:
  mluOpHandle_t handle_ = nullptr;
};

TEST(MmcvStyle, CallsAnOperatorOnAQueue) {
  const std::vector<float> first = {0, 0, 2, 2};
  const std::vector<float> second = {0, 0, 2, 2, 1, 0, 3, 2};
  std::vector<float> ious(2, -1.0f);
  CNqueue queue = nullptr;
  ASSERT_EQ(CNRT_RET_SUCCESS, cnrtQueueCreate(&queue));
  {
    Handle handle;
    Descriptor first_desc;
    Descriptor second_desc;
    Descriptor ious_desc;
    first_desc.Set("float", {1, 4});
    second_desc.Set("float", {2, 4});
    ious_desc.Set("float", {1, 2});
    Check(mluOpBboxOverlaps(handle.WithQueue(queue), 0, false, 0, first_desc.desc(), first.data(),
                            second_desc.desc(), second.data(), ious_desc.desc(), ious.data()));
  }
  ASSERT_EQ(CNRT_RET_SUCCESS, cnrtQueueSync(queue));
  EXPECT_EQ(ious, (std::vector<float>{1, 1.0f / 3}));
  EXPECT_EQ(CNRT_RET_SUCCESS, cnrtQueueDestroy(queue));
}

TEST(MmcvStyle, MentionsTypesThatNoFunctionUses) {
  EXPECT_EQ(ReduceModeOf(Reduce::kMax), MLUOP_REDUCE_DMAX);
  const CNdev device = 0;
  const CNcontext context = nullptr;
  const CNresult result = CN_SUCCESS;
  const mluOpNanPropagation_t propagation = MLUOP_PROPAGATE_NAN;
  const mluOpPoolingMode_t pooling = MLUOP_POOLING_MAX;
  EXPECT_EQ(device, 0);
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(propagation, 1);
  EXPECT_EQ(pooling, 0);
}

}  // namespace
