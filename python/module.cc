// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The module: every operator's functions, and what concerns them all.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>

#include "core/operators.h"
#include "core/version.h"
#include "detops/error.hpp"
#include "detops/info.hpp"
#include "python/arrays.h"
#include "python/call.h"

namespace nb = nanobind;

namespace detops {

// The same list as in core/operators.cc. An operator's functions stand in its bind.cc.
#define DETOPS_OPERATOR(op)       \
  namespace op {                  \
  void Bind(nb::module_& module); \
  }
#include "core/operators.inc"
#undef DETOPS_OPERATOR

}  // namespace detops

namespace detops::python {
namespace {

PyObject* ExceptionFor(mluOpStatus_t status) {
  switch (status) {
    case MLUOP_STATUS_BAD_PARAM:
    case MLUOP_STATUS_NOT_SUPPORTED:
      return PyExc_ValueError;
    case MLUOP_STATUS_ALLOC_FAILED:
      return PyExc_MemoryError;
    default:
      return PyExc_RuntimeError;
  }
}

void TranslateError(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    PyErr_SetString(ExceptionFor(error.status()), error.what());
  }
}

nb::dict InfoAsDict() {
  const Info info = GetInfo();
  std::vector<std::string> operators;
  for (const Operator* const op : Operators()) {
    operators.emplace_back(op->name);
  }
  nb::dict result;
  result["version"] = info.version;
  result["cpu"] = info.cpu;
  result["cores"] = info.cores;
  result["threads"] = Threads();
  result["simd_target"] = info.simd_target;
  result["simd_targets"] = info.simd_targets;
  result["operators"] = operators;
  return result;
}

void BindCommon(nb::module_& module) {
  module.attr("__version__") = kVersion;
  module.def("set_num_threads", &SetThreads, nb::arg("threads"),
             R"(Sets how many threads an operator may use, for all threads of Python.

0 goes back to the default: all cores, or DETOPS_NUM_THREADS. Results do not depend on it.

>>> import detops
>>> detops.set_num_threads(1)
>>> detops.get_num_threads()
1
>>> detops.set_num_threads(0)
)");
  module.def("get_num_threads", &Threads,
             R"(How many threads an operator may use.

>>> import detops
>>> detops.get_num_threads() >= 1
True
)");
  module.def("info", &InfoAsDict, nb::sig("def info() -> dict[str, object]"),
             R"(What the library is and what it runs on.

Keys: version, cpu, cores (that this process may use), threads (that an operator may use), simd_target (in
use), simd_targets (that could be used here, the best first), operators.

>>> import detops
>>> detops.info()["version"] == detops.__version__
True
)");
}

}  // namespace
}  // namespace detops::python

// NOLINTNEXTLINE(bugprone-*): the macro's own code
NB_MODULE(_detops, module) {
  // A failed call raises; saying the same on stderr is for those who ask.
  if (std::getenv("DETOPS_LOG_LEVEL") == nullptr) {
    detopsSetLogLevel(DETOPS_LOG_OFF);
  }
  nb::register_exception_translator(detops::python::TranslateError);
  detops::python::LoadNumpy();
  detops::python::BindCommon(module);
#define DETOPS_OPERATOR(op) detops::op::Bind(module);
#include "core/operators.inc"
#undef DETOPS_OPERATOR
}
