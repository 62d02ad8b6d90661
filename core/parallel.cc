// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/parallel.h"

#include <algorithm>

#include "core/cores.h"
#include "core/costs.h"
#include "core/environment.h"
#include "core/float_mode.h"
#include "core/worker_pool.h"

namespace detops {
namespace {

// Enough parts to balance uneven costs.
constexpr int64_t kPartsPerThread = 8;

// Estimated time between two questions whether to end a call early. Short enough for a person.
constexpr double kNanosecondsBetweenChecks = 20e6;

int64_t CountParts(int threads, Split split, int64_t count, double nanoseconds) {
  if (threads == 1 || (split == Split::kWorthwhile && nanoseconds < kMinParallelNanoseconds)) {
    return 1;
  }
  const int64_t most = threads * kPartsPerThread;
  const int64_t worthwhile =
      split == Split::kAlways
          ? most
          : static_cast<int64_t>(std::min(nanoseconds / kMinPartNanoseconds, 1e9));
  return std::clamp<int64_t>(std::min(worthwhile, most), 1, count);
}

}  // namespace

int DefaultThreads() {
  return IntegerFromEnvironment("DETOPS_NUM_THREADS", 1, kMaxThreads).value_or(AvailableCores());
}

void ParallelLoop::RunPart(int64_t count, int64_t part, int64_t parts) const {
  // The first `longer` parts have one item more. (part * count may overflow.)
  const int64_t size = count / parts;
  const int64_t longer = count % parts;
  const int64_t begin = part * size + std::min(part, longer);
  const int64_t end = begin + size + (part < longer ? 1 : 0);
  function_(body_, begin, end);
}

void ParallelLoop::RunHere(Interruption* interruption, int64_t count, int64_t parts) const {
  const DefaultFloatMode float_mode;
  for (int64_t part = 0; part < parts; ++part) {
    if (interruption != nullptr && interruption->IsRequested()) {
      throw Interrupted();
    }
    RunPart(count, part, parts);
  }
}

void ParallelLoop::Run(const Threads& threads, int64_t count, double nanoseconds_per_item) const {
  if (count <= 0) {
    return;
  }
  const double nanoseconds = static_cast<double>(count) * nanoseconds_per_item;
  int64_t parts = CountParts(threads.count_, threads.split_, count, nanoseconds);
  if (threads.interruption_ != nullptr) {
    const double checks = std::min(nanoseconds / kNanosecondsBetweenChecks, 1e9);
    parts = std::clamp<int64_t>(static_cast<int64_t>(checks), parts, count);
  }
  if (threads.count_ == 1 || parts == 1 || WorkerPool::IsInsideLoop()) {
    return RunHere(threads.interruption_, count, parts);
  }
  const auto run_part = [&](int64_t part) { RunPart(count, part, parts); };
  const SharedLoop::RunPart call = [](const void* erased, int64_t part) {
    (*static_cast<const decltype(run_part)*>(erased))(part);
  };
  SharedLoop loop(call, &run_part, parts);
  // A thread without a part of its own would be woken for nothing.
  const int64_t helpers = std::min<int64_t>(threads.count_, parts) - 1;
  WorkerPool::Get().Run(loop, static_cast<int>(helpers), threads.interruption_);
}

}  // namespace detops
