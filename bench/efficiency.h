// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How near a call comes to what the machine can do.

#ifndef DETOPS_BENCH_EFFICIENCY_H_
#define DETOPS_BENCH_EFFICIENCY_H_

#include <benchmark/benchmark.h>

#include <vector>

#include "bench/interleaved.h"
#include "measure/limits.h"

namespace detops {

// What a call has to do at least, and what the reference takes for it.
struct Work {
  double bytes;
  double operations;
  double reference_seconds;
};

// Times run(), which says whether it succeeded. The counters give the median, as a part of the
// reference's time too, and the bytes and operations in a second as parts of the most there are.
template <class Run>
void TimeEfficiency(benchmark::State& state, Threads& threads, const Work& work, const Run& run) {
  std::vector<double> samples;
  bool ok = true;
  for (auto _ : state) {
    samples.push_back(SecondsOf([&] { ok = run() && ok; }));
    state.SetIterationTime(samples.back());
  }
  const double seconds = Median(samples);
  state.counters["ours_us"] = seconds * 1e6;
  state.counters["reference_ratio"] = seconds / work.reference_seconds;
  state.counters["io_efficiency"] = work.bytes / seconds / BytesMovedPerSecond(threads);
  state.counters["compute_efficiency"] =
      work.operations / seconds / PeakOperationsPerSecond(threads);
  if (!ok) {
    state.SkipWithError("wrong result");
  }
}

}  // namespace detops

#endif  // DETOPS_BENCH_EFFICIENCY_H_
