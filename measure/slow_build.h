// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Lets tests and measurements do less in slow builds.

#ifndef DETOPS_MEASURE_SLOW_BUILD_H_
#define DETOPS_MEASURE_SLOW_BUILD_H_

namespace detops {

// True in builds that are instrumented or not optimized. Tests that take seconds elsewhere would
// take minutes, so they cover less, and timings are meaningless.
#if defined(DETOPS_SLOW_BUILD)
inline constexpr bool kSlowBuild = true;
#else
inline constexpr bool kSlowBuild = false;
#endif

}  // namespace detops

#endif  // DETOPS_MEASURE_SLOW_BUILD_H_
