// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Benchmarks that compare a call with the limits of the machine and with its reference.

#ifndef DETOPS_BENCH_EFFICIENCY_H_
#define DETOPS_BENCH_EFFICIENCY_H_

#include <benchmark/benchmark.h>

#include <vector>

#include "bench/interleaved.h"
#include "measure/limits.h"

namespace detops {

// The least work of a call, and the time that the reference takes.
struct Work {
  double bytes;       // read and written
  double operations;  // float additions and multiplications, not fused
  double reference_seconds;
};

// Times run(), which returns whether it succeeded. The counters are the median time ("ours_us"),
// its ratio to the reference's ("reference_ratio"), and the achieved shares of the machine's memory
// bandwidth ("io_efficiency") and of its throughput of additions and multiplications that are not
// fused ("compute_efficiency").
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
