// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Benchmarks that measure the constants of a costs.h, so that `make costs` can print the typed-in
// and the measured values side by side:
//
//   const bool registered = [] {
//     RegisterCost("poly_nms", "kNanosecondsPerIou", "ns per pair", kNanosecondsPerIou,
//                  [](benchmark::State& state) {
//                    const Pairs pairs = MakePairs(1000);
//                    return NanosecondsPer(1000, state, [&] { ComputeIous(pairs); });
//                  });
//     return true;
//   }();
//
// Constants are costs on one thread unless their comment says otherwise.

#ifndef DETOPS_BENCH_COST_H_
#define DETOPS_BENCH_COST_H_

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "measure/timing.h"

namespace detops {

// Runs call() once per iteration of the benchmark. Returns the median time, in nanoseconds, divided
// by `units`, the number of boxes, pairs, or whatever the cost is per, that a call processes.
template <class Call>
double NanosecondsPer(double units, benchmark::State& state, const Call& call) {
  std::vector<double> samples;
  for (auto _ : state) {
    samples.push_back(SecondsOf(call));
  }
  return Median(samples) * 1e9 / units;
}

// Registers the benchmark "Cost/<user>/<constant>". `user` is the operator or folder whose costs.h
// defines the constant, `unit` its unit, such as "ns per box", and `value` the value in costs.h.
// measure(state) iterates over `state` and returns the measured value in the same unit. The
// counters are "costs_h" and "measured"; the label is the unit.
template <class Measure>
void RegisterCost(const std::string& user, const std::string& constant, const std::string& unit,
                  double value, const Measure& measure) {
  const std::string name = "Cost/" + user + "/" + constant;
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const double measured = measure(state);
    state.counters["costs_h"] = value;
    state.counters["measured"] = measured;
    state.SetLabel(unit);
  })->MinTime(0.2);
}

}  // namespace detops

#endif  // DETOPS_BENCH_COST_H_
