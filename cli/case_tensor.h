// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The tensors of a case file: shape, type, and values from the file, from a raw file or random.

#ifndef DETOPS_CLI_CASE_TENSOR_H_
#define DETOPS_CLI_CASE_TENSOR_H_

#include <google/protobuf/message.h>

#include <filesystem>
#include <vector>

#include "cli/case.h"

namespace detops::cli {

// Moves the tensors of one role, "input" or "output", out of the message: last to first, so that
// none is in memory twice. Raw files are relative to `folder`. Throws UserError.
std::vector<Tensor> TakeTensors(google::protobuf::Message& node, const char* role,
                                const std::filesystem::path& folder);

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_TENSOR_H_
