// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parameters of a case file's operator.

#ifndef DETOPS_CLI_CASE_PARAMETERS_H_
#define DETOPS_CLI_CASE_PARAMETERS_H_

#include <google/protobuf/message.h>

#include <vector>

#include "cli/adapter.h"
#include "cli/case.h"
#include "cli/case_parse.h"

namespace detops::cli {

// Returns the parameters in the operator's order; absent ones have their defaults. Throws UserError
// when the operator's parameter message has a field that the operator does not know: the result
// would not be the one that the case asks for.
std::vector<double> ReadParameters(const ParsedCase& parsed, const Description& description);

// Adds the parameters of a case to a Node.
void WriteParameters(const Case& input, const Description& description,
                     google::protobuf::Message& node);

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_PARAMETERS_H_
