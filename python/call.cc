// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "python/call.h"

#include <unistd.h>

#include <atomic>

#include "runtime/thread_context.h"

namespace detops::python {
namespace {

std::atomic<int> wanted_threads{0};  // 0: the default

bool IsInterpreterEnding() {
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
  if (!IsInterpreterEnding()) {
    state_ = PyEval_SaveThread();
  }
}

WithoutGil::~WithoutGil() {
  if (state_ == nullptr) {
    return;
  }
  // Where the interpreter ends, Python answers a thread that asks for the GIL with pthread_exit.
  // That unwinds this thread's frames, and those of nanobind let nothing pass: the process would
  // abort. Asking first is not enough, since the end may begin while this thread waits for its
  // turn.
  try {
    PyEval_RestoreThread(state_);
  } catch (...) {
    WaitForTheProcessToEnd();
  }
}

Context& CallContext() {
  thread_local int applied_threads = 0;
  Context& context = ThreadContext();
  const int wanted = wanted_threads.load(std::memory_order_relaxed);
  if (wanted != applied_threads) {
    context.SetThreads(wanted);
    applied_threads = wanted;
  }
  return context;
}

void SetThreads(int threads) {
  ThreadContext().SetThreads(threads);  // refuses what other threads could not use either
  wanted_threads.store(threads, std::memory_order_relaxed);
}

int Threads() { return CallContext().threads(); }

}  // namespace detops::python
