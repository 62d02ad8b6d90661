// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The text of a recorded case, in protobuf's text format. It is written by hand so that programs
// that use the library do not load protobuf.

#ifndef DETOPS_RUNTIME_CASE_TEXT_H_
#define DETOPS_RUNTIME_CASE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/recorded_case.h"

namespace detops {

// Where a replay gets the values of an input from.
enum class ValueSource {
  kNone,     // the tensor has no elements
  kRandom,   // it draws them
  kText,     // from the case file: the bit pattern of each value in hexadecimal digits
  kRawFile,  // from a file of its own, which holds the tensor's memory
};

// Values of larger tensors go into raw files: text is about four times as large and slow to read.
// Smaller ones are text, so that the case of a small call is one file that can be read, edited and
// pasted into a report.
inline constexpr int64_t kMaxTextValues = 1024;

ValueSource SourceOf(const RecordedTensor& input, bool with_data);

// Returns the name of an input's raw file: the name of the case without its ending, and a suffix.
std::string RawFileName(std::string_view stem, size_t input);

// Returns the text of a case file. `stem` is its name without the ending. Random values are
// different for each tensor, and the same in each text.
std::string CaseText(const RecordedCase& recorded, std::string_view stem, bool with_data);

// Returns a case without data in one line, which is also valid as the contents of a case file.
std::string CaseLine(const RecordedCase& recorded);

// Returns the text of a string in quotation marks. Bytes other than printable ASCII are escaped.
std::string QuotedText(std::string_view text);

// Returns the shortest text that readers convert to exactly this number.
std::string FloatText(float value);

}  // namespace detops

#endif  // DETOPS_RUNTIME_CASE_TEXT_H_
