// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_schema.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.pb.h>

#include <sstream>
#include <stdexcept>
#include <utility>

#include "cli/adapter.h"

namespace detops::cli {
namespace {

namespace pb = google::protobuf;

// Fields that are not listed here are skipped: for example op_type, which would need the names of
// all MLU-OPS operators, and the devices.
constexpr const char* kFixedPart = R"(syntax = "proto2";
package mluoptest;

enum TensorLayout {
  LAYOUT_NCHW = 1;
  LAYOUT_NHWC = 2;
  LAYOUT_HWCN = 3;
  LAYOUT_NDHWC = 4;
  LAYOUT_ARRAY = 5;
  LAYOUT_TNC = 6;
  LAYOUT_NTC = 7;
  LAYOUT_NCDHW = 8;
  LAYOUT_NC = 9;
  LAYOUT_NLC = 10;
  LAYOUT_NCL = 11;
}

enum DataType {
  DTYPE_HALF = 1;
  DTYPE_FLOAT = 2;
  DTYPE_INT8 = 3;
  DTYPE_INT16 = 4;
  DTYPE_INT31 = 5;
  DTYPE_INT32 = 6;
  DTYPE_BFLOAT16 = 7;
  DTYPE_DOUBLE = 8;
  DTYPE_UINT8 = 9;
  DTYPE_UINT16 = 10;
  DTYPE_UINT32 = 11;
  DTYPE_BOOL = 12;
  DTYPE_INT64 = 16;
  DTYPE_UINT64 = 17;
  DTYPE_COMPLEX_HALF = 18;
  DTYPE_COMPLEX_FLOAT = 19;
}

enum EvaluationCriterion {
  DIFF1 = 6;
  DIFF2 = 7;
  DIFF3 = 8;
  DIFF3_2 = 9;
  DIFF4 = 10;
}

enum Distribution {
  UNIFORM = 1;
  GAUSSIAN = 2;
}

message Shape {
  repeated int64 dims = 1;
  repeated int64 dim_stride = 2;
}

message RandomData {
  optional int32 seed = 1;
  optional float lower_bound = 2;
  optional float upper_bound = 3;
  optional Distribution distribution = 4;
  optional float mu = 6;
  optional float sigma = 7;
  optional double lower_bound_double = 8;
  optional double upper_bound_double = 9;
  optional double mu_double = 10;
  optional double sigma_double = 11;
}

message Thresholds {
  repeated double evaluation_threshold = 1;
}

message Tensor {
  optional string id = 1;
  optional Shape shape = 2;
  optional TensorLayout layout = 3;
  optional DataType dtype = 4;
  repeated float value_f = 7 [packed = true];
  repeated int32 value_i = 8 [packed = true];
  repeated string value_h = 9;
  optional RandomData random_data = 10;
  optional string path = 11;
  optional Thresholds thresholds = 15;
  repeated int64 value_l = 17 [packed = true];
  repeated uint32 value_ui = 18 [packed = true];
  repeated uint64 value_ul = 19 [packed = true];
}

message TestParam {
  repeated EvaluationCriterion error_func = 1;
  repeated double error_threshold = 2;
}

message Node {
  optional string op_name = 5;
  repeated Tensor input = 6;
  repeated Tensor output = 7;
  optional TestParam test_param = 10;
  repeated EvaluationCriterion evaluation_criterion = 14;
  repeated double evaluation_threshold = 15;
  optional string api_name = 1048576;
  optional int32 expected_status = 100001;  // an extension of detops
)";

const char* TypeName(ParameterType type) {
  switch (type) {
    case ParameterType::kInt:
      return "int32";
    case ParameterType::kFloat:
      return "float";
    case ParameterType::kBool:
      return "bool";
  }
  return "?";
}

// Derived from the field's name, so that operators cannot collide.
std::string MessageName(const Description& description) {
  return fmt::format("Type_{}", description.parameters_name);
}

std::string ParameterMessage(const Description& description) {
  std::string text = fmt::format("\nmessage {} {{\n", MessageName(description));
  for (const Parameter& parameter : description.parameters) {
    text += fmt::format("  optional {} {} = {};\n", TypeName(parameter.type), parameter.name,
                        parameter.field);
  }
  return text + "}\n";
}

// A schema that cannot be built is a bug in an operator's description.
class ThrowErrors : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& /*file*/, const std::string& element,
                const pb::Message* /*descriptor*/, ErrorLocation /*location*/,
                const std::string& message) override {
    throw std::logic_error(fmt::format("case schema: {}: {}", element, message));
  }
};

