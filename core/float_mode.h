// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Makes results independent of the caller's floating-point mode.

#ifndef DETOPS_CORE_FLOAT_MODE_H_
#define DETOPS_CORE_FLOAT_MODE_H_

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops {

// While an instance exists, its thread rounds to nearest, keeps denormals and masks all
// floating-point exceptions. The destructor restores the caller's mode and exception flags. Callers
// may flush denormals (audio, games, PyTorch) or enable traps, and results must not depend on that.
class DefaultFloatMode {
 public:
  // Writing the register takes tens of nanoseconds on Intel cores, so it is written only if its
  // value changes. The exception flags are not compared: they do not affect results, and most
  // programs have raised some of them.
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
  static constexpr Word kFlags = 0;  // they are in a separate register, FPSR
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
