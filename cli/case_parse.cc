// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_parse.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/one_line.h"

namespace detops::cli {
namespace {

namespace pb = google::protobuf;

constexpr int kBlockBytes = 1 << 16;
// Cases need 3 levels. Deeper nesting occurs only in fields that are skipped.
constexpr int kMaxNesting = 100;
// Each unknown value costs another pass over the file.
constexpr size_t kMaxUnknownValues = 32;

// Returns the part of the text between the first `before` and the next `end`; empty when there is
// no `before`.
std::string Between(const std::string& text, std::string_view before, char end) {
  const size_t found = text.find(before);
  if (found == std::string::npos) {
    return {};
  }
  const size_t begin = found + before.size();
  return text.substr(begin, text.find(end, begin) - begin);
}

// Keeps the first error, and the first unknown field of each message type. The text parser skips
// unknown fields and warns about them:
// `Message type "mluoptest.Node" has no field named "device".`
// `Ignoring extension "a.b" which is not defined or is not an extension of "mluoptest.Node".`
class ParserMessages : public pb::io::ErrorCollector {
 public:
  explicit ParserMessages(std::map<std::string, std::string>& unknown_fields)
      : unknown_fields_(unknown_fields) {}

  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override {
    if (message_.empty()) {
      line_ = line + 1;
      column_ = column + 1;
      message_ = message;
    }
  }
  void AddWarning(int /*line*/, pb::io::ColumnNumber /*column*/,
                  const std::string& message) override {
    const std::string type = Between(message, "Message type \"", '"');
    if (!type.empty()) {
      unknown_fields_.emplace(type, Between(message, "has no field named \"", '"'));
    } else {
      unknown_fields_.emplace(Between(message, "is not an extension of \"", '"'),
                              Between(message, "extension \"", '"'));
    }
  }

  const std::string& message() const { return message_; }

  // Returns ":LINE:COLUMN: message", to follow the path.
  std::string Describe() const {
    const bool is_binary = message_.find("non ascii codepoint") != std::string::npos ||
                           message_.find("control characters") != std::string::npos;
    return fmt::format(
        ":{}:{}: {}", line_, column_,
        is_binary ? "this byte is not text; the file must be in protobuf's text format, in UTF-8"
                  : message_);
  }

 private:
  int line_ = 0;
  int column_ = 0;
  std::string message_;
  std::map<std::string, std::string>& unknown_fields_;
};

// Returns the enumeration value that the text parser does not know. The parser cannot skip such
// values, but its error names them: `Unknown enumeration value of "DIFF9" for field "error_func".`
std::optional<UnknownEnumValue> UnknownValueIn(const std::string& message) {
  const std::string name = Between(message, "Unknown enumeration value of \"", '"');
  const std::string field = Between(message, "for field \"", '"');
  if (name.empty()) {
    return std::nullopt;
  }
  UnknownEnumValue value;
  value.name = name;
  value.enumeration = field == "layout"         ? "TensorLayout"
                      : field == "dtype"        ? "DataType"
                      : field == "distribution" ? "Distribution"
                                                : "EvaluationCriterion";
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) {
    value.number = number;
  }
  return value;
}

// Returns an unknown criterion of a binary file. Protobuf keeps unknown values apart from the known
// ones, so which threshold belongs to which criterion would be lost.
std::optional<UnknownEnumValue> UnknownCriterionIn(const pb::Message& message, const char* name) {
  const int field = FieldOf(message, name)->number();
  const pb::UnknownFieldSet& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    if (unknown.field(i).number() == field &&
        unknown.field(i).type() == pb::UnknownField::TYPE_VARINT) {
      UnknownEnumValue value;
      value.enumeration = "EvaluationCriterion";
      value.number = static_cast<int>(unknown.field(i).varint());
      return value;
    }
  }
  return std::nullopt;
}

// Returns an enumeration value that the schema must learn before the file can be parsed.
std::optional<UnknownEnumValue> ParseText(const std::string& path, pb::io::FileInputStream& stream,
                                          ParsedCase& parsed) {
  ParserMessages messages(parsed.unknown_fields);
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&messages);
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.SetRecursionLimit(kMaxNesting);
  const bool is_good = parser.Parse(&stream, parsed.node.get());
  if (stream.GetErrno() != 0) {
    InputFile::ThrowErrno(stream.GetErrno());
  }
  if (is_good) {
    return std::nullopt;
  }
  std::optional<UnknownEnumValue> value = UnknownValueIn(messages.message());
  if (!value) {
    throw LocatedError(path + OneLine(messages.Describe()));
  }
  return value;
}

std::optional<UnknownEnumValue> ParseBinary(pb::io::FileInputStream& stream, pb::Message& node) {
  const bool is_good = node.ParseFromZeroCopyStream(&stream);
  if (stream.GetErrno() != 0) {
    InputFile::ThrowErrno(stream.GetErrno());
  }
  if (!is_good) {
    throw UserError("is truncated, damaged or not a binary case");
  }
  if (std::optional<UnknownEnumValue> value = UnknownCriterionIn(node, "evaluation_criterion")) {
    return value;
  }
  const pb::FieldDescriptor* const field = FieldOf(node, "test_param");
  return node.GetReflection()->HasField(node, field)
             ? UnknownCriterionIn(node.GetReflection()->GetMessage(node, field), "error_func")
             : std::nullopt;
}

// Decides by the file name's ending, else by the first bytes: binary cases begin with field tags,
// which are control characters.
bool IsText(const std::string& path, pb::io::ZeroCopyInputStream& stream) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".prototxt" || ending == ".pbtxt" || ending == ".txt") {
    return true;
  }
  const void* block = nullptr;
  int bytes = 0;
  if (ending == ".pb" || !stream.Next(&block, &bytes)) {
    return false;
  }
  const std::string_view text(static_cast<const char*>(block), static_cast<size_t>(bytes));
  const bool is_text = std::none_of(text.begin(), text.end(), [](char character) {
    const auto byte = static_cast<unsigned char>(character);
    return byte < ' ' && !(byte >= '\t' && byte <= '\r');
  });
  stream.BackUp(bytes);
  return is_text;
}

}  // namespace

ParsedCase ParseCaseFile(const std::string& path, const InputFile& file) {
  const pb::LogSilencer silence;
  std::vector<UnknownEnumValue> extra;
  for (;;) {
    ParsedCase parsed;
    parsed.schema = std::make_unique<CaseSchema>(extra);
    parsed.node = parsed.schema->NewNode();
    pb::io::FileInputStream stream(file.descriptor(), kBlockBytes);
    const std::optional<UnknownEnumValue> value =
        IsText(path, stream) ? ParseText(path, stream, parsed) : ParseBinary(stream, *parsed.node);
    if (!value) {
      return parsed;
    }
    if (extra.size() == kMaxUnknownValues || !file.Rewind() ||
        parsed.schema->HasName(value->name)) {
      throw UserError(fmt::format("has '{}', which is not a known {}",
                                  value->number ? fmt::format("{}", *value->number) : value->name,
                                  value->enumeration));
    }
    extra.push_back(*value);
  }
}

}  // namespace detops::cli
