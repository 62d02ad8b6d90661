// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// What the library is and what it runs on.

#ifndef DETOPS_INFO_HPP_
#define DETOPS_INFO_HPP_

#include <string>
#include <vector>

#include "detops/export.hpp"

namespace detops {

struct Info {
  std::string version;      ///< Of the library, "1.2.3".
  std::string cpu;          ///< The CPU's name, "unknown" where the system does not tell.
  int cores = 0;            ///< The cores that this process may use.
  int threads = 0;          ///< What a new handle uses: DETOPS_NUM_THREADS or all cores.
  std::string simd_target;  ///< The instruction set in use.
  std::vector<std::string> simd_targets;  ///< Those that could be used here, the best first.
};

/// Throws detops::Error when there is no memory for it.
DETOPS_EXPORT Info GetInfo();

}  // namespace detops

#endif  // DETOPS_INFO_HPP_
