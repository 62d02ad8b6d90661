// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Text for HTML and SVG.

#ifndef DETOPS_CLI_HTML_H_
#define DETOPS_CLI_HTML_H_

#include <string>
#include <string_view>

namespace detops::cli {

// Escapes text for use in elements and in double-quoted attributes.
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

}  // namespace detops::cli

#endif  // DETOPS_CLI_HTML_H_
