// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief Version of the library and properties of the machine.

#ifndef DETOPS_INFO_HPP_
#define DETOPS_INFO_HPP_

#include <string>
#include <vector>

#include "detops/export.hpp"

namespace detops {

/// @brief Version of the library and properties of the machine.
struct Info {
  std::string version;      ///< Version of the library, such as "1.2.3".
  std::string cpu;          ///< Model name of the CPU; "unknown" if the system does not provide it.
  int cores = 0;            ///< Number of cores that this process may use.
  int threads = 0;          ///< Threads of a new context: DETOPS_NUM_THREADS, or all cores.
  std::string simd_target;  ///< Instruction set in use.
  std::vector<std::string> simd_targets;  ///< Available instruction sets, best first.
};

/// @brief Returns the version of the library and properties of the machine.
/// @throws Error if memory runs out.
DETOPS_EXPORT Info GetInfo();

}  // namespace detops

#endif  // DETOPS_INFO_HPP_
