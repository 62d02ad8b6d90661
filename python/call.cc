// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "python/call.h"

#include <unistd.h>

#include <atomic>

#include "core/handle.h"
#include "runtime/thread_context.h"

namespace detops::python {
namespace {

std::atomic<int> wanted_threads{0};  // 0: the default

bool IsInterpreterShuttingDown() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

[[noreturn]] void WaitForTheProcessToEnd() {
  while (true) {
    pause();
  }
}

}  // namespace

WithoutGil::WithoutGil() {
  if (!IsInterpreterShuttingDown()) {
    state_ = PyEval_SaveThread();
  }
}

WithoutGil::~WithoutGil() {
  if (state_ != nullptr) {
    TakeGil();
  }
}

void WithoutGil::TakeGil() {
  // While the interpreter shuts down, Python calls pthread_exit in a thread that asks for the GIL.
  // That unwinds the thread's frames, and nanobind's are noexcept: the process would abort.
  // Checking beforehand is not enough, because the shutdown may begin while this thread waits for
  // the GIL.
  try {
    PyEval_RestoreThread(state_);
  } catch (...) {
    WaitForTheProcessToEnd();
  }
}

bool WithoutGil::HandleSignals() {
  if (state_ == nullptr) {
    return false;
  }
  TakeGil();
  const bool raised = PyErr_CheckSignals() != 0;
  state_ = PyEval_SaveThread();
  return raised;
}

// Taking the GIL may wait for other threads. Calls that take less time never do.
constexpr auto kTimeBetweenChecks = std::chrono::milliseconds(100);

SignalWatch::SignalWatch(WithoutGil& without_gil, Context& context)
    : without_gil_(without_gil), context_(context), next_check_(Clock::now() + kTimeBetweenChecks) {
  Find<Handle>(context_.handle())->threads().SetInterruption(this);
}

SignalWatch::~SignalWatch() { Find<Handle>(context_.handle())->threads().SetInterruption(nullptr); }

bool SignalWatch::IsRequested() {
  if (Clock::now() < next_check_) {
    return false;
  }
  const bool raised = without_gil_.HandleSignals();
  next_check_ = Clock::now() + kTimeBetweenChecks;
  return raised;
}

void ThrowExceptionOfSignal() {
  if (PyErr_Occurred() != nullptr) {
    throw nb::python_error();
  }
}

Context& CallContext() {
  // Initial-exec: accessing it never allocates.
  __attribute__((tls_model("initial-exec"))) thread_local int applied_threads = 0;
  Context& context = ThreadContext();
  const int wanted = wanted_threads.load(std::memory_order_relaxed);
  if (wanted != applied_threads) {
    context.SetThreads(wanted);
    applied_threads = wanted;
  }
  return context;
}

void SetThreads(int threads) {
  ThreadContext().SetThreads(threads);  // throws if the number is invalid
  wanted_threads.store(threads, std::memory_order_relaxed);
}

int Threads() { return CallContext().threads(); }

}  // namespace detops::python
