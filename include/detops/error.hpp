// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// What the C++ functions throw.

#ifndef DETOPS_ERROR_HPP_
#define DETOPS_ERROR_HPP_

#include <stdexcept>
#include <string>

#include "detops/export.hpp"
#include "mlu_op.h"

namespace detops {

/// A call that failed: what() is the message that the C API would leave in detopsGetLastError,
/// status() what it would return. Without memory for the message it is empty.
class DETOPS_EXPORT Error : public std::runtime_error {
 public:
  Error(mluOpStatus_t status, const std::string& message);
  ~Error() override;

  mluOpStatus_t status() const noexcept { return status_; }

 private:
  mluOpStatus_t status_;
};

}  // namespace detops

#endif  // DETOPS_ERROR_HPP_
