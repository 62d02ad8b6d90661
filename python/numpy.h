// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The objects of NumPy and of other modules that conversions use.

#ifndef DETOPS_PYTHON_NUMPY_H_
#define DETOPS_PYTHON_NUMPY_H_

#include <nanobind/nanobind.h>

namespace detops::python {

struct Numpy {
  nanobind::object ndarray;
  nanobind::object asarray;
  nanobind::object empty;
  nanobind::object zeros;
  nanobind::object float16;
  nanobind::object float32;
  nanobind::object float64;
  nanobind::object int32;
};

// Imports NumPy. Called when the module is loaded, so that calls need not look the objects up.
void LoadNumpy();

// Returns what LoadNumpy imported.
const Numpy& LoadedNumpy();

// Returns a module, or an invalid object if the program has not imported it.
nanobind::object ModuleIfLoaded(const char* name);

}  // namespace detops::python

#endif  // DETOPS_PYTHON_NUMPY_H_
