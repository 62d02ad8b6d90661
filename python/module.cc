// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The extension module: the functions of all operators, threads, info() and error translation.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/environment.h"
#include "core/operators.h"
#include "core/version.h"
#include "detops/error.hpp"
#include "detops/info.hpp"
#include "python/call.h"
#include "python/function.h"
#include "python/numpy.h"

namespace nb = nanobind;

namespace detops {

// Declares Bind of every operator, which is in ops/<op>/bind.cc.
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
  module.def(
      "set_num_threads", &SetThreads, nb::arg("threads"),
      R"(Sets the number of threads that an operator may use, for calls from every Python thread.

0 restores the default: the number of cores, or DETOPS_NUM_THREADS. Results do not depend on it.

>>> import detops
>>> detops.set_num_threads(1)
>>> detops.get_num_threads()
1
>>> detops.set_num_threads(0)
)");
  module.def("get_num_threads", &Threads,
             R"(Returns the number of threads that an operator may use.

>>> import detops
>>> detops.get_num_threads() >= 1
True
)");
  module.def("info", &InfoAsDict, nb::sig("def info() -> dict[str, object]"),
             R"(Returns a dict that describes the library and the machine.

Keys: version, cpu, cores (that this process may use), threads (that an operator may use), simd_target (the
instruction set in use), simd_targets (all that this machine supports, best first), operators.

>>> import detops
>>> detops.info()["version"] == detops.__version__
True
)");
}

}  // namespace
}  // namespace detops::python

// NOLINTNEXTLINE(bugprone-*): code of the macro
NB_MODULE(_detops, module) {
  // A failed call raises an exception, so the log is off unless the user asks for it.
  if (!detops::FromEnvironment("DETOPS_LOG_LEVEL")) {
    detopsSetLogLevel(DETOPS_LOG_OFF);
  }
  nb::register_exception_translator(detops::python::TranslateError);
  detops::python::LoadNumpy();
  detops::python::BindCommon(module);
#define DETOPS_OPERATOR(op) detops::op::Bind(module);
#include "core/operators.inc"
#undef DETOPS_OPERATOR
  detops::python::WrapFunctions(module);
}
