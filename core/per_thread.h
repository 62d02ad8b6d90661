// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Objects of which each thread has its own. Differences from thread_local objects:
// - Running out of memory is an exception. (The C library ends the process when it has no memory
//   for a thread_local object of a library that was loaded at run time, or for its destructor.)
// - They outlive all thread_local objects of their thread, and those of the main thread are never
//   destroyed, so destructors of thread_local and static objects may use them.

#ifndef DETOPS_CORE_PER_THREAD_H_
#define DETOPS_CORE_PER_THREAD_H_

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace detops {

// A pointer per thread, null at first. `destroy` is called with the pointer of a thread that ends.
class PerThreadPointer {
 public:
  constexpr explicit PerThreadPointer(void (*destroy)(void*)) : destroy_(destroy) {}

  void* Get() const noexcept {
    const uint32_t key = key_plus_one_.load(std::memory_order_acquire);
    return key != 0 ? pthread_getspecific(key - 1) : nullptr;
  }
  // Returns whether there was memory to store the pointer.
  bool Set(void* pointer) noexcept;

 private:
  void (*const destroy_)(void*);
  std::atomic<uint32_t> key_plus_one_{0};
};

// An instance must be static.
template <class T>
class PerThread {
 public:
  constexpr PerThread() = default;

  // Returns the calling thread's object, which the first call creates. Throws std::bad_alloc, and
  // what the constructor of T throws.
  T& Get() {
    void* const found = pointer_.Get();
    return found != nullptr ? *static_cast<T*>(found) : Create();
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  // With malloc: the objects belong to the thread, not to the call that happens to be its first, so
  // they do not count as memory of that call.
  T& Create() {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    std::unique_ptr<void, Free> memory(std::malloc(sizeof(T)));
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    T* const object = new (memory.get()) T;
    if (!pointer_.Set(object)) {
      object->~T();
      throw std::bad_alloc();
    }
    (void)memory.release();
    return *object;
  }

  static void Destroy(void* object) {
    static_cast<T*>(object)->~T();
    std::free(object);
  }

  PerThreadPointer pointer_{Destroy};
};

}  // namespace detops

#endif  // DETOPS_CORE_PER_THREAD_H_
