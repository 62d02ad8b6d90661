// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How an operator is called from Python.

#ifndef DETOPS_PYTHON_CALL_H_
#define DETOPS_PYTHON_CALL_H_

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "detops/context.hpp"
#include "detops/tensor.hpp"

namespace detops::python {

namespace nb = nanobind;

// This thread's context, with the number of threads that was set last, by whichever thread.
Context& CallContext();
void SetThreads(int threads);
int Threads();

// Lets other threads of Python run while it lives. When the interpreter ends meanwhile, this thread
// never comes back: Python would end it in a way that C++ cannot unwind.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_ = nullptr;  // null when the interpreter is ending: then only this one runs
};

// Calls body(context); other threads of Python may run meanwhile.
template <class Body>
void Run(const Body& body) {
  const WithoutGil without_gil;
  body(CallContext());
}

// A bool, of Python or of NumPy.
struct Flag {
  bool value = false;
  operator bool() const { return value; }  // NOLINT(google-explicit-constructor): it is one
};

template <class... Values>
nb::builtin_exception ValueError(fmt::format_string<Values...> format, Values&&... values) {
  return nb::value_error(fmt::format(format, std::forward<Values>(values)...).c_str());
}

template <class... Values>
nb::builtin_exception TypeError(fmt::format_string<Values...> format, Values&&... values) {
  return nb::type_error(fmt::format(format, std::forward<Values>(values)...).c_str());
}

// The choice of that name. There are two.
template <class Choice>
Choice Choose(const char* argument, std::string_view found,
              const std::pair<std::string_view, Choice>& first,
              const std::pair<std::string_view, Choice>& second) {
  if (found == first.first) {
    return first.second;
  }
  if (found == second.first) {
    return second.second;
  }
  throw ValueError("{} is '{}', expected '{}' or '{}'", argument, found, first.first, second.first);
}

inline ImageLayout ToLayout(const char* layout) {
  return Choose<ImageLayout>("layout", layout, {"NHWC", ImageLayout::kNhwc},
                             {"NCHW", ImageLayout::kNchw});
}

}  // namespace detops::python

template <>
struct nanobind::detail::type_caster<detops::python::Flag> {
  NB_TYPE_CASTER(detops::python::Flag, const_name("bool"))

  bool from_python(handle source, uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    const std::string_view type = Py_TYPE(source.ptr())->tp_name;
    // NumPy 2 and NumPy 1.
    if (!PyBool_Check(source.ptr()) && type != "numpy.bool" && type != "numpy.bool_") {
      return false;
    }
    value.value = PyObject_IsTrue(source.ptr()) == 1;
    return true;
  }
};

#endif  // DETOPS_PYTHON_CALL_H_
