// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Every result is compared with the reference before it is timed.

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "bench/interleaved.h"
#include "bench/pinned_threads.h"
#include "core/aligned_buffer.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {
namespace {

// A call in a loop. The counters give the time in the median, how many proposals there are, and the
// time as a part of the reference's.
void Generate(benchmark::State& state, const Case& input, int thread_count) {
  PinnedThreads threads(thread_count);
  Proposals proposals(input);
  const Args args = MakeArgs(input, proposals);
  const AlignedBuffer scratch(WorkspaceBytes(args));
  RunContext context{threads, scratch.data()};
  bool ok = Run(context, args).ok();
  Proposals expected(input);
  const double reference_seconds = SecondsOf([&] { expected = RunReference(input); });
  ok = ok && proposals == expected;
  std::vector<double> samples;
  for (auto _ : state) {
    samples.push_back(SecondsOf([&] { ok = Run(context, args).ok() && ok; }));
    state.SetIterationTime(samples.back());
  }
  const double seconds = Median(samples);
  state.counters["ours_us"] = seconds * 1e6;
  state.counters["kept"] = proposals.total;
  state.counters["reference_ratio"] = seconds / reference_seconds;
  state.counters["workspace_MB"] = static_cast<double>(WorkspaceBytes(args)) * 1e-6;
  if (!ok) {
    state.SkipWithError("wrong result");
  }
}

// The pyramid level of a map: maps of 160 and more rows have a stride of 4 and so on, halving.
float StrideOf(int64_t height) {
  float stride = 4;
  for (int64_t rows = 160; rows > height && stride < 64; rows /= 2) {
    stride *= 2;
  }
  return stride;
}

struct Setting {
  const char* name;
  Shape shape;
  float size;  // of anchors, in strides
  int pre_nms_top_n;
  int post_nms_top_n;
};

void Register(const Setting& setting, Kind kind, int threads) {
  const Shape& shape = setting.shape;
  const std::string name =
      std::string(setting.name) + '/' + NameOf(kind) + '/' + std::to_string(shape.height) + 'x' +
      std::to_string(shape.width) + 'x' + std::to_string(shape.anchors_per_position) +
      "/pre:" + std::to_string(setting.pre_nms_top_n) +
      "/post:" + std::to_string(setting.post_nms_top_n) + "/threads:" + std::to_string(threads);
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 const float stride = StrideOf(shape.height);
                                 Case input =
                                     RandomCase(kind, shape, stride, setting.size * stride, 1);
                                 input.pre_nms_top_n = setting.pre_nms_top_n;
                                 input.post_nms_top_n = setting.post_nms_top_n;
                                 Generate(state, input, threads);
                               })
      ->Unit(benchmark::kMicrosecond)
      ->UseManualTime();
}

const bool kRegistered = [] {
  const Setting settings[] = {
      {"Small", {1, 200, 304, 3}, 2, 12000, 2000}, {"Large", {1, 200, 304, 3}, 32, 12000, 2000},
      {"Small", {1, 168, 256, 3}, 2, 12000, 2000}, {"Map", {1, 54, 40, 15}, 2, 12000, 2000},
      {"Map", {1, 50, 68, 3}, 8, 12000, 2000},     {"Small", {1, 200, 304, 3}, 2, 2000, 1000},
      {"Map", {1, 11, 11, 3}, 8, 12000, 2000},
  };
  for (const Setting& setting : settings) {
    for (const Kind kind : {Kind::kTrained, Kind::kUniform}) {
      for (const int threads : {1, 2}) {
        Register(setting, kind, threads);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace detops::generate_proposals_v2
