// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Comparative benchmarks on shared, noisy machines: both sides run in turns, and the medians and
// their ratio are reported.

#ifndef DETOPS_BENCH_INTERLEAVED_H_
#define DETOPS_BENCH_INTERLEAVED_H_

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "measure/timing.h"

namespace detops {

// In seconds per call.
struct Medians {
  double ours;
  double other;
};

// Calls per turn. The first call of a turn wakes the threads that slept while the other side ran,
// which on virtual machines takes as long as a small operator (1000 x 1000 overlaps take 0.11 ms,
// and 0.2 ms after a pause). With several calls the median is that of a program that calls
// repeatedly.
constexpr int kCallsInTurn = 8;

// Returns the time of a turn and appends the times of its calls to `samples`.
template <class Call>
double SecondsOfTurn(const Call& call, std::vector<double>& samples) {
  double seconds = 0;
  for (int i = 0; i < kCallsInTurn; ++i) {
    samples.push_back(SecondsOf(call));
    seconds += samples.back();
  }
  return seconds;
}

// Runs both sides in turns, one turn each per iteration. Use with UseManualTime: the time of an
// iteration is that of our turn. Reports the medians of single calls as counters "ours_us" and
// "<other>_us", and their ratio, ours / other, as "ratio".
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
