// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Whether the compiler was told to be fast: what takes seconds then would take minutes elsewhere.

#ifndef DETOPS_TESTING_SLOW_BUILD_H_
#define DETOPS_TESTING_SLOW_BUILD_H_

#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DETOPS_SLOW_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DETOPS_SLOW_BUILD 1
#endif
#endif

#endif  // DETOPS_TESTING_SLOW_BUILD_H_
