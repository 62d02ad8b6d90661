// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The log. By default, each failed call writes one line to stderr; users choose the level and the
// destination.

#ifndef DETOPS_CORE_LOG_H_
#define DETOPS_CORE_LOG_H_

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "mlu_op.h"

namespace detops {

// Returns whether lines of this level are written. Check it before formatting a line.
bool LogEnabled(detopsLogLevel_t level) noexcept;

void Log(detopsLogLevel_t level, std::string_view line) noexcept;

// Logs a line that the user has asked for: at every log level except off.
void LogRequested(detopsLogLevel_t level, std::string_view line) noexcept;

// Formats and logs a line at debug level. Costs one comparison when that level is off.
template <class... Values>
void LogDebug(fmt::format_string<Values...> format, Values&&... values) {
  if (LogEnabled(DETOPS_LOG_DEBUG)) {
    Log(DETOPS_LOG_DEBUG, fmt::format(format, std::forward<Values>(values)...));
  }
}

}  // namespace detops

#endif  // DETOPS_CORE_LOG_H_
