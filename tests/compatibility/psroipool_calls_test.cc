// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// mluOpPsRoiPoolForward can be called with 14 and with 16 arguments, in C99 and in C++17.

#include "tests/compatibility/psroipool_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "testing/log_capture.h"

static_assert(__cplusplus == 201703L, "not compiled as C++17");

namespace detops {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

// An argument with a comma, which the macro counts as one because it is in parentheses.
template <class First, class Second>
Second ConvertThrough(Second value) {
  return static_cast<Second>(static_cast<First>(value));
}

mluOpStatus_t CallWith14ArgumentsInCpp(const PsRoiPoolArguments* a) {
  return mluOpPsRoiPoolForward(a->handle, (ConvertThrough<long, int>(a->group_size)), a->group_size,
                               1.0f, a->group_size, a->output_dim, a->input_desc, a->input,
                               a->rois_desc, a->rois, a->output_desc, a->output, a->mapping_desc,
                               a->mapping);
}

mluOpStatus_t CallWith16ArgumentsInCpp(const PsRoiPoolArguments* a) {
  std::vector<char> workspace(16);
  return ::mluOpPsRoiPoolForward(a->handle, a->group_size, a->group_size, 1.0f, a->group_size,
                                 a->output_dim, a->input_desc, a->input, a->rois_desc, a->rois,
                                 workspace.data(), workspace.size(), a->output_desc, a->output,
                                 a->mapping_desc, a->mapping);
}

mluOpStatus_t CallThroughPointerInCpp(const PsRoiPoolArguments* a) {
  const auto function = &mluOpPsRoiPoolForward;
  return function(a->handle, a->group_size, a->group_size, 1.0f, a->group_size, a->output_dim,
                  a->input_desc, a->input, a->rois_desc, a->rois, a->output_desc, a->output,
                  a->mapping_desc, a->mapping);
}

mluOpStatus_t CallInParenthesesInCpp(const PsRoiPoolArguments* a) {
  return (mluOpPsRoiPoolForward)(a->handle, a->group_size, a->group_size, 1.0f, a->group_size,
                                 a->output_dim, a->input_desc, a->input, a->rois_desc, a->rois,
                                 a->output_desc, a->output, a->mapping_desc, a->mapping);
}

struct Form {
  const char* name;
  mluOpStatus_t (*call)(const PsRoiPoolArguments*);
};

class PsRoiPoolCalls : public testing::TestWithParam<Form> {
 protected:
  PsRoiPoolCalls() {
    std::iota(input_.begin(), input_.end(), 0.0f);
    EXPECT_EQ(mluOpCreate(&arguments_.handle), MLUOP_STATUS_SUCCESS);
    arguments_.group_size = 2;
    arguments_.output_dim = 1;
    arguments_.input = input_.data();
    arguments_.rois = rois_.data();
    arguments_.output = means_.data();
    arguments_.mapping = channels_.data();
    arguments_.input_desc = Describe(MLUOP_DTYPE_FLOAT, {1, 2, 2, 4});
    arguments_.rois_desc = Describe(MLUOP_DTYPE_FLOAT, {1, 5});
    arguments_.output_desc = Describe(MLUOP_DTYPE_FLOAT, {1, 2, 2, 1});
    arguments_.mapping_desc = Describe(MLUOP_DTYPE_INT32, {1, 2, 2, 1});
  }
  ~PsRoiPoolCalls() override {
    for (mluOpTensorDescriptor_t desc : {arguments_.input_desc, arguments_.rois_desc,
                                         arguments_.output_desc, arguments_.mapping_desc}) {
      EXPECT_EQ(mluOpDestroyTensorDescriptor(desc), MLUOP_STATUS_SUCCESS);
    }
    EXPECT_EQ(mluOpDestroy(arguments_.handle), MLUOP_STATUS_SUCCESS);
  }

  static mluOpTensorDescriptor_t Describe(mluOpDataType_t type, const std::vector<int>& dims) {
    mluOpTensorDescriptor_t desc = nullptr;
    EXPECT_EQ(mluOpCreateTensorDescriptor(&desc), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_NHWC, type, static_cast<int>(dims.size()),
                                       dims.data()),
              MLUOP_STATUS_SUCCESS);
    return desc;
  }

  std::vector<float> input_ = std::vector<float>(16);
  std::vector<float> rois_ = {0, 0, 0, 1, 1};  // the whole map: each bin is one pixel
  std::vector<float> means_ = std::vector<float>(4, -1.0f);
  std::vector<int32_t> channels_ = std::vector<int32_t>(4, -1);
  PsRoiPoolArguments arguments_ = {};
};

TEST_P(PsRoiPoolCalls, GiveTheSameResults) {
  ASSERT_EQ(GetParam().call(&arguments_), MLUOP_STATUS_SUCCESS);
  // Bin i reads channel i of pixel i, and each pixel has four channels.
  EXPECT_THAT(means_, ElementsAre(0, 5, 10, 15));
  EXPECT_THAT(channels_, ElementsAre(0, 1, 2, 3));
}

TEST_P(PsRoiPoolCalls, ReportErrorsWithTheSameName) {
  LogCapture log;
  arguments_.rois = nullptr;
  EXPECT_EQ(GetParam().call(&arguments_), MLUOP_STATUS_BAD_PARAM);
  EXPECT_THAT(std::string(detopsGetLastError()), StartsWith("mluOpPsRoiPoolForward: rois is NULL"));
}

INSTANTIATE_TEST_SUITE_P(Forms, PsRoiPoolCalls,
                         testing::Values(Form{"With14InC", CallWith14ArgumentsInC},
                                         Form{"With16InC", CallWith16ArgumentsInC},
                                         Form{"ThroughPointerInC", CallThroughPointerInC},
                                         Form{"With14InCpp", CallWith14ArgumentsInCpp},
                                         Form{"With16InCpp", CallWith16ArgumentsInCpp},
                                         Form{"ThroughPointerInCpp", CallThroughPointerInCpp},
                                         Form{"InParenthesesInCpp", CallInParenthesesInCpp}),
                         [](const auto& form) { return std::string(form.param.name); });

}  // namespace
}  // namespace detops
