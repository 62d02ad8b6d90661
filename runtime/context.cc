// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/thread_context.h"

#include <new>
#include <utility>

#include "core/boundary.h"
#include "core/per_thread.h"

namespace detops {
namespace {

// Throws the failure of a C function, which has already reported it.
void ThrowIfFailed(mluOpStatus_t status) {
  if (status != MLUOP_STATUS_SUCCESS) {
    ThrowError(status, detopsGetLastError());
  }
}

void ThrowIfFailed(cnrtRet_t result) {
  switch (result) {
    case cnrtSuccess:
      return;
    case cnrtErrorNoMem:
      ThrowError(MLUOP_STATUS_ALLOC_FAILED, detopsGetLastError());
    case cnrtErrorArgsInvalid:
      ThrowError(MLUOP_STATUS_BAD_PARAM, detopsGetLastError());
    default:
      ThrowError(MLUOP_STATUS_INTERNAL_ERROR, detopsGetLastError());
  }
}

constinit PerThread<Context> thread_contexts;

}  // namespace

Context& ThreadContext() {
  try {
    return thread_contexts.Get();
  } catch (const std::bad_alloc&) {
    ThrowFailure("the default context", {MLUOP_STATUS_ALLOC_FAILED, "out of memory"});
  }
}

Queue::Queue() { ThrowIfFailed(cnrtQueueCreate(&queue_)); }

Queue::~Queue() {
  if (queue_ != nullptr) {
    cnrtQueueDestroy(queue_);
  }
}

Queue::Queue(Queue&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)) {}

Queue& Queue::operator=(Queue&& other) noexcept {
  std::swap(queue_, other.queue_);
  return *this;
}

void Queue::Sync() { ThrowIfFailed(cnrtQueueSync(queue_)); }

Context::Context() { ThrowIfFailed(mluOpCreate(&handle_)); }

Context::~Context() {
  if (handle_ != nullptr) {
    mluOpDestroy(handle_);
  }
}

Context::Context(Context&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

Context& Context::operator=(Context&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

void Context::SetThreads(int threads) { ThrowIfFailed(detopsSetThreads(handle_, threads)); }

int Context::threads() const {
  int threads = 0;
  ThrowIfFailed(detopsGetThreads(handle_, &threads));
  return threads;
}

void Context::SetQueue(const Queue& queue) { ThrowIfFailed(mluOpSetQueue(handle_, queue.get())); }

void Context::ClearQueue() { ThrowIfFailed(mluOpSetQueue(handle_, nullptr)); }

}  // namespace detops
