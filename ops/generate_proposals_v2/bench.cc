// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Every result is compared with the reference before it is timed.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/interleaved.h"
#include "core/aligned_buffer.h"
#include "measure/pinned_threads.h"
#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {
namespace {

// What has to be moved at least: all scores, the numbers of the candidates, the result.
double LeastBytes(const Args& args, const Proposals& proposals) {
  const double of_candidate = (args.variances == nullptr ? 2 : 3) * kBoxFloats * sizeof(float);
  const double of_result = (kBoxFloats + 1) * sizeof(float);
  return static_cast<double>(args.images) *
             (static_cast<double>(args.scores_per_image()) * sizeof(float) +
              static_cast<double>(args.candidates) * of_candidate) +
         proposals.total * of_result;
}

// A call in a loop. The counters give the time in the median, the proposals, the time as a part of
// the reference's, and the bytes that have to be moved in a second.
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
  state.counters["proposals"] = proposals.total;
  state.counters["reference_ratio"] = seconds / reference_seconds;
  state.counters["GB_per_s"] = LeastBytes(args, proposals) / seconds * 1e-9;
  state.counters["workspace_MB"] = static_cast<double>(WorkspaceBytes(args)) * 1e-6;
  if (!ok) {
    state.SkipWithError("wrong result");
  }
}

struct Setting {
  const char* name;
  Shape shape;
  float size;  // of the smallest anchors, in strides
  int pre_nms_top_n;
  int post_nms_top_n;
};

void Register(const Setting& setting, Kind kind, int threads) {
  const Shape& shape = setting.shape;
  const std::string name =
      fmt::format("{}/{}/{}x{}x{}x{}/pre:{}/post:{}/threads:{}", setting.name, NameOf(kind),
                  shape.images, shape.height, shape.width, shape.anchors_per_position,
                  setting.pre_nms_top_n, setting.post_nms_top_n, threads);
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
      ->UseManualTime()
      ->MinTime(0.1);
}

// Maps of which a target is known, with the anchors that make as many proposals as they should.
void RegisterTargets() {
  const Setting settings[] = {
      {"Small", {1, 200, 304, 3}, 2, 12000, 2000}, {"Large", {1, 200, 304, 3}, 16, 12000, 2000},
      {"Small", {1, 168, 256, 3}, 2, 12000, 2000}, {"Map", {1, 54, 40, 15}, 4.4f, 12000, 2000},
      {"Map", {1, 50, 68, 3}, 7.3f, 12000, 2000},  {"Small", {1, 200, 304, 3}, 2, 2000, 1000},
      {"Map", {1, 11, 11, 3}, 8, 12000, 2000},     {"Images", {8, 50, 68, 3}, 7.3f, 12000, 2000},
  };
  for (const Setting& setting : settings) {
    for (const Kind kind : {Kind::kTrained, Kind::kUniform}) {
      for (const int threads : {1, 2}) {
        Register(setting, kind, threads);
      }
    }
  }
  for (const Kind kind : {Kind::kTies, Kind::kSkewed}) {
    Register({"Small", {1, 200, 304, 3}, 2, 12000, 2000}, kind, 2);
  }
}

const bool kRegistered = [] {
  RegisterTargets();
  for (const Shape& shape : NetworkShapes()) {
    Register({"Network", shape, shape.anchors_per_position == 3 ? 8.0f : 2.0f, 12000, 2000},
             Kind::kTrained, 2);
  }
  return true;
}();

}  // namespace
}  // namespace detops::generate_proposals_v2
