// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Ends a long call early, for example because the user of a Python program has pressed Ctrl-C.

#ifndef DETOPS_CORE_INTERRUPTION_H_
#define DETOPS_CORE_INTERRUPTION_H_

#include <exception>

namespace detops {

// Parallel loops ask it on the calling thread, before each part.
class Interruption {
 public:
  // Returns whether the call shall end. Is called often, so it must look at a clock first if it
  // does more than that.
  virtual bool IsRequested() = 0;

 protected:
  ~Interruption() = default;
};

// What a loop throws when an interruption was requested. No thread works on the loop any more.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace detops

#endif  // DETOPS_CORE_INTERRUPTION_H_