// Adds a field such as "repeated float value_f = 7 [packed = true];".
void AddField(const std::string& line, pb::DescriptorProto& message) {
  using Field = pb::FieldDescriptorProto;
  constexpr std::pair<const char*, Field::Type> kScalars[] = {
      {"bool", Field::TYPE_BOOL},     {"double", Field::TYPE_DOUBLE},
      {"float", Field::TYPE_FLOAT},   {"int32", Field::TYPE_INT32},
      {"int64", Field::TYPE_INT64},   {"string", Field::TYPE_STRING},
      {"uint32", Field::TYPE_UINT32}, {"uint64", Field::TYPE_UINT64}};
  std::istringstream words(line);
  std::string label, type, name, equals;
  int number = 0;
  words >> label >> type >> name >> equals >> number;
  Field& field = *message.add_field();
  field.set_label(label == "repeated" ? Field::LABEL_REPEATED : Field::LABEL_OPTIONAL);
  field.set_name(name);
  field.set_number(number);
  field.set_type_name(type);
  for (const auto& [scalar, scalar_type] : kScalars) {
    if (type == scalar) {
      field.clear_type_name();
      field.set_type(scalar_type);
    }
  }
  if (line.find("packed = true") != std::string::npos) {
    field.mutable_options()->set_packed(true);
  }
}

// Adds a value such as "DIFF1 = 6;".
void AddValue(const std::string& line, pb::EnumDescriptorProto& enumeration) {
  std::istringstream words(line);
  std::string name, equals;
  int number = 0;
  words >> name >> equals >> number;
  pb::EnumValueDescriptorProto& value = *enumeration.add_value();
  value.set_name(name);
  value.set_number(number);
}

// Protobuf's run-time library has no parser for schemas. This one handles the text above: one item
// per line, no options except `packed`.
pb::FileDescriptorProto ParseSchema(const std::string& text) {
  pb::FileDescriptorProto file;
  file.set_name("case.proto");
  pb::DescriptorProto* message = nullptr;
  pb::EnumDescriptorProto* enumeration = nullptr;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first == "package") {
      file.set_package(second.substr(0, second.find(';')));
    } else if (first == "message") {
      message = file.add_message_type();
      message->set_name(second);
    } else if (first == "enum") {
      enumeration = file.add_enum_type();
      enumeration->set_name(second);
    } else if (first == "}") {
      message = nullptr;
      enumeration = nullptr;
    } else if (message != nullptr && !first.empty()) {
      AddField(line, *message);
    } else if (enumeration != nullptr && !first.empty()) {
      AddValue(line, *enumeration);
    }
  }
  return file;
}

// Unknown names get numbers from here on, which no file is likely to use.
constexpr int kFirstNumberOfNames = 0x40000000;

void AddValues(const std::vector<UnknownEnumValue>& extra, pb::FileDescriptorProto& file) {
  int next_number = kFirstNumberOfNames;
  for (const UnknownEnumValue& value : extra) {
    for (pb::EnumDescriptorProto& enumeration : *file.mutable_enum_type()) {
      if (enumeration.name() == value.enumeration) {
        enumeration.mutable_options()->set_allow_alias(true);
        pb::EnumValueDescriptorProto* const added = enumeration.add_value();
        added->set_number(value.number.value_or(next_number));
        added->set_name(value.number ? fmt::format("UNKNOWN_{}_{}", value.enumeration, next_number)
                                     : value.name);
        ++next_number;
      }
    }
  }
}

}  // namespace

CaseSchema::CaseSchema(const std::vector<UnknownEnumValue>& extra) : factory_(&pool_) {
  pb::FileDescriptorProto file = ParseSchema(Text());
  AddValues(extra, file);
  ThrowErrors errors;
  node_ = pool_.BuildFileCollectingErrors(file, &errors)->FindMessageTypeByName("Node");
}

std::string CaseSchema::Text() {
  std::string fields = kFixedPart;
  std::string messages;
  for (size_t i = 0; i < Operators().size(); ++i) {
    const Description& description = AdapterOf(i).description();
    fields += fmt::format("  optional {} {} = {};\n", MessageName(description),
                          description.parameters_name, description.parameters_field);
    messages += ParameterMessage(description);
  }
  return fields + "}\n" + messages;
}

std::unique_ptr<pb::Message> CaseSchema::NewNode() const {
  return std::unique_ptr<pb::Message>(factory_.GetPrototype(node_)->New());
}

bool CaseSchema::HasName(const std::string& name) const {
  return pool_.FindFileContainingSymbol(node_->file()->package() + "." + name) != nullptr;
}

const pb::FieldDescriptor* FieldOf(const pb::Message& message, const std::string& name) {
  const pb::FieldDescriptor* const field = message.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr) {
    throw std::logic_error(
        fmt::format("case schema: {} has no field {}", message.GetDescriptor()->full_name(), name));
  }
  return field;
}

}  // namespace detops::cli
