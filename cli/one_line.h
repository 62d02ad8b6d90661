// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Messages that quote text from users and their files.

#ifndef DETOPS_CLI_ONE_LINE_H_
#define DETOPS_CLI_ONE_LINE_H_

#include <algorithm>
#include <string>

namespace detops::cli {

// Replaces each control character by ?, so that the text is one line and cannot control a terminal.
inline std::string OneLine(std::string text) {
  const auto is_control = [](unsigned char byte) { return byte < ' ' || byte == 0x7F; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

}  // namespace detops::cli

#endif  // DETOPS_CLI_ONE_LINE_H_
