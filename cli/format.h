// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Figures as people read them.

#ifndef DETOPS_CLI_FORMAT_H_
#define DETOPS_CLI_FORMAT_H_

#include <string>
#include <string_view>

namespace detops::cli {

// Three digits that count: "1.23", "12.3", "123".
std::string FormatThreeDigits(double value);

// "12.3 us". Nothing takes no time at all: 0 stands for what was not measured, and gives "-".
std::string FormatSeconds(double seconds);

// "21.3 GB/s" of 21.3e9 and "B/s".
std::string FormatWithPrefix(double value, std::string_view unit);

// "38x", "3.8x", "0.38x", "15500x".
std::string FormatRatio(double ratio);

// "61 %", "6.1 %", "0.061 %", of a part of 1.
std::string FormatPercent(double part);

// Of an error or its limit: "3.2e-8", "0.003", "0".
std::string FormatError(double error);

}  // namespace detops::cli

#endif  // DETOPS_CLI_FORMAT_H_
