// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Benchmarks on shared, noisy machines: what is compared runs in turns, medians are reported, and
// the ratio is what counts.

#ifndef DETOPS_BENCH_INTERLEAVED_H_
#define DETOPS_BENCH_INTERLEAVED_H_

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "measure/timing.h"

namespace detops {

struct Medians {
  double ours;
  double other;
};

// Several calls in a turn: the first one wakes the threads that slept while the other side ran,
// which takes as long as a small operator where the machine is a virtual one (1000 x 1000 overlaps:
// 0.11 ms, after a pause 0.2). The median is that of a program that calls again and again.
constexpr int kCallsInTurn = 8;

template <class Call>
double SecondsOfTurn(const Call& call, std::vector<double>& samples) {
  double seconds = 0;
  for (int i = 0; i < kCallsInTurn; ++i) {
    samples.push_back(SecondsOf(call));
    seconds += samples.back();
  }
  return seconds;
}

// Times both in turns, as often as the benchmark asks. Use with UseManualTime: the benchmark's own
// time is that of our turn. Reports the medians of single calls as counters "ours_us" and
// "<other>_us", and "ratio", ours to the other's.
template <class Ours, class Other>
Medians Interleave(benchmark::State& state, const Ours& ours, const char* other_name,
                   const Other& other) {
  std::vector<double> our_samples;
  std::vector<double> other_samples;
  for (auto _ : state) {
    static_cast<void>(SecondsOfTurn(other, other_samples));
    state.SetIterationTime(SecondsOfTurn(ours, our_samples));
  }
  const Medians medians{Median(our_samples), Median(other_samples)};
  state.counters["ours_us"] = medians.ours * 1e6;
  state.counters[std::string(other_name) + "_us"] = medians.other * 1e6;
  state.counters["ratio"] = medians.ours / medians.other;
  return medians;
}

}  // namespace detops

#endif  // DETOPS_BENCH_INTERLEAVED_H_
