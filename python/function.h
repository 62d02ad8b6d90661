// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The functions of the package as Python objects.

#ifndef DETOPS_PYTHON_FUNCTION_H_
#define DETOPS_PYTHON_FUNCTION_H_

#include <nanobind/nanobind.h>

namespace detops::python {

// Replaces each function that nanobind added to the module by an object that forwards calls to it.
// Unlike nanobind's functions, these objects can be pickled (by name), copied, inspected and weakly
// referenced.
void WrapFunctions(nanobind::module_& module);

}  // namespace detops::python

#endif  // DETOPS_PYTHON_FUNCTION_H_
