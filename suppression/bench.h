// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Benchmarks of suppressing operators.

#ifndef DETOPS_SUPPRESSION_BENCH_H_
#define DETOPS_SUPPRESSION_BENCH_H_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "bench/interleaved.h"
#include "core/aligned_buffer.h"
#include "measure/pinned_threads.h"
#include "runtime/job.h"
#include "suppression/cases.h"

namespace detops {

// Times calls for one image, on as many threads as the benchmark's second argument says. The
// counters give the time in the median, the boxes that are kept, and boxes in a second. `reference`
// is null where it cannot be waited for. Returns the median in seconds.
template <class Case, class Args>
double TimeSuppression(benchmark::State& state, const Case& input, size_t workspace_bytes,
                       Status (*run)(RunContext&, const Args&), Kept (*reference)(const Case&)) {
  const auto count = static_cast<double>(input.count());
  PinnedThreads threads(static_cast<int>(state.range(1)));
  const AlignedBuffer scratch(workspace_bytes);
  RunContext context{threads, scratch.data()};
  Kept kept = Kept::Untouched(input.count(), input.images());
  const Args args = input.args(kept.output.data(), kept.result_num.data());
  bool ok = run(context, args).ok();
  double reference_seconds = 0;
  if (reference != nullptr) {
    Kept expected;
    reference_seconds = SecondsOf([&] { expected = reference(input); });
    ok = ok && expected == kept;
  }
  std::vector<double> samples;
  for (auto _ : state) {
    samples.push_back(SecondsOf([&] { ok = run(context, args).ok() && ok; }));
    state.SetIterationTime(samples.back());
  }
  const double seconds = Median(samples);
  state.counters["ours_us"] = seconds * 1e6;
  state.counters["kept"] = kept.result_num[0];
  state.counters["boxes_per_s"] = count / seconds;
  state.counters["bytes_per_box"] = static_cast<double>(workspace_bytes) / count;
  if (reference != nullptr) {
    state.counters["reference_ratio"] = seconds / reference_seconds;
  }
  if (!ok) {
    state.SkipWithError("wrong result");
  }
  return seconds;
}

// Each of these numbers of boxes, on one thread and on two.
inline void ForCounts(benchmark::internal::Benchmark* benchmark,
                      std::initializer_list<int64_t> counts) {
  benchmark->ArgNames({"N", "threads"})->Unit(benchmark::kMicrosecond)->UseManualTime();
  for (const int64_t count : counts) {
    for (const int64_t threads : {1, 2}) {
      benchmark->Args({count, threads});
    }
  }
}

}  // namespace detops

#endif  // DETOPS_SUPPRESSION_BENCH_H_
