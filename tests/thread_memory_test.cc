// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A thread whose first call fails, in a process that has loaded the library at run time and has no
// memory left. The C library ends a process that has no memory for a library's thread-local data,
// so the library must not need any. Usage: thread_memory_test LIBRARY.

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <thread>

#include "mlu_op.h"

// The C library's own functions, under the names that a program cannot replace.
// NOLINTBEGIN(bugprone-reserved-identifier): the names are given
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

std::atomic<bool> out_of_memory{false};

}  // namespace

// Functions of the program take precedence over those of the C library, also for calls from inside
// its loader.
extern "C" {
void* malloc(size_t size) { return out_of_memory ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return out_of_memory ? nullptr : __libc_calloc(count, size);
}
void* memalign(size_t alignment, size_t size) {
  return out_of_memory ? nullptr : __libc_memalign(alignment, size);
}
}

namespace {

template <class Function>
Function* Load(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

// Returns what is wrong, or null.
const char* FailWithoutMemory(void* library) {
  auto* const destroy = Load<decltype(mluOpDestroy)>(library, "mluOpDestroy");
  auto* const last_error = Load<decltype(detopsGetLastError)>(library, "detopsGetLastError");
  out_of_memory = true;
  const mluOpStatus_t status = destroy(nullptr);
  const char* const text = last_error();
  out_of_memory = false;
  if (status != MLUOP_STATUS_BAD_PARAM && status != MLUOP_STATUS_ALLOC_FAILED) {
    return "mluOpDestroy(nullptr) succeeded";
  }
  return text[0] == '\0' ? "there is no text of the last error" : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) {
    std::fprintf(stderr, "thread_memory_test: %s\n", argc == 2 ? dlerror() : "LIBRARY is missing");
    return 2;
  }
  // The logging library has thread-local data of its own.
  Load<decltype(detopsSetLogLevel)>(library, "detopsSetLogLevel")(DETOPS_LOG_OFF);
  const char* failure = nullptr;
  std::thread([&] { failure = FailWithoutMemory(library); }).join();
  if (failure != nullptr) {
    std::fprintf(stderr, "thread_memory_test: %s\n", failure);
  }
  return failure != nullptr ? 1 : 0;
}
