// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Times the operator, after comparing its result with the reference, and measures the constants of
// costs.h.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/cost.h"
#include "bench/interleaved.h"
#include "core/aligned_buffer.h"
#include "core/carver.h"
#include "detops/context.hpp"
#include "measure/pinned_threads.h"
#include "measure/random_floats.h"
#include "ops/generate_proposals_v2/costs.h"
#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/kept_grid.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/plain_program.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "ops/generate_proposals_v2/top_scores.h"
#include "suppression/order.h"

namespace detops::generate_proposals_v2 {
namespace {

// ---- The operator -------------------------------------------------------------------------------

// Returns the number of bytes that must be moved at least: all scores, the inputs of the candidates
// and the result.
double LeastBytes(const Args& args, const Proposals& proposals) {
  const double per_candidate = (args.variances == nullptr ? 2 : 3) * kBoxFloats * sizeof(float);
  const double per_proposal = (kBoxFloats + 1) * sizeof(float);
  return static_cast<double>(args.images) *
             (static_cast<double>(args.scores_per_image()) * sizeof(float) +
              static_cast<double>(args.candidates) * per_candidate) +
         proposals.total * per_proposal;
}

// Times calls. The counters are the median time, the number of proposals, the time relative to the
// reference, the least memory traffic per second and the size of the workspace.
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
  float size;  // of the smallest anchors, as a multiple of the stride
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

Setting MakeSetting(const char* name, const Shape& shape, float size, int pre_nms_top_n = 12000,
                    int post_nms_top_n = 2000) {
  return {.name = name,
          .shape = shape,
          .size = size,
          .pre_nms_top_n = pre_nms_top_n,
          .post_nms_top_n = post_nms_top_n};
}

// The maps whose times are tracked. The sizes of the anchors decide how many proposals are found,
// and how early.
void RegisterTrackedMaps() {
  const Setting settings[] = {
      MakeSetting("Small", {1, 200, 304, 3}, 2),
      MakeSetting("Large", {1, 200, 304, 3}, 16),
      MakeSetting("Small", {1, 168, 256, 3}, 2),
      MakeSetting("Map", {1, 54, 40, 15}, 4.4f),
      MakeSetting("Map", {1, 50, 68, 3}, 7.3f),
      MakeSetting("Small", {1, 200, 304, 3}, 2, 2000, 1000),
      MakeSetting("Map", {1, 11, 11, 3}, 8),
      MakeSetting("Images", {8, 50, 68, 3}, 7.3f),
  };
  for (const Setting& setting : settings) {
    for (const Kind kind : {Kind::kTrained, Kind::kUniform}) {
      for (const int threads : {1, 2}) {
        Register(setting, kind, threads);
      }
    }
  }
  for (const Kind kind : {Kind::kTies, Kind::kSkewed}) {
    Register(MakeSetting("Small", {1, 200, 304, 3}, 2), kind, 2);
  }
}

// ---- A plain program ----------------------------------------------------------------------------

// A tensor descriptor of the C API.
class Descriptor {
 public:
  Descriptor(mluOpDataType_t dtype, const std::vector<int64_t>& dims) {
    mluOpCreateTensorDescriptor(&desc_);
    mluOpSetTensorDescriptor_v2(desc_, MLUOP_LAYOUT_ARRAY, dtype, static_cast<int>(dims.size()),
                                dims.data());
  }
  ~Descriptor() { mluOpDestroyTensorDescriptor(desc_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  mluOpTensorDescriptor_t get() const { return desc_; }

 private:
  mluOpTensorDescriptor_t desc_ = nullptr;
};

// The C function with the arguments of a case, which must have variances.
class CFunction {
 public:
  CFunction(const Case& input, Proposals& proposals)
      : input_(input),
        proposals_(proposals),
        scores_(MLUOP_DTYPE_FLOAT,
                {input.images, input.height, input.width, input.anchors_per_position}),
        deltas_(MLUOP_DTYPE_FLOAT,
                {input.images, input.height, input.width, kBoxFloats * input.anchors_per_position}),
        im_shape_(MLUOP_DTYPE_FLOAT, {input.images, 2}),
        anchors_(MLUOP_DTYPE_FLOAT,
                 {input.height, input.width, input.anchors_per_position, kBoxFloats}),
        rois_(MLUOP_DTYPE_FLOAT, {input.rows(), kBoxFloats}),
        probs_(MLUOP_DTYPE_FLOAT, {input.rows(), 1}),
        counts_(MLUOP_DTYPE_INT32, {input.images}) {
    size_t bytes = 0;
    mluOpGetGenerateProposalsV2WorkspaceSize(context_.handle(), scores_.get(), &bytes);
    workspace_.resize(bytes);
  }

  mluOpStatus_t Call() {
    return mluOpGenerateProposalsV2(
        context_.handle(), input_.pre_nms_top_n, input_.post_nms_top_n, input_.nms_thresh,
        input_.min_size, 1.0f, input_.pixel_offset, scores_.get(), input_.scores.data(),
        deltas_.get(), input_.deltas.data(), im_shape_.get(), input_.im_shape.data(),
        anchors_.get(), input_.anchors.data(), anchors_.get(), input_.variances.data(),
        workspace_.data(), workspace_.size(), rois_.get(), proposals_.rois.data(), probs_.get(),
        proposals_.probs.data(), counts_.get(), proposals_.counts.data(), &proposals_.total);
  }

 private:
  const Case& input_;
  Proposals& proposals_;
  Context context_;
  Descriptor scores_;
  Descriptor deltas_;
  Descriptor im_shape_;
  Descriptor anchors_;
  Descriptor rois_;
  Descriptor probs_;
  Descriptor counts_;
  std::vector<std::byte> workspace_;
};

// Returns whether both have found the same proposals, up to the rounding of std::exp.
bool AreAlike(const Proposals& ours, const std::vector<float>& rois) {
  bool alike = static_cast<size_t>(ours.total) * kBoxFloats == rois.size();
  for (size_t i = 0; i < rois.size() && alike; ++i) {
    alike = std::abs(ours.rois[i] - rois[i]) < 0.01f;
  }
  return alike;
}

// An input, and both functions that process it.
struct ComparedMap {
  explicit ComparedMap(Case of)
      : input(std::move(of)),
        proposals(input),
        ours(input, proposals),
        plain(MakeArgs(input, proposals)) {}

  Case input;
  Proposals proposals;
  CFunction ours;
  PlainProgram plain;
};

// Times calls of the C function in turns with a plain scalar program, which must find the same
// proposals. The calls have `count` maps in turn: branch predictors learn a single map, which no
// program sees again and again.
void CompareWithPlainProgram(benchmark::State& state, Kind kind, const Shape& shape,
                             uint32_t count) {
  std::vector<std::unique_ptr<ComparedMap>> maps;
  bool ok = true;
  int32_t total = 0;
  for (uint32_t seed = 1; seed <= count; ++seed) {
    const float stride = StrideOf(shape.height);
    ComparedMap& map = *maps.emplace_back(
        std::make_unique<ComparedMap>(RandomCase(kind, shape, stride, 8 * stride, seed)));
    map.plain.Run();
    ok = ok && map.ours.Call() == MLUOP_STATUS_SUCCESS && AreAlike(map.proposals, map.plain.rois());
    total += map.proposals.total;
  }
  uint32_t our_calls = 0;
  uint32_t plain_calls = 0;
  Interleave(
      state, [&] { benchmark::DoNotOptimize(maps[our_calls++ % count]->ours.Call()); }, "plain",
      [&] { maps[plain_calls++ % count]->plain.Run(); });
  state.counters["proposals"] = static_cast<double>(total) / count;
  if (!ok) {
    state.SkipWithError("wrong result");
  }
}

void RegisterSmallMaps() {
  for (const Shape& shape : {Shape{1, 6, 6, 3}, Shape{1, 11, 11, 3}, Shape{1, 16, 16, 3}}) {
    for (const Kind kind : {Kind::kTrained, Kind::kUniform}) {
      for (const uint32_t count : {1u, 64u}) {
        const std::string name =
            fmt::format("PlainProgram/{}/{}x{}x{}/maps:{}", NameOf(kind), shape.height, shape.width,
                        shape.anchors_per_position, count);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [=](benchmark::State& state) { CompareWithPlainProgram(state, kind, shape, count); })
            ->Unit(benchmark::kMicrosecond)
            ->UseManualTime()
            ->MinTime(0.1);
      }
    }
  }
}

// ---- Costs --------------------------------------------------------------------------------------

// A single-threaded run on a map of the tracked kind.
struct CostCase {
  explicit CostCase(const Shape& shape)
      : input(RandomCase(Kind::kTrained, shape, StrideOf(shape.height), 2 * StrideOf(shape.height),
                         1)),
        proposals(input) {
    input.pre_nms_top_n = 12000;
    input.post_nms_top_n = 2000;
    proposals = Proposals(input);
    args = MakeArgs(input, proposals);
  }

