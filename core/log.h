// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The log: one line for each failed call on stderr, unless the user asks for more, less, or another
// place.

#ifndef DETOPS_CORE_LOG_H_
#define DETOPS_CORE_LOG_H_

#include <string_view>

#include "mlu_op.h"

namespace detops {

// Whether a line of this level would go anywhere: ask before formatting one that is rarely wanted.
bool LogEnabled(detopsLogLevel_t level) noexcept;

void Log(detopsLogLevel_t level, std::string_view line) noexcept;

}  // namespace detops

#endif  // DETOPS_CORE_LOG_H_
