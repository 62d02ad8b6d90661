// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// From the bytes of a case file to its protobuf message.

#ifndef DETOPS_CLI_CASE_PARSE_H_
#define DETOPS_CLI_CASE_PARSE_H_

#include <google/protobuf/message.h>

#include <map>
#include <memory>
#include <string>

#include "cli/case.h"
#include "cli/case_schema.h"
#include "cli/input_file.h"

namespace detops::cli {

// An error that already names its file and the position in it.
class LocatedError : public UserError {
 public:
  using UserError::UserError;
};

// A message and the schema that it belongs to. The schema must outlive the message.
struct ParsedCase {
  std::unique_ptr<CaseSchema> schema;
  std::unique_ptr<google::protobuf::Message> node;
  // The first unknown field of each message type, by the type's full name. Only of text files:
  // messages of binary files keep their unknown fields.
  std::map<std::string, std::string> unknown_fields;
};

// Parses a case file as text or as binary. The path serves for error messages, and its ending shows
// the format. Throws LocatedError for wrong syntax, else UserError without the path.
ParsedCase ParseCaseFile(const std::string& path, const InputFile& file);

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_PARSE_H_
