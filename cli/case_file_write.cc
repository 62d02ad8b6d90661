// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Writes case files.

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "cli/adapter.h"
#include "cli/case_criteria.h"
#include "cli/case_file.h"
#include "cli/case_parameters.h"
#include "cli/case_schema.h"
#include "cli/output_file.h"
#include "core/half.h"

namespace detops::cli {
namespace {

namespace pb = google::protobuf;

// Longer lists of values go into raw files.
constexpr int64_t kMaxInlineValues = 1024;

// ---- Fields -------------------------------------------------------------------------------------

pb::Message& MutableIn(pb::Message& message, const char* name) {
  return *message.GetReflection()->MutableMessage(&message, FieldOf(message, name));
}

void SetText(pb::Message& message, const char* name, const std::string& text) {
  message.GetReflection()->SetString(&message, FieldOf(message, name), text);
}

void SetInteger(pb::Message& message, const char* name, int32_t value) {
  message.GetReflection()->SetInt32(&message, FieldOf(message, name), value);
}

void SetEnum(pb::Message& message, const char* name, int number) {
  message.GetReflection()->SetEnumValue(&message, FieldOf(message, name), number);
}

// Writes a float, which all readers know, when that is exact; else the double field.
void SetReal(pb::Message& message, const std::string& name, double value) {
  const auto narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) == value) {
    message.GetReflection()->SetFloat(&message, FieldOf(message, name), narrow);
  } else {
    message.GetReflection()->SetDouble(&message, FieldOf(message, name + "_double"), value);
  }
}

void AddIntegers(pb::Message& message, const char* name, const std::vector<int64_t>& integers) {
  for (const int64_t integer : integers) {
    message.GetReflection()->AddInt64(&message, FieldOf(message, name), integer);
  }
}

// ---- Tensors ------------------------------------------------------------------------------------

// A raw file of the case.
struct RawFile {
  std::string path;
  const AlignedBuffer* values;
};

template <class Bits>
void AddBits(pb::Message& message, const Tensor& tensor) {
  const pb::FieldDescriptor* const field = FieldOf(message, "value_h");
  const int64_t count = tensor.count();
  for (int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, tensor.as<Bits>() + i, sizeof(bits));
    message.GetReflection()->AddString(&message, field,
                                       fmt::format("{:0{}x}", bits, 2 * sizeof(bits)));
  }
}

void AddFloats(pb::Message& message, const Tensor& tensor) {
  const float* const begin = tensor.as<float>();
  const float* const end = begin + tensor.count();
  if (!std::all_of(begin, end, [](float value) { return std::isfinite(value); })) {
    AddBits<uint32_t>(message, tensor);  // text cannot express the payloads of NaNs
    return;
  }
  const pb::FieldDescriptor* const field = FieldOf(message, "value_f");
  for (const float* value = begin; value != end; ++value) {
    message.GetReflection()->AddFloat(&message, field, *value);
  }
}

void AddValues(pb::Message& message, const Tensor& tensor) {
  switch (tensor.dtype) {
    case MLUOP_DTYPE_FLOAT:
      return AddFloats(message, tensor);
    case MLUOP_DTYPE_HALF:
      return AddBits<uint16_t>(message, tensor);
    default:
      for (int64_t i = 0; i < tensor.count(); ++i) {
        message.GetReflection()->AddInt32(&message, FieldOf(message, "value_i"),
                                          tensor.as<int32_t>()[i]);
      }
  }
}

void AddRandom(pb::Message& message, const RandomData& random) {
  const RandomData absent;
  const bool is_gaussian = random.distribution == RandomData::Distribution::kGaussian;
  SetInteger(message, "seed", random.seed);
  SetEnum(message, "distribution", is_gaussian ? 2 : 1);
  if (!is_gaussian || random.lower_bound != absent.lower_bound ||
      random.upper_bound != absent.upper_bound) {
    SetReal(message, "lower_bound", random.lower_bound);
    SetReal(message, "upper_bound", random.upper_bound);
  }
  if (is_gaussian || random.mu != absent.mu || random.sigma != absent.sigma) {
    SetReal(message, "mu", random.mu);
    SetReal(message, "sigma", random.sigma);
  }
}

template <class Meaning, size_t kCount>
int RequireNumber(const FileNumber<Meaning> (&numbers)[kCount], Meaning meaning, const char* what) {
  const std::optional<int> number = NumberOf(numbers, meaning);
  if (!number) {
    throw UserError(
        fmt::format("has {} {}, which case files cannot express", what, static_cast<int>(meaning)));
  }
  return *number;
}

