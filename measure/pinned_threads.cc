// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "measure/pinned_threads.h"
#include "core/cores.h"
#include "core/simd_target.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

namespace detops {
namespace {

// How long to wait for the workers, which may be busy elsewhere.
constexpr auto kPatience = std::chrono::seconds(1);

std::vector<int> AllowedCores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &allowed)) {
        cores.push_back(core);
      }
    }
  }
  return cores;
}

// Pins each thread to the next core, once.
void PinThisThread() {
  static const std::vector<int> cores = AllowedCores();
  static std::atomic<size_t> pinned{0};
  thread_local bool done = false;
  if (done || cores.empty()) {
    return;
  }
  done = true;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(cores[pinned++ % cores.size()], &mine);
  sched_setaffinity(0, sizeof(mine), &mine);
}

}  // namespace

PinnedThreads::PinnedThreads(int count) : Threads(count) {
  InitSimdTarget();
  const int expected = std::min(count, AvailableCores());
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::atomic<int> arrived{0};
  // Each part waits until all parts have started, so every thread runs exactly one.
  ParallelFor(*this, expected, 1e9, [&](int64_t begin, int64_t end) {
    arrived += static_cast<int>(end - begin);
    PinThisThread();
    while (arrived < expected && std::chrono::steady_clock::now() < deadline) {
    }
  });
}

}  // namespace detops
