// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Reads and finds case files. case_file_write.cc writes them.

#include "cli/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "cli/adapter.h"
#include "cli/case_criteria.h"
#include "cli/case_fields.h"
#include "cli/case_parameters.h"
#include "cli/case_parse.h"
#include "cli/case_schema.h"
#include "cli/case_tensor.h"
#include "cli/format.h"
#include "cli/input_file.h"
#include "cli/one_line.h"

namespace detops::cli {
namespace {

namespace pb = google::protobuf;

// Protobuf counts bytes in an int.
constexpr int64_t kMaxBytes = INT_MAX;

// ---- From a message to a case -------------------------------------------------------------------

mluOpStatus_t ReadExpectedStatus(const pb::Message& node) {
  const int status = node.GetReflection()->GetInt32(node, FieldOf(node, "expected_status"));
  if (status < MLUOP_STATUS_SUCCESS || status > MLUOP_STATUS_NUMERICAL_OVERFLOW) {
    throw UserError(fmt::format("expected_status is {}; it must be 0 to {}", status,
                                static_cast<int>(MLUOP_STATUS_NUMERICAL_OVERFLOW)));
  }
  return static_cast<mluOpStatus_t>(status);
}

std::string ReadOperator(const pb::Message& node) {
  std::string name = TextIn(node, "op_name");
  if (name.empty()) {
    name = TextIn(node, "api_name");
  }
  if (name.empty()) {
    throw UserError("has neither op_name nor api_name; one of them must name an operator");
  }
  return name;
}

void CheckCount(const pb::Message& node, const char* role, size_t needed, const std::string& op) {
  const auto count = static_cast<size_t>(CountOf(node, role));
  if (count != needed) {
    throw UserError(fmt::format("has {}; {} needs {}", Counted(count, role), op, needed));
  }
}

Case CaseFrom(const ParsedCase& parsed, const std::filesystem::path& path) {
  pb::Message& node = *parsed.node;
  Case read;
  read.name = path.stem().string();
  const Adapter& adapter = FindCaseAdapter(ReadOperator(node));
  const Description& description = adapter.description();
  read.op = adapter.name();
  read.parameters = ReadParameters(parsed, description);
  FileCriteria criteria = ReadCriteria(node);  // before TakeTensors removes the outputs
  read.expected_status = ReadExpectedStatus(node);
  CheckCount(node, "input", description.inputs.size(), read.op);
  if (CountOf(node, "output") != 0) {
    CheckCount(node, "output", description.outputs.size(), read.op);
  }
  const std::filesystem::path folder = path.parent_path();
  read.inputs = TakeTensors(node, "input", folder);
  read.outputs = TakeTensors(node, "output", folder);
  read.criteria = std::move(criteria.of_case);
  for (size_t i = 0; i < read.outputs.size(); ++i) {
    read.outputs[i].criteria = std::move(criteria.of_outputs[i]);
  }
  return read;
}

// ---- Finding files ------------------------------------------------------------------------------

bool HasCaseEnding(const std::filesystem::path& path) {
  const std::filesystem::path ending = path.extension();
  return ending == EndingOf(CaseFormat::kText) || ending == EndingOf(CaseFormat::kBinary);
}

// Adds the case files below a folder. Symbolic links to folders are not followed. Does not use
// recursive_directory_iterator, whose errors do not name the folder that cannot be read.
void AddCaseFilesBelow(const std::filesystem::path& folder, std::vector<std::string>& files) {
  std::error_code error;
  std::filesystem::path failed = folder;
  std::filesystem::directory_iterator entry(folder, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    if (!entry->is_symlink(error) && entry->is_directory(error)) {
      AddCaseFilesBelow(entry->path(), files);
    } else if (HasCaseEnding(entry->path()) && entry->is_regular_file(error)) {
      files.push_back(entry->path().string());
    }
    if (error && error != std::errc::no_such_file_or_directory) {  // not a link that leads nowhere
      failed = entry->path();
    } else {
      entry.increment(error);
    }
  }
  if (error) {
    throw UserError(fmt::format("{}: cannot be read: {}", failed.string(), error.message()));
  }
}

std::vector<std::string> CaseFilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  AddCaseFilesBelow(folder, files);
  if (files.empty()) {
    throw UserError(fmt::format("{}: contains no case files, which end in {} or {}", folder,
                                EndingOf(CaseFormat::kText), EndingOf(CaseFormat::kBinary)));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Case ReadCase(const std::string& path) {
  try {
    const InputFile file(path);
    if (file.is_regular() && file.size() > kMaxBytes) {
      throw UserError(fmt::format("has {} bytes; the limit is {}", file.size(), kMaxBytes));
    }
    const ParsedCase parsed = ParseCaseFile(path, file);
    return CaseFrom(parsed, path);
  } catch (const LocatedError&) {
    throw;
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", path, OneLine(error.what())));
  } catch (const std::bad_alloc&) {
    throw UserError(fmt::format("{}: does not fit in memory", path));
  }
}

std::vector<std::string> FindCaseFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> found;
  std::set<std::filesystem::path> seen;
  const auto add = [&](const std::string& file) {
    if (seen.insert(std::filesystem::weakly_canonical(file)).second) {
      found.push_back(file);
    }
  };
  for (const std::string& path : paths) {
    if (path.empty()) {
      throw UserError("CASE is empty; it must name a case file or a folder");
    }
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::directory) {
      const std::vector<std::string> files = CaseFilesBelow(path);
      std::for_each(files.begin(), files.end(), add);
    } else if (std::filesystem::exists(status)) {
      add(path);
    } else {
      throw UserError(fmt::format("{}: cannot be read: {}", path, error.message()));
    }
  }
  return found;
}

const char* EndingOf(CaseFormat format) {
  return format == CaseFormat::kText ? ".prototxt" : ".pb";
}

}  // namespace detops::cli
