// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/per_thread.h"

namespace detops {

bool PerThreadPointer::Set(void* pointer) noexcept {
  uint32_t key = key_plus_one_.load(std::memory_order_acquire);
  if (key == 0) {
    pthread_key_t created;
    if (pthread_key_create(&created, destroy_) != 0) {
      return false;
    }
    if (key_plus_one_.compare_exchange_strong(key, created + 1, std::memory_order_acq_rel)) {
      key = created + 1;
    } else {
      pthread_key_delete(created);  // another thread was faster; `key` is its key
    }
  }
  return pthread_setspecific(key - 1, pointer) == 0;
}

}  // namespace detops
