// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls of operators from Python, and the exceptions that their arguments raise.

#ifndef DETOPS_PYTHON_CALL_H_
#define DETOPS_PYTHON_CALL_H_

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/boundary.h"
#include "core/interruption.h"
#include "detops/context.hpp"
#include "detops/error.hpp"
#include "detops/tensor.hpp"

namespace detops::python {

namespace nb = nanobind;

// Returns the calling thread's context, which uses the number of threads that SetThreads was last
// called with on any thread.
Context& CallContext();
void SetThreads(int threads);
int Threads();

// Releases the GIL for its lifetime. If the interpreter shuts down in the meantime, the destructor
// never returns: Python would end the thread in a way that C++ cannot unwind.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

  // Takes the GIL briefly and lets Python handle signals that have arrived. Returns whether a
  // handler has raised an exception, such as KeyboardInterrupt; it is then set in this thread.
  bool HandleSignals();

 private:
  void TakeGil();

  PyThreadState* state_ = nullptr;  // null if the interpreter was already shutting down
};

// During its lifetime, the calling thread's context interrupts a call when a signal handler raises
// an exception.
class SignalWatch final : public Interruption {
 public:
  SignalWatch(WithoutGil& without_gil, Context& context);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  bool IsRequested() override;

 private:
  using Clock = std::chrono::steady_clock;

  WithoutGil& without_gil_;
  Context& context_;
  Clock::time_point next_check_;
};

// Throws the exception that a signal handler has raised, if there is one. Called with the GIL,
// while the error of a call is handled.
void ThrowExceptionOfSignal();

// Calls body(context) without the GIL. Long calls handle signals.
template <class Body>
void Run(const Body& body) {
  try {
    WithoutGil without_gil;
    Context& context = CallContext();
    const SignalWatch watch(without_gil, context);
    body(context);
  } catch (const Error&) {
    ThrowExceptionOfSignal();
    throw;
  }
}

// Calls body(handle), which returns a Status, without the GIL. A failure is thrown as detops::Error
// with the text "function: message"; the module translates it to the Python exception of its
// status.
template <class Body>
void Call(const char* function, const Body& body) {
  Run([&](Context& context) { CppCall(function, [&] { return body(context.handle()); }); });
}

// A bool of Python or of NumPy.
struct Flag {
  bool value = false;
  operator bool() const { return value; }  // NOLINT(google-explicit-constructor)
};

template <class... Values>
nb::builtin_exception ValueError(fmt::format_string<Values...> format, Values&&... values) {
  return nb::value_error(fmt::format(format, std::forward<Values>(values)...).c_str());
}

template <class... Values>
nb::builtin_exception TypeError(fmt::format_string<Values...> format, Values&&... values) {
  return nb::type_error(fmt::format(format, std::forward<Values>(values)...).c_str());
}

// Returns the value of the choice that is named `found`.
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
  throw ValueError("{} is '{}'; it must be '{}' or '{}'", argument, found, first.first,
                   second.first);
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
    // The names in NumPy 2 and in NumPy 1.
    if (!PyBool_Check(source.ptr()) && type != "numpy.bool" && type != "numpy.bool_") {
      return false;
    }
    value.value = PyObject_IsTrue(source.ptr()) == 1;
    return true;
  }
};

#endif  // DETOPS_PYTHON_CALL_H_
