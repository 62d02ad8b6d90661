// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The protobuf schema of case files. It is built at run time, because each operator adds a message
// for its parameters.

#ifndef DETOPS_CLI_CASE_SCHEMA_H_
#define DETOPS_CLI_CASE_SCHEMA_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/diff.h"
#include "mlu_op.h"

namespace detops::cli {

// An enumeration value that occurs in a file but not in the schema.
struct UnknownEnumValue {
  std::string enumeration;
  std::string name;           // in text files; may be a number
  std::optional<int> number;  // in binary files
};

class CaseSchema {
 public:
  // Adds `extra` values, so that messages with them can be parsed. They have no meaning.
  explicit CaseSchema(const std::vector<UnknownEnumValue>& extra = {});

  // Returns the schema in the language of .proto files.
  static std::string Text();

  // Returns an empty Node, the message of a case file. It must not outlive the schema.
  std::unique_ptr<google::protobuf::Message> NewNode() const;

  // Returns whether the schema defines this name.
  bool HasName(const std::string& name) const;

 private:
  google::protobuf::DescriptorPool pool_;
  mutable google::protobuf::DynamicMessageFactory factory_;
  const google::protobuf::Descriptor* node_;
};

// Returns a field of the message by name. Throws std::logic_error when the schema lacks it.
const google::protobuf::FieldDescriptor* FieldOf(const google::protobuf::Message& message,
                                                 const std::string& name);

// Tensors of other types have no values. They serve for calls that must be refused.
constexpr bool CanHaveValues(mluOpDataType_t dtype) {
  return dtype == MLUOP_DTYPE_FLOAT || dtype == MLUOP_DTYPE_HALF || dtype == MLUOP_DTYPE_INT32;
}

// A number in files and its meaning.
template <class Meaning>
struct FileNumber {
  int number;
  Meaning meaning;
};

inline constexpr FileNumber<mluOpTensorLayout_t> kLayoutNumbers[] = {
    {1, MLUOP_LAYOUT_NCHW},  {2, MLUOP_LAYOUT_NHWC},  {3, MLUOP_LAYOUT_HWCN},
    {4, MLUOP_LAYOUT_NDHWC}, {5, MLUOP_LAYOUT_ARRAY}, {6, MLUOP_LAYOUT_TNC},
    {7, MLUOP_LAYOUT_NTC},   {8, MLUOP_LAYOUT_NCDHW}, {9, MLUOP_LAYOUT_NC},
    {10, MLUOP_LAYOUT_NLC},  {11, MLUOP_LAYOUT_NCL}};

inline constexpr FileNumber<mluOpDataType_t> kDataTypeNumbers[] = {
    {1, MLUOP_DTYPE_HALF},          {2, MLUOP_DTYPE_FLOAT},   {3, MLUOP_DTYPE_INT8},
    {4, MLUOP_DTYPE_INT16},         {5, MLUOP_DTYPE_INT31},   {6, MLUOP_DTYPE_INT32},
    {7, MLUOP_DTYPE_BFLOAT16},      {8, MLUOP_DTYPE_DOUBLE},  {9, MLUOP_DTYPE_UINT8},
    {10, MLUOP_DTYPE_UINT16},       {11, MLUOP_DTYPE_UINT32}, {12, MLUOP_DTYPE_BOOL},
    {16, MLUOP_DTYPE_INT64},        {17, MLUOP_DTYPE_UINT64}, {18, MLUOP_DTYPE_COMPLEX_HALF},
    {19, MLUOP_DTYPE_COMPLEX_FLOAT}};

inline constexpr FileNumber<Measure> kMeasureNumbers[] = {{6, Measure::kDiff1},
                                                          {7, Measure::kDiff2},
                                                          {8, Measure::kDiff3},
                                                          {9, Measure::kDiff3_2},
                                                          {10, Measure::kDiff4}};

template <class Meaning, size_t kCount>
std::optional<Meaning> MeaningOf(const FileNumber<Meaning> (&numbers)[kCount], int number) {
  for (const FileNumber<Meaning>& entry : numbers) {
    if (entry.number == number) {
      return entry.meaning;
    }
  }
  return std::nullopt;
}

template <class Meaning, size_t kCount>
std::optional<int> NumberOf(const FileNumber<Meaning> (&numbers)[kCount], Meaning meaning) {
  for (const FileNumber<Meaning>& entry : numbers) {
    if (entry.meaning == meaning) {
      return entry.number;
    }
  }
  return std::nullopt;
}

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_SCHEMA_H_
