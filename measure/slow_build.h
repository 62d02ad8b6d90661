// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How much a test or a measurement looks at, where looking at all of it takes minutes.

#ifndef DETOPS_MEASURE_SLOW_BUILD_H_
#define DETOPS_MEASURE_SLOW_BUILD_H_

namespace detops {

// Whether everything is instrumented or nothing is optimised: tests that take seconds elsewhere
// would take minutes, so they look at less, and what is measured says nothing about the machine.
#if defined(DETOPS_SLOW_BUILD)
inline constexpr bool kSlowBuild = true;
#else
inline constexpr bool kSlowBuild = false;
#endif

}  // namespace detops

#endif  // DETOPS_MEASURE_SLOW_BUILD_H_
