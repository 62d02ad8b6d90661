// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Benchmarks on shared, noisy machines: what is compared runs in turns, medians are reported, and
// the ratio is what counts.

#ifndef DETOPS_BENCH_INTERLEAVED_H_
#define DETOPS_BENCH_INTERLEAVED_H_

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/timing.h"

namespace detops {

struct Medians {
  double ours;
  double other;
};

// Times both in turns, as often as the benchmark asks. Use with UseManualTime: the benchmark's own
// time is ours. Reports the medians as counters "ours_us" and "<other>_us", and "ratio", ours to
// the other's.
template <class Ours, class Other>
Medians Interleave(benchmark::State& state, const Ours& ours, const char* other_name,
                   const Other& other) {
  std::vector<double> our_samples;
  std::vector<double> other_samples;
  for (auto _ : state) {
    other_samples.push_back(SecondsOf(other));
    our_samples.push_back(SecondsOf(ours));
    state.SetIterationTime(our_samples.back());
  }
  const Medians medians{Median(our_samples), Median(other_samples)};
  state.counters["ours_us"] = medians.ours * 1e6;
  state.counters[std::string(other_name) + "_us"] = medians.other * 1e6;
  state.counters["ratio"] = medians.ours / medians.other;
  return medians;
}

}  // namespace detops

#endif  // DETOPS_BENCH_INTERLEAVED_H_
