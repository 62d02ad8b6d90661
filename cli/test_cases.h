// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// For tests: case files as text and as binary, and what ReadCase makes of them.

#ifndef DETOPS_CLI_TEST_CASES_H_
#define DETOPS_CLI_TEST_CASES_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "cli/case_file.h"
#include "cli/test_folder.h"

namespace detops::cli {

// Returns a tensor block, of float[2,4] unless said otherwise, that also contains `fields`.
inline std::string TensorText(const std::string& role, const std::string& fields,
                              const std::string& dims = "dims: 2 dims: 4",
                              const std::string& type = "DTYPE_FLOAT") {
  return role + " { id: \"" + role + "\" shape { " + dims +
         " } layout: LAYOUT_ARRAY dtype: " + type + " " + fields + " }\n";
}

inline const std::string kEight = "value_f: [1, 2, 3, 4, 5, 6, 7, 8]";

// Returns a case of bbox_overlaps with this first input.
inline std::string CaseText(const std::string& first_input, const std::string& rest = "") {
  return "op_name: \"bbox_overlaps\"\n" + first_input + TensorText("input", "") + rest;
}

inline Case ReadText(const std::string& text) {
  const TestFolder folder;
  return ReadCase(folder.Write("some.case.prototxt", text));
}

// Returns the error that reading such a file gives, without the path that it begins with.
inline std::string ErrorOfFile(const std::string& name, const std::string& content) {
  const TestFolder folder;
  const std::string path = folder.Write(name, content);
  const std::string error = UserErrorOf([&] { ReadCase(path); });
  EXPECT_THAT(error, testing::StartsWith(path + ":"));
  EXPECT_EQ(error.find('\n'), std::string::npos);
  return error.substr(std::min(path.size(), error.size()));
}

inline std::string ErrorOfText(const std::string& text) { return ErrorOfFile("a.prototxt", text); }

// Returns the error of a case whose first input contains `fields`.
inline std::string ErrorOfTensor(const std::string& fields,
                                 const std::string& dims = "dims: 2 dims: 4",
                                 const std::string& type = "DTYPE_FLOAT") {
  return ErrorOfText(CaseText(TensorText("input", fields, dims, type)));
}

inline Tensor ReadTensorText(const std::string& fields, const std::string& dims,
                             const std::string& type) {
  return std::move(ReadText(CaseText(TensorText("input", fields, dims, type))).inputs[0]);
}

// ---- Protobuf's wire format, by hand ------------------------------------------------------------

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}
inline std::string Number(int field, uint64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(value);
}
inline std::string Bytes(int field, const std::string& bytes) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(bytes.size()) + bytes;
}
inline std::string Double(int field, double value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return Varint(static_cast<uint64_t>(field) << 3 | 1) + bytes;
}

// Returns a float tensor of two elements that also contains `fields`.
inline std::string BinaryTensor(const std::string& fields) {
  return Bytes(1, "t") + Bytes(2, Number(1, 2)) + Number(3, 5) + Number(4, 2) + fields;
}
inline std::string BinaryCase(const std::string& fields, const std::string& rest = "") {
  return Bytes(5, "bbox_overlaps") + Bytes(6, BinaryTensor(fields)) + Bytes(6, BinaryTensor("")) +
         rest;
}
inline Case ReadBinary(const std::string& bytes) {
  const TestFolder folder;
  return ReadCase(folder.Write("a.pb", bytes));
}

}  // namespace detops::cli

#endif  // DETOPS_CLI_TEST_CASES_H_
