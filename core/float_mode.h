// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The floating-point mode under which everything is computed.

#ifndef DETOPS_CORE_FLOAT_MODE_H_
#define DETOPS_CORE_FLOAT_MODE_H_

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops {

// While it lives, the thread rounds to nearest, keeps denormals and traps nothing. Then the
// caller's mode is back, with the exception flags as they were: users may have switched denormals
// off (audio, games, PyTorch) or traps on, and results must not depend on it.
class DefaultFloatMode {
 public:
  // Writing the register costs tens of nanoseconds on Intel's cores, so nothing is written that is
  // there already. Flags change no result, and most programs have set the usual ones long ago.
  DefaultFloatMode() : saved_(Get()) {
    if ((saved_ & ~kFlags) != kDefault) {
      Set(kDefault);
    }
  }
  ~DefaultFloatMode() {
    if (Get() != saved_) {
      Set(saved_);
    }
  }
  DefaultFloatMode(const DefaultFloatMode&) = delete;
  DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

 private:
#if defined(__SSE2__)
  using Word = uint32_t;
  static constexpr Word kDefault = 0x1F80;  // all exceptions masked, no flag set
  static constexpr Word kFlags = 0x3F;
  static Word Get() { return _mm_getcsr(); }
  static void Set(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
  using Word = uint64_t;
  static constexpr Word kDefault = 0;
  static constexpr Word kFlags = 0;  // they have a register of their own
  static Word Get() {
    Word word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void Set(Word word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
#error "detops does not know this architecture's floating-point control register"
#endif

  const Word saved_;
};

}  // namespace detops

#endif  // DETOPS_CORE_FLOAT_MODE_H_
