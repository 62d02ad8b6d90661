// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The criteria of a case file: those of the case, and those of outputs with thresholds of their
// own.

#ifndef DETOPS_CLI_CASE_CRITERIA_H_
#define DETOPS_CLI_CASE_CRITERIA_H_

#include <google/protobuf/message.h>

#include <vector>

#include "cli/case.h"

namespace detops::cli {

struct FileCriteria {
  std::vector<Criterion> of_case;                  // empty: the default limits
  std::vector<std::vector<Criterion>> of_outputs;  // one list per output; empty: those of the case
};

// Reads the criteria of a Node. Unknown criteria are skipped, with their thresholds. Throws
// UserError when there is not exactly one threshold per criterion.
FileCriteria ReadCriteria(const google::protobuf::Message& node);

// Adds the criteria of a case to a Node that has its outputs already. Throws UserError when two
// lists of criteria have different measures, which a case file cannot express.
void WriteCriteria(const Case& input, google::protobuf::Message& node);

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_CRITERIA_H_
