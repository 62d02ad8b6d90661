// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/numpy_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <system_error>
#include <utility>

namespace detops::cli {
namespace {

// NumPy pads the header so that the data begins at a multiple of this.
constexpr size_t kHeaderAlignment = 64;
// NumPy reserves this much room for the first dimension, so that it can grow in place.
constexpr size_t kFirstDimensionDigits = 21;

struct FileType {
  mluOpDataType_t dtype;
  std::string_view code;  // without the byte order
};
constexpr FileType kTypes[] = {
    {MLUOP_DTYPE_FLOAT, "f4"}, {MLUOP_DTYPE_HALF, "f2"}, {MLUOP_DTYPE_INT32, "i4"}};

// Parses a dictionary as Python prints it.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  NumpyHeader Parse() {
    NumpyHeader header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    Expect('{');
    while (!Accept('}')) {
      const std::string key = TakeText();
      Expect(':');
      if (key == "descr" && !std::exchange(has_type, true)) {
        header.type = TakeType();
      } else if (key == "fortran_order" && !std::exchange(has_order, true)) {
        header.fortran_order = TakeBool();
      } else if (key == "shape" && !std::exchange(has_shape, true)) {
        header.shape = TakeShape();
      } else {
        Fail();
      }
      if (!Accept(',')) {
        Expect('}');
        break;
      }
    }
    SkipSpace();
    if (!text_.empty() || !has_type || !has_order || !has_shape) {
      Fail();
    }
    return header;
  }

 private:
  [[noreturn]] void Fail() const {
    throw UserError(
        "has an invalid header; it must be a dictionary of descr, fortran_order and shape, as "
        "NumPy writes it");
  }

  void SkipSpace() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
  }

  bool Accept(char character) {
    SkipSpace();
    const bool is_next = !text_.empty() && text_[0] == character;
    text_.remove_prefix(is_next ? 1 : 0);
    return is_next;
  }

  bool AcceptWord(std::string_view word) {
    SkipSpace();
    const bool is_next = text_.substr(0, word.size()) == word;
    text_.remove_prefix(is_next ? word.size() : 0);
    return is_next;
  }

  void Expect(char character) {
    if (!Accept(character)) {
      Fail();
    }
  }

  std::string TakeText() {
    const char quote = Accept('\'') ? '\'' : '"';
    if (quote == '"') {
      Expect('"');
    }
    const size_t end = text_.find(quote);
    if (end == std::string_view::npos ||
        text_.substr(0, end).find('\\') != std::string_view::npos) {
      Fail();
    }
    std::string text(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return text;
  }

  std::string TakeType() {
    if (Accept('[')) {
      throw UserError("has a structured type; it must be float32, float16 or int32");
    }
    return TakeText();
  }

  bool TakeBool() {
    if (AcceptWord("True")) {
      return true;
    }
    if (!AcceptWord("False")) {
      Fail();
    }
    return false;
  }

  std::vector<int64_t> TakeShape() {
    std::vector<int64_t> shape;
    Expect('(');
    while (!Accept(')')) {
      shape.push_back(TakeInteger());
      AcceptWord("L");  // Python 2 prints long integers with it
      if (!Accept(',')) {
        Expect(')');
        if (shape.size() == 1) {
          Fail();  // (3) is a number, not a tuple
        }
        break;
      }
    }
    return shape;
  }

  int64_t TakeInteger() {
    SkipSpace();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) {
      Fail();
    }
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return value;
  }

  std::string_view text_;
};

// Returns "float64" for "f8"; unknown codes in quotes.
std::string TypeName(std::string_view code) {
  constexpr std::pair<char, const char*> kKinds[] = {
      {'f', "float"}, {'i', "int"}, {'u', "uint"}, {'c', "complex"}};
  int bytes = 0;
  const bool has_size =
      code.size() > 1 &&
      std::from_chars(code.data() + 1, code.data() + code.size(), bytes).ec == std::errc();
  if (code == "b1") {
    return "bool";
  }
  for (const auto& [kind, name] : kKinds) {
    if (has_size && code[0] == kind && bytes > 0 && bytes <= 32) {
      return fmt::format("{}{}", name, 8 * bytes);
    }
  }
  return fmt::format("'{}'", code);
}

std::string ShapeText(const std::vector<int64_t>& dims) {
  return fmt::format("({}{})", fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
}

}  // namespace

NumpyHeader ParseNumpyHeader(std::string_view text) { return HeaderParser(text).Parse(); }

mluOpDataType_t ParseNumpyType(const std::string& type) {
  std::string_view code = type;
  char order = '=';
  if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
    order = code[0];
    code.remove_prefix(1);
  }
  for (const FileType& entry : kTypes) {
    if (entry.code == code && order != '>') {
      return entry.dtype;
    }
  }
  const bool is_integer =
      !code.empty() && std::string_view("iub").find(code[0]) != std::string_view::npos;
  throw UserError(fmt::format(
      "has type {}{}; it must be float32, float16 or int32 (convert with .astype(np.{}))",
      order == '>' ? "big-endian " : "", TypeName(code), is_integer ? "int32" : "float32"));
}

std::string MakeNumpyHeader(const std::string& path, const Tensor& tensor) {
  const auto* const type =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const FileType& entry) { return entry.dtype == tensor.dtype; });
  if (type == std::end(kTypes)) {
    throw UserError(fmt::format("{}: cannot hold {}; the type must be float, half or int32", path,
                                tensor.ToString()));
  }
  std::string text = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': {}, }}",
                                 type->code, ShapeText(tensor.dims));
  if (!tensor.dims.empty()) {
    text.append(kFirstDimensionDigits - fmt::formatted_size("{}", tensor.dims[0]), ' ');
  }
  const size_t before = kNumpyMagic.size() + 4;
  const size_t unpadded = before + text.size() + 1;
  text.append((kHeaderAlignment - unpadded % kHeaderAlignment) % kHeaderAlignment, ' ');
  text += '\n';
  std::string header(kNumpyMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace detops::cli
