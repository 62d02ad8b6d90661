// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief The exception that the C++ API throws.

#ifndef DETOPS_ERROR_HPP_
#define DETOPS_ERROR_HPP_

#include <stdexcept>
#include <string>

#include "detops/export.hpp"
#include "mlu_op.h"

namespace detops {

/// @brief Describes a failed call.
///
/// what() is the message that detopsGetLastError() returns; it is empty if there was no memory for
/// it.
class DETOPS_EXPORT Error : public std::runtime_error {
 public:
  Error(mluOpStatus_t status, const std::string& message);
  ~Error() override;

  /// @brief Returns the status that the C API would return.
  mluOpStatus_t status() const noexcept { return status_; }

 private:
  mluOpStatus_t status_;
};

}  // namespace detops

#endif  // DETOPS_ERROR_HPP_
