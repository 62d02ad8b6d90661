// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// For tests: temporary files, and the errors of reading them.

#ifndef DETOPS_CLI_TEST_FOLDER_H_
#define DETOPS_CLI_TEST_FOLDER_H_

#include <functional>
#include <string>

#include "cli/case.h"
#include "testing/test_folder.h"

namespace detops::cli {

// Returns the text of the UserError that a call throws.
inline std::string UserErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace detops::cli

#endif  // DETOPS_CLI_TEST_FOLDER_H_