  Scores scores() const {
    return {.first = args.scores,
            .positions = args.positions,
            .anchors_per_position = args.anchors_per_position,
            .channels_first = false};
  }

  Case input;
  Proposals proposals;
  Args args;
  Threads threads{1};
};

template <class Space>
size_t BytesOf(int64_t count) {
  Carver carver(nullptr);
  const Space space(carver, count);
  return carver.used() + kAlignment;
}

constexpr Shape kLargeMap = {1, 200, 304, 3};
constexpr Shape kSmallMap = {1, 54, 40, 15};

double MeasurePerScore(benchmark::State& state) {
  CostCase call(kLargeMap);
  const int64_t count = call.args.scores_per_image();
  const AlignedBuffer memory(BytesOf<TopScores::Space>(count));
  return NanosecondsPer(static_cast<double>(count), state, [&] {
    Carver carver(memory.data());
    const TopScores top_scores(call.threads, call.scores(), call.args.candidates,
                               TopScores::Space(carver, count));
  });
}

// The time of a call without the selection.
double MeasurePerCandidate(benchmark::State& state) {
  CostCase call(kSmallMap);
  call.args.max_proposals = call.args.candidates;  // no candidate is skipped
  call.proposals.rois.resize(static_cast<size_t>(call.args.candidates * kBoxFloats));
  call.proposals.probs.resize(static_cast<size_t>(call.args.candidates));
  call.args.rois = call.proposals.rois.data();
  call.args.probs = call.proposals.probs.data();
  call.args.anchor_indices = nullptr;
  const AlignedBuffer scratch(WorkspaceBytes(call.args));
  RunContext context{call.threads, scratch.data()};
  const auto candidates = static_cast<double>(call.args.candidates);
  const double nanoseconds = NanosecondsPer(
      candidates, state, [&] { benchmark::DoNotOptimize(Run(context, call.args).ok()); });
  return nanoseconds -
         kNanosecondsPerScore * static_cast<double>(call.args.scores_per_image()) / candidates;
}

double MeasureCollect(benchmark::State& state) {
  CostCase call(kLargeMap);
  std::vector<float> sorted = call.input.scores;
  std::nth_element(sorted.begin(), sorted.begin() + call.args.candidates, sorted.end(),
                   std::greater<>());
  const float threshold = sorted[static_cast<size_t>(call.args.candidates)];
  std::vector<suppression::Entry> entries(sorted.size());
  return NanosecondsPer(static_cast<double>(sorted.size()), state, [&] {
    benchmark::DoNotOptimize(
        CollectScores(call.scores(), threshold, 0, call.args.positions, entries.data()));
  });
}

// Columns of boxes in memory of their own, with room for whole vectors.
struct ColumnMemory {
  explicit ColumnMemory(int64_t count) {
    for (int i = 0; i < nms::kColumns; ++i) {
      floats[i].resize(static_cast<size_t>(count + suppression::kMaxLanes));
      columns.array[i] = floats[i].data();
    }
  }

