// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/case_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

namespace detops {
namespace {

// Hexadecimal values per line.
constexpr int64_t kValuesPerLine = 8;

// Appends fields and nested messages to a text, in lines or in one line.
class TextWriter {
 public:
  explicit TextWriter(bool one_line) : one_line_(one_line) {}

  void Field(std::string_view name, std::string_view value) {
    Begin();
    fmt::format_to(std::back_inserter(text_), "{}: {}", name, value);
    End();
  }
  void Open(std::string_view name) {
    Begin();
    fmt::format_to(std::back_inserter(text_), "{} {{", name);
    End();
    depth_ += 2;
  }
  void Close() {
    depth_ -= 2;
    Begin();
    text_ += '}';
    End();
  }

  std::string Take() {
    if (one_line_ && !text_.empty()) {
      text_.pop_back();  // the space after the last field
    }
    return std::move(text_);
  }

 private:
  void Begin() { text_.append(one_line_ ? 0 : depth_, ' '); }
  void End() { text_ += one_line_ ? ' ' : '\n'; }

  const bool one_line_;
  size_t depth_ = 0;
  std::string text_;
};

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return upper;
}

void WriteShape(const TensorShape& shape, TextWriter& text) {
  const Dimensions usual =
      MakeShape(shape.dtype, shape.rank, shape.dims.data(), shape.layout).strides;
  text.Open("shape");
  for (int i = 0; i < shape.rank; ++i) {
    text.Field("dims", fmt::format("{}", shape.dims[i]));
  }
  // Dimensions of 1, and tensors without elements, may have any stride.
  if (!std::equal(usual.begin(), usual.begin() + shape.rank, shape.strides.begin())) {
    for (int i = 0; i < shape.rank; ++i) {
      text.Field("dim_stride", fmt::format("{}", shape.strides[i]));
    }
  }
  text.Close();
}

void WriteTensor(const RecordedTensor& tensor, TextWriter& text) {
  text.Field("id", QuotedText(tensor.name));
  WriteShape(tensor.shape, text);
  // An operator that accepts an unknown layout ignores it.
  text.Field("layout", fmt::format("LAYOUT_{}", LayoutName(tensor.shape.layout).value_or("ARRAY")));
  text.Field("dtype", fmt::format("DTYPE_{}", UpperCase(*DataTypeName(tensor.shape.dtype))));
}

void WriteRandom(const RandomRange& range, size_t input, TextWriter& text) {
  text.Open("random_data");
  text.Field("seed", fmt::format("{}", input + 1));
  text.Field("lower_bound", FloatText(static_cast<float>(range.lower)));
  text.Field("upper_bound", FloatText(static_cast<float>(range.upper)));
  text.Field("distribution", "UNIFORM");
  text.Close();
}

void WriteBits(const RecordedTensor& tensor, TextWriter& text) {
  const size_t size = DataTypeSize(tensor.shape.dtype);
  const auto* const values = static_cast<const char*>(tensor.data);
  for (int64_t begin = 0; begin < tensor.shape.element_count; begin += kValuesPerLine) {
    const int64_t end = std::min(begin + kValuesPerLine, tensor.shape.element_count);
    std::string list = "[";
    for (int64_t i = begin; i < end; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, values + static_cast<size_t>(i) * size, size);
      fmt::format_to(std::back_inserter(list), "{}\"{:0{}x}\"", i == begin ? "" : ", ", bits,
                     2 * size);
    }
    text.Field("value_h", list + "]");
  }
}

void WriteInput(const RecordedTensor& tensor, size_t input, std::string_view stem, bool with_data,
                TextWriter& text) {
  text.Open("input");
  WriteTensor(tensor, text);
  switch (SourceOf(tensor, with_data)) {
    case ValueSource::kNone:
      break;
    case ValueSource::kRandom:
      WriteRandom(tensor.range, input, text);
      break;
    case ValueSource::kText:
      WriteBits(tensor, text);
      break;
    case ValueSource::kRawFile:
      text.Field("path", QuotedText(RawFileName(stem, input)));
      break;
  }
  text.Close();
}

std::string ParameterText(const RecordedParameter& parameter) {
  if (const bool* const flag = std::get_if<bool>(&parameter.value)) {
    return *flag ? "true" : "false";
  }
  if (const int64_t* const integer = std::get_if<int64_t>(&parameter.value)) {
    return fmt::format("{}", *integer);
  }
  return FloatText(std::get<float>(parameter.value));
}

std::string Write(const RecordedCase& recorded, std::string_view stem, bool with_data,
                  bool one_line) {
  TextWriter text(one_line);
  text.Field("op_name", QuotedText(recorded.op_name));
  for (size_t i = 0; i < recorded.inputs.size(); ++i) {
    WriteInput(recorded.inputs[i], i, stem, with_data, text);
  }
  if (std::all_of(recorded.outputs.begin(), recorded.outputs.end(),
                  [](const RecordedTensor& output) { return output.is_present(); })) {
    for (const RecordedTensor& output : recorded.outputs) {
      text.Open("output");
      WriteTensor(output, text);
      text.Close();
    }
  }
  text.Open(recorded.parameters_name);
  for (const RecordedParameter& parameter : recorded.parameters) {
    text.Field(parameter.name, ParameterText(parameter));
  }
  text.Close();
  return text.Take();
}

}  // namespace

ValueSource SourceOf(const RecordedTensor& input, bool with_data) {
  if (input.shape.element_count == 0) {
    return ValueSource::kNone;
  }
  // A call that has nothing to compute may have inputs without data.
  if (!with_data || input.data == nullptr) {
    return ValueSource::kRandom;
  }
  return input.shape.element_count <= kMaxTextValues ? ValueSource::kText : ValueSource::kRawFile;
}

std::string RawFileName(std::string_view stem, size_t input) {
  return fmt::format("{}_data{}_input", stem, input);
}

std::string CaseText(const RecordedCase& recorded, std::string_view stem, bool with_data) {
  return Write(recorded, stem, with_data, false);
}

std::string CaseLine(const RecordedCase& recorded) { return Write(recorded, "", false, true); }

std::string QuotedText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c >= ' ' && c <= '~') {
      quoted += c;
    } else {
      fmt::format_to(std::back_inserter(quoted), "\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return quoted + '"';
}

std::string FloatText(float value) {
  std::string text = fmt::format("{}", value);
  // Readers convert the text to double and that to float, which may round twice. Nine digits are
  // enough even then.
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return static_cast<float>(read) == value ? text : fmt::format("{:.9g}", value);
}

}  // namespace detops
