// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A fixture for tests of invalid calls of a C function whose arguments are a struct: the checks
// that every operator with four-dimensional tensors needs, from tables of wrong arguments.

#ifndef DETOPS_TESTING_C_API_CHECKS_H_
#define DETOPS_TESTING_C_API_CHECKS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "testing/c_api_fixture.h"

namespace detops {

// A wrong argument of a call, and the error that it must cause.
template <class Arguments>
struct Refusal {
  std::function<void(Arguments&)> change;
  std::string why;
  mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM;
};

// A function with a float result and an int32 result. `Arguments` holds a TensorArgument for each
// tensor and `bool has_handle`.
template <class Arguments>
class ArgumentsTest : public CApiTest {
 protected:
  using Tensor = TensorArgument Arguments::*;
  using Refusals = std::vector<Refusal<Arguments>>;

  struct NamedTensor {
    Tensor tensor;
    const char* name;  // in messages
    bool is_nhwc;      // other layouts are refused
  };

  // Results have `result_count` elements.
  ArgumentsTest(std::string function, size_t result_count)
      : CApiTest(std::move(function)),
        float_result_(result_count, kUntouched),
        int_result_(result_count, static_cast<int32_t>(kUntouched)) {}

  // Returns a valid call.
  virtual Arguments Example() = 0;
  // Calls the C function.
  virtual mluOpStatus_t Make(const Arguments& call) = 0;

  // Checks that the call fails with this status, logs one line and writes nothing.
  void ExpectRefused(const Arguments& call, const std::string& why,
                     mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    CApiTest::ExpectRefused(status, why, [&] { return Make(call); });
    ExpectUntouched();
  }
  void ExpectUntouched() {
    EXPECT_THAT(float_result_, testing::Each(kUntouched));
    EXPECT_THAT(int_result_, testing::Each(kUntouched));
  }

  // Checks each wrong argument in a call that is otherwise valid.
  void ExpectEachRefused(const Refusals& refusals) {
    for (const Refusal<Arguments>& refusal : refusals) {
      Arguments call = Example();
      refusal.change(call);
      ExpectRefused(call, refusal.why, refusal.status);
    }
  }

  // Starts with a call in which everything is wrong, and corrects one argument after the other. The
  // refusals are in the documented order of the checks.
  void ExpectFirstReported(const Refusals& refusals) {
    for (size_t first = 0; first < refusals.size(); ++first) {
      Arguments call = Example();
      // Applied in reverse: if two change the same argument, the earlier one wins.
      for (size_t i = refusals.size(); i-- > first;) {
        refusals[i].change(call);
      }
      ExpectRefused(call, refusals[first].why, refusals[first].status);
    }
  }

  void ExpectNullsAndUnsetDescriptorsRefused(std::span<const NamedTensor> tensors) {
    Arguments call = Example();
    call.has_handle = false;
    ExpectRefused(call, "handle is NULL; it must be a valid pointer");
    for (const auto& [tensor, name, is_nhwc] : tensors) {
      const std::string text = name;
      call = Example();
      (call.*tensor).is_null = true;
      ExpectRefused(call, text + "_desc is NULL; it must be a tensor descriptor");
      call = Example();
      (call.*tensor).is_set = false;
      ExpectRefused(call, text + "_desc was never set; call mluOpSetTensorDescriptor first");
      call = Example();
      (call.*tensor).data = nullptr;
      ExpectRefused(call, text + " is NULL; it must be a valid pointer");
    }
  }

  void ExpectOtherLayoutsRefused(std::span<const NamedTensor> tensors) {
    for (const auto& [tensor, name, is_nhwc] : tensors) {
      if (is_nhwc) {
        Arguments call = Example();
        (call.*tensor).layout = MLUOP_LAYOUT_NCHW;
        ExpectRefused(call, std::string(name) + " has layout NCHW; it must be NHWC");
        (call.*tensor).layout = MLUOP_LAYOUT_ARRAY;
        ExpectRefused(call, std::string(name) + " has layout ARRAY; it must be NHWC");
      }
    }
  }

  // Rows of tables of wrong arguments.
  static Refusal<Arguments> WrongType(Tensor tensor, mluOpDataType_t dtype, std::string why) {
    return {[=](Arguments& call) { (call.*tensor).dtype = dtype; }, std::move(why)};
  }
  static Refusal<Arguments> WrongShape(Tensor tensor, const std::vector<int64_t>& dims,
                                       std::string why) {
    return {[=](Arguments& call) { (call.*tensor).dims = dims; }, std::move(why)};
  }
  // `found` names the tensor with its shape and strides.
  static Refusal<Arguments> Strided(Tensor tensor, const std::vector<int64_t>& strides,
                                    const std::string& found) {
    return {[=](Arguments& call) { (call.*tensor).strides = strides; },
            found + "; it must be contiguous", MLUOP_STATUS_NOT_SUPPORTED};
  }
  // `found` names the tensor that is too large, with its shape.
  static Refusal<Arguments> TooLarge(std::function<void(Arguments&)> change,
                                     const std::string& found) {
    return {std::move(change), found + "; it must have fewer than 2^31 elements",
            MLUOP_STATUS_NOT_SUPPORTED};
  }

  static constexpr float kUntouched = -7;
  std::vector<float> float_result_;
  std::vector<int32_t> int_result_;
};

}  // namespace detops

#endif  // DETOPS_TESTING_C_API_CHECKS_H_
