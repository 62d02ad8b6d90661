// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the C++ API throws.

#ifndef DETOPS_TESTING_ERROR_MESSAGE_H_
#define DETOPS_TESTING_ERROR_MESSAGE_H_

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "detops/error.hpp"
#include "mlu_op.h"

namespace detops {

// Of a call that gets a wrong argument; the C API has the same message then.
inline std::string MessageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MLUOP_STATUS_BAD_PARAM);
    EXPECT_STREQ(error.what(), detopsGetLastError());
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace detops

#endif  // DETOPS_TESTING_ERROR_MESSAGE_H_