// Long lists of values are added to `raw_files`, to be written to `raw_path`.
void AddTensor(pb::Message& message, const Tensor& tensor, const std::string& raw_path,
               std::vector<RawFile>& raw_files) {
  if (!tensor.id.empty()) {
    SetText(message, "id", tensor.id);
  }
  pb::Message& shape = MutableIn(message, "shape");
  AddIntegers(shape, "dims", tensor.dims);
  AddIntegers(shape, "dim_stride", tensor.strides);
  SetEnum(message, "layout", RequireNumber(kLayoutNumbers, tensor.layout, "layout"));
  SetEnum(message, "dtype", RequireNumber(kDataTypeNumbers, tensor.dtype, "type"));
  if (!CanHaveValues(tensor.dtype)) {
    return;
  }
  if (!tensor.has_values()) {
    if (tensor.random) {
      AddRandom(MutableIn(message, "random_data"), *tensor.random);
    }
  } else if (tensor.count() <= kMaxInlineValues) {
    AddValues(message, tensor);
  } else {
    raw_files.push_back({raw_path, &tensor.values});
    SetText(message, "path", std::filesystem::path(raw_path).filename().string());
  }
}

void AddTensors(pb::Message& node, const char* role, const std::vector<Tensor>& tensors,
                const std::filesystem::path& path, std::vector<RawFile>& raw_files) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::filesystem::path raw_path = path;
    raw_path.replace_filename(fmt::format("{}.{}{}.raw", path.stem().string(), role, i));
    try {
      AddTensor(*node.GetReflection()->AddMessage(&node, FieldOf(node, role)), tensors[i],
                raw_path.string(), raw_files);
    } catch (const UserError& error) {
      throw UserError(
          fmt::format("{}: {} {} '{}' {}", path.string(), role, i, tensors[i].id, error.what()));
    }
  }
}

// ---- The rest of a case -------------------------------------------------------------------------

void AddCase(pb::Message& node, const Case& input, const std::filesystem::path& path,
             std::vector<RawFile>& raw_files) {
  const Adapter& adapter = FindAdapter(input.op);
  SetText(node, "op_name", adapter.case_name());
  AddTensors(node, "input", input.inputs, path, raw_files);
  AddTensors(node, "output", input.outputs, path, raw_files);
  WriteCriteria(input, node);
  WriteParameters(input, adapter.description(), node);
  if (input.expected_status != MLUOP_STATUS_SUCCESS) {
    SetInteger(node, "expected_status", input.expected_status);
  }
}

// ---- A message to bytes -------------------------------------------------------------------------

// Prints the shortest text that is read back as the same number.
class ShortestNumbers : public pb::TextFormat::FastFieldValuePrinter {
 public:
  void PrintFloat(float value, pb::TextFormat::BaseTextGenerator* generator) const override {
    std::string text = fmt::format("{}", value);
    // Readers parse a double and convert it to float, which may round twice.
    if (static_cast<float>(std::strtod(text.c_str(), nullptr)) != value) {
      text = fmt::format("{:.9g}", value);
    }
    generator->PrintString(text);
  }
  void PrintDouble(double value, pb::TextFormat::BaseTextGenerator* generator) const override {
    generator->PrintString(fmt::format("{}", value));
  }
};

std::string ToText(const pb::Message& node) {
  pb::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  printer.SetDefaultFieldValuePrinter(new ShortestNumbers);  // takes ownership
  std::string text;
  if (!printer.PrintToString(node, &text)) {
    throw std::logic_error("a case cannot be printed");
  }
  return text;
}

std::string ToBinary(const pb::Message& node) {
  std::string bytes;
  pb::io::StringOutputStream stream(&bytes);
  pb::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  if (!node.SerializeToCodedStream(&coded)) {
    throw std::logic_error("a case cannot be serialized");
  }
  coded.Trim();
  return bytes;
}

}  // namespace

void WriteCase(const Case& input, const std::string& path, CaseFormat format) {
  static const CaseSchema schema;
  const std::unique_ptr<pb::Message> node = schema.NewNode();
  std::vector<RawFile> raw_files;
  AddCase(*node, input, path, raw_files);
  OutputFile file(path);
  file.Write(format == CaseFormat::kText ? ToText(*node) : ToBinary(*node));
  std::vector<std::unique_ptr<OutputFile>> raw_outputs;
  for (const RawFile& raw : raw_files) {
    raw_outputs.push_back(std::make_unique<OutputFile>(raw.path));
    raw_outputs.back()->Write(raw.values->data(), raw.values->size());
  }
  size_t done = 0;
  try {
    // The case file comes last: when it exists, its raw files exist.
    for (; done < raw_outputs.size(); ++done) {
      raw_outputs[done]->Commit();
    }
    file.Commit();
  } catch (...) {
    std::error_code ignored;
    for (size_t i = 0; i < done; ++i) {
      std::filesystem::remove(raw_files[i].path, ignored);
    }
    throw;
  }
}

}  // namespace detops::cli
