// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Text as pages show it.

#ifndef DETOPS_CLI_HTML_H_
#define DETOPS_CLI_HTML_H_

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace detops::cli {

// For the text of elements and for attributes in double quotes, of HTML and of SVG.
inline std::string Escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// "1 thread", "2 threads".
inline std::string Counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace detops::cli

#endif  // DETOPS_CLI_HTML_H_
