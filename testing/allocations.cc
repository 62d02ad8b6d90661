// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "testing/allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

#include "core/math.h"

namespace detops {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Constant-initialized, because other static initializers allocate memory.
std::atomic<int64_t> made{0};
std::atomic<int64_t> freed{0};
std::atomic<int64_t> requested{0};  // since the fault began
std::atomic<int64_t> first_failure{kNever};
std::atomic<int64_t> last_failure{kNever};
std::atomic<int64_t> failures{0};

bool MustFail() {
  if (first_failure.load(std::memory_order_relaxed) == kNever) {
    return false;
  }
  const int64_t number = ++requested;
  if (number < first_failure || number > last_failure) {
    return false;
  }
  ++failures;
  return true;
}

void* Allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (MustFail()) {
    return nullptr;
  }
  const std::size_t rounded = detops::RoundUp(bytes, alignment);
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory != nullptr) {
    ++made;
  }
  return memory;
}

void* AllocateOrThrow(std::size_t bytes, std::size_t alignment) {
  void* const memory = Allocate(bytes, alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

void Free(void* memory) noexcept {
  if (memory != nullptr) {
    ++freed;
    std::free(memory);
  }
}

}  // namespace

int64_t AllocationsMade() { return made; }
int64_t AllocationsAlive() { return made - freed; }

AllocationFault::AllocationFault(int64_t first, Extent extent) {
  requested = 0;
  failures = 0;
  last_failure = extent == Extent::kOne ? first : kNever;
  first_failure = first;
}

AllocationFault::~AllocationFault() { first_failure = kNever; }

int64_t AllocationFault::Failed() { return failures; }

}  // namespace detops

void* operator new(std::size_t bytes) {
  return detops::AllocateOrThrow(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return detops::Allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return detops::AllocateOrThrow(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t& /*tag*/) noexcept {
  return detops::Allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { detops::Free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { detops::Free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  detops::Free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  detops::Free(memory);
}
