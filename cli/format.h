// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Numbers in the form that people read.

#ifndef DETOPS_CLI_FORMAT_H_
#define DETOPS_CLI_FORMAT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace detops::cli {

// Three significant digits: "1.23", "12.3", "123".
std::string FormatThreeDigits(double value);

// "12.3 us". 0 means that nothing was measured and gives "-".
std::string FormatSeconds(double seconds);

// "21.3 GB/s" for 21.3e9 and "B/s".
std::string FormatWithPrefix(double value, std::string_view unit);

// "38x", "3.8x", "0.38x", "15500x".
std::string FormatRatio(double ratio);

// "61 %", "6.1 %", "0.061 %" for 0.61, 0.061, 0.00061.
std::string FormatPercent(double part);

// "3.2e-8", "0.003", "0" for an error or its limit.
std::string FormatError(double error);

// "1 thread", "2 threads".
std::string Counted(size_t count, std::string_view noun);

}  // namespace detops::cli

#endif  // DETOPS_CLI_FORMAT_H_