  std::vector<float> floats[nms::kColumns];
  suppression::Columns columns{};
};

double MeasureDecode(benchmark::State& state) {
  const CostCase call(kLargeMap);
  const int64_t count = call.args.candidates;
  std::vector<suppression::Entry> candidates;
  Random random(1);
  for (int64_t i = 0; i < count; ++i) {
    const auto anchor = static_cast<int32_t>(random() % call.input.scores.size());
    candidates.push_back(suppression::MakeEntry(0, anchor));
  }
  const Decoder decoder{.anchors = call.args.anchors,
                        .variances = call.args.variances,
                        .deltas = call.args.bbox_deltas,
                        .positions = call.args.positions,
                        .anchors_per_position = call.args.anchors_per_position,
                        .channels_first = false,
                        .offset = 0,
                        .image_width = call.args.im_shape[1],
                        .image_height = call.args.im_shape[0],
                        .least_size = call.args.least_size,
                        .drops_outside = false};
  const ColumnMemory boxes(count);
  std::vector<uint8_t> dropped(static_cast<size_t>(count + suppression::kMaxLanes));
  return NanosecondsPer(static_cast<double>(count), state, [&] {
    DecodeCandidates(decoder, candidates.data(), 0, count, boxes.columns, dropped.data());
  });
}

// Kept boxes and candidates of random sizes in an image of 1000 x 600 pixels.
class CostSearch {
 public:
  static constexpr int64_t kCandidates = 1 << 15;  // too many for branch predictors to learn

