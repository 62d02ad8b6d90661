// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Expectations about what the C++ API throws.

#ifndef DETOPS_TESTING_ERROR_MESSAGE_H_
#define DETOPS_TESTING_ERROR_MESSAGE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>

#include "detops/error.hpp"
#include "mlu_op.h"
#include "testing/log_capture.h"

namespace detops {

// Returns the message of the detops::Error that `call` throws, which must have `status` and be the
// thread's last error, too.
inline std::string MessageOf(const std::function<void()>& call,
                             mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status);
    EXPECT_STREQ(error.what(), detopsGetLastError());
    return error.what();
  }
  return "nothing was thrown";
}

// Checks that `call` throws this message, logs it as one line, and leaves `results` unchanged.
template <class... Results>
void ExpectThrown(const std::string& message, mluOpStatus_t status,
                  const std::function<void()>& call, const Results&... results) {
  LogCapture log;
  const std::tuple<Results...> before(results...);
  EXPECT_EQ(MessageOf(call, status), message);
  EXPECT_THAT(log.Take(), testing::ElementsAre(message));
  EXPECT_TRUE(before == std::tie(results...)) << "results were written, " << message;
}

}  // namespace detops

#endif  // DETOPS_TESTING_ERROR_MESSAGE_H_
