// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief Marks the symbols that the shared library exports.

#ifndef DETOPS_EXPORT_HPP_
#define DETOPS_EXPORT_HPP_

#define DETOPS_EXPORT __attribute__((visibility("default")))

#endif  // DETOPS_EXPORT_HPP_