  CostSearch(int64_t kept, float threshold)
      : memory_(BytesOf<KeptGrid::Space>(kept)),
        carver_(memory_.data()),
        rois_(static_cast<size_t>(kept * kBoxFloats)),
        grid_(KeptGrid::Space(carver_, kept), threshold, 0, rois_.data()),
        candidates_(kCandidates),
        suppressed_(kCandidates) {
    Random random(1);
    for (int64_t i = 0; i < kept; ++i) {
      float* const roi = &rois_[static_cast<size_t>(i * kBoxFloats)];
      grid_.Add(FillBox(random, roi));
    }
    for (size_t i = 0; i < static_cast<size_t>(kCandidates); ++i) {
      float box[kBoxFloats];
      candidates_.floats[nms::kArea][i] = FillBox(random, box);
      for (int side = 0; side < kBoxFloats; ++side) {
        candidates_.floats[side][i] = box[side];
      }
    }
  }

  // Searches all candidates. Returns the mean number of tests per candidate.
  double Search() {
    std::fill(suppressed_.begin(), suppressed_.end(), uint8_t{0});
    return static_cast<double>(
               FindSuppressed(grid_, candidates_.columns, 0, kCandidates, suppressed_.data())) /
           kCandidates;
  }

 private:
  // Returns the area of the box.
  static float FillBox(Random& random, float* box) {
    box[0] = Uniform(random, 0, 1000);
    box[1] = Uniform(random, 0, 600);
    box[2] = box[0] + Uniform(random, 8, 80);
    box[3] = box[1] + Uniform(random, 8, 80);
    return (box[2] - box[0]) * (box[3] - box[1]);
  }

  AlignedBuffer memory_;
  Carver carver_;
  std::vector<float> rois_;
  KeptGrid grid_;
  ColumnMemory candidates_;
  std::vector<uint8_t> suppressed_;
};

// The time of a search among 1000 boxes without its tests.
double MeasureLookUp(benchmark::State& state) {
  CostSearch search(1000, 0.5f);
  double tests = 0;
  const double nanoseconds = NanosecondsPer(static_cast<double>(CostSearch::kCandidates), state,
                                            [&] { tests = search.Search(); });
  return nanoseconds - tests * kNanosecondsPerTest;
}

// The difference between a search in a cell of many boxes and one in a cell of a single run. No
// pair exceeds the threshold.
double MeasurePerTest(benchmark::State& state) {
  CostSearch many(120, 0.99f);
  CostSearch one_run(KeptGrid::kRun, 0.99f);
  const double more_tests = many.Search() - one_run.Search();
  std::vector<double> samples;
  for (auto _ : state) {
    samples.push_back(SecondsOf([&] { many.Search(); }) - SecondsOf([&] { one_run.Search(); }));
  }
  return Median(samples) * 1e9 / static_cast<double>(CostSearch::kCandidates) / more_tests;
}

void RegisterCosts() {
  const auto add = [](const char* constant, const char* unit, double value,
                      double (*measure)(benchmark::State&)) {
    RegisterCost("generate_proposals_v2", constant, unit, value, measure);
  };
  add("kNanosecondsPerScore", "ns per score", kNanosecondsPerScore, MeasurePerScore);
  add("kNanosecondsPerCandidate", "ns per candidate", kNanosecondsPerCandidate,
      MeasurePerCandidate);
  add("kNanosecondsToCollect", "ns per score", kNanosecondsToCollect, MeasureCollect);
  add("kNanosecondsToDecode", "ns per candidate", kNanosecondsToDecode, MeasureDecode);
  add("kNanosecondsToLookUp", "ns per candidate", kNanosecondsToLookUp, MeasureLookUp);
  add("kNanosecondsPerTest", "ns per kept box", kNanosecondsPerTest, MeasurePerTest);
}

const bool kRegistered = [] {
  RegisterTrackedMaps();
  RegisterSmallMaps();
  for (const Shape& shape : NetworkShapes()) {
    Register(MakeSetting("Network", shape, shape.anchors_per_position == 3 ? 8.0f : 2.0f),
             Kind::kTrained, 2);
  }
  RegisterCosts();
  return true;
}();

}  // namespace
}  // namespace detops::generate_proposals_v2
