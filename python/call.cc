// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "python/call.h"

#include <unistd.h>

#include <atomic>

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
  if (state_ == nullptr) {
    return;
  }
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
