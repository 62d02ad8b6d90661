// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Results are compared with the reference. Each benchmark runs in turns with its yardstick: filling
// the same buffer, moving the same bytes, a plain loop that the compiler vectorizes, or the scalar
// reference.

#include <benchmark/benchmark.h>
#include <hwy/base.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/cost.h"
#include "bench/interleaved.h"
#include "core/aligned_buffer.h"
#include "detops/detops.hpp"
#include "measure/limits.h"
#include "measure/pinned_threads.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/bbox_overlaps/costs.h"
#include "ops/bbox_overlaps/op.h"

namespace detops::bbox_overlaps {
namespace {

// Operations of the formula: 2 x (min, max, subtract, max), multiply, add, subtract, max, divide.
constexpr double kOperationsPerOverlap = 13;
// Aligned pairs need the areas of two boxes in addition.
constexpr double kOperationsPerAlignedPair = kOperationsPerOverlap + 6;

Case MakeCase(int64_t rows, int64_t columns, bool half, bool aligned) {
  return {.boxes1 = RandomBoxes(Kind::kImage, rows, 1),
          .boxes2 = RandomBoxes(Kind::kImage, columns, 2),
          .aligned = aligned,
          .half = half};
}

// Compares the first and the last 50 rows with the reference. Results of hundreds of megabytes
// would take the reference too long.
bool IsCorrect(const Args& args) {
  const size_t element = args.boxes.half ? 2 : 4;
  const size_t row_bytes = element * (args.aligned ? 1 : static_cast<size_t>(args.boxes.columns));
  const size_t box_bytes = 4 * element;
  const int64_t checked = std::min<int64_t>(args.boxes.rows, 50);
  std::vector<std::byte> expected(row_bytes * static_cast<size_t>(checked));
  for (const int64_t from : {int64_t{0}, args.boxes.rows - checked}) {
    Args part = args;
    part.boxes.rows = checked;
    part.boxes.first =
        static_cast<const std::byte*>(args.boxes.first) + static_cast<size_t>(from) * box_bytes;
    if (args.aligned) {
      part.boxes.second =
          static_cast<const std::byte*>(args.boxes.second) + static_cast<size_t>(from) * box_bytes;
    }
    part.ious = expected.data();
    Reference(part);
    if (std::memcmp(
            static_cast<const std::byte*>(args.ious) + static_cast<size_t>(from) * row_bytes,
            expected.data(), expected.size()) != 0) {
      return false;
    }
  }
  return true;
}

void ReportCompute(benchmark::State& state, Threads& threads, double operations, double seconds) {
  static const double peak = PeakOperationsPerSecond(threads);
  state.counters["compute_eff"] = operations / seconds / peak;
}

// The matrix against filling its memory with streaming stores.
void MatrixAgainstFill(benchmark::State& state) {
  const Case input = MakeCase(state.range(0), state.range(1), state.range(2) != 0, false);
  const Problem problem(input);
  const AlignedBuffer ious(static_cast<size_t>(problem.result_bytes()));
  const Args args = problem.args(ious.data());
  PinnedThreads threads(2);
  RunContext context{.threads = threads, .scratch = nullptr};
  bool ok = Run(context, args).ok() && IsCorrect(args);
  const Medians medians = Interleave(
      state, [&] { ok = Run(context, args).ok() && ok; }, "fill",
      [&] { FillStreaming(threads, ious.data(), ious.size()); });
  state.counters["io_eff"] = medians.other / medians.ours;
  ReportCompute(state, threads, kOperationsPerOverlap * static_cast<double>(args.count()),
                medians.ours);
  if (!ok) {
    state.SkipWithError("wrong result");
  }
}

// Boxes for the plain loop: one array per coordinate, so that the compiler can vectorize.
struct PlainBoxes {
  std::vector<float> x1, y1, x2, y2, area;

  explicit PlainBoxes(const std::vector<float>& boxes) {
    for (size_t i = 0; i < boxes.size(); i += 4) {
      x1.push_back(boxes[i]);
      y1.push_back(boxes[i + 1]);
      x2.push_back(boxes[i + 2]);
      y2.push_back(boxes[i + 3]);
      area.push_back((boxes[i + 2] - boxes[i]) * (boxes[i + 3] - boxes[i + 1]));
    }
  }
};

HWY_INLINE void PlainLoopBody(const PlainBoxes& a, const PlainBoxes& b, float* __restrict ious) {
  const size_t columns = b.x1.size();
  const float* __restrict x1 = b.x1.data();
  const float* __restrict y1 = b.y1.data();
  const float* __restrict x2 = b.x2.data();
  const float* __restrict y2 = b.y2.data();
  const float* __restrict area = b.area.data();
  for (size_t i = 0; i < a.x1.size(); ++i) {
    const float ax1 = a.x1[i], ay1 = a.y1[i], ax2 = a.x2[i], ay2 = a.y2[i], a_area = a.area[i];
    float* __restrict out = ious + i * columns;
    for (size_t j = 0; j < columns; ++j) {
      const float right = x2[j] < ax2 ? x2[j] : ax2;
      const float left = x1[j] > ax1 ? x1[j] : ax1;
      const float bottom = y2[j] < ay2 ? y2[j] : ay2;
      const float top = y1[j] > ay1 ? y1[j] : ay1;
      float width = right - left;
      float height = bottom - top;
      width = width > 0 ? width : 0;
      height = height > 0 ? height : 0;
      const float inter = width * height;
      float base = a_area + area[j] - inter;
      base = base > 0 ? base : 0;
      out[j] = inter / base;
    }
  }
}

// The plain loop, compiled for any x86-64 as most libraries are.
HWY_NOINLINE void PlainLoop(const PlainBoxes& a, const PlainBoxes& b, float* ious) {
  PlainLoopBody(a, b, ious);
}

// The plain loop, compiled for the best instruction set of this machine.
#if defined(__x86_64__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
HWY_NOINLINE void
PlainLoopForThisMachine(const PlainBoxes& a, const PlainBoxes& b, float* ious) {
  PlainLoopBody(a, b, ious);
}

template <void (*plain)(const PlainBoxes&, const PlainBoxes&, float*)>
void MatrixAgainstPlainLoop(benchmark::State& state) {
  const Case input = MakeCase(state.range(0), state.range(1), false, false);
  const Problem problem(input);
  const AlignedBuffer ious(static_cast<size_t>(problem.result_bytes()));
  const AlignedBuffer plain_ious(ious.size());
  const Args args = problem.args(ious.data());
  const PlainBoxes first(input.boxes1);
  const PlainBoxes second(input.boxes2);
  PinnedThreads threads(static_cast<int>(state.range(2)));
  RunContext context{.threads = threads, .scratch = nullptr};
  bool ok = Run(context, args).ok() && IsCorrect(args);
  const Medians medians = Interleave(
      state, [&] { ok = Run(context, args).ok() && ok; }, "plain_loop",
      [&] { plain(first, second, static_cast<float*>(plain_ious.data())); });
  ReportCompute(state, threads, kOperationsPerOverlap * static_cast<double>(args.count()),
                medians.ours);
  if (!ok || std::memcmp(ious.data(), plain_ious.data(), ious.size()) != 0) {
    state.SkipWithError("wrong result");
  }
}

void MatrixAgainstReference(benchmark::State& state) {
  const Case input = MakeCase(state.range(0), state.range(1), state.range(2) != 0, false);
  const Problem problem(input);
  const AlignedBuffer ious(static_cast<size_t>(problem.result_bytes()));
  const AlignedBuffer expected(ious.size());
  PinnedThreads threads(2);
  RunContext context{.threads = threads, .scratch = nullptr};
  bool ok = true;
  Interleave(
      state, [&] { ok = Run(context, problem.args(ious.data())).ok() && ok; }, "reference",
      [&] { Reference(problem.args(expected.data())); });
  if (!ok || std::memcmp(ious.data(), expected.data(), ious.size()) != 0) {
    state.SkipWithError("wrong result");
  }
}

// Aligned pairs against reading the boxes and filling the result once.
void AlignedAgainstMove(benchmark::State& state) {
  const Case input = MakeCase(state.range(0), state.range(0), state.range(1) != 0, true);
  const Problem problem(input);
  const auto boxes_bytes = static_cast<size_t>(problem.boxes1_bytes());
  const AlignedBuffer boxes(2 * boxes_bytes);
  const AlignedBuffer ious(static_cast<size_t>(problem.result_bytes()));
  auto* const second = static_cast<std::byte*>(boxes.data()) + boxes_bytes;
  std::memcpy(boxes.data(), problem.boxes1(), boxes_bytes);
  std::memcpy(second, problem.boxes2(), boxes_bytes);
  Args args = problem.args(ious.data());
  args.boxes.first = boxes.data();
  args.boxes.second = second;
  PinnedThreads threads(2);
  RunContext context{.threads = threads, .scratch = nullptr};
  bool ok = Run(context, args).ok() && IsCorrect(args);
  const Medians medians = Interleave(
      state, [&] { ok = Run(context, args).ok() && ok; }, "move",
      [&] { ReadAndFillStreaming(threads, boxes.data(), boxes.size(), ious.data(), ious.size()); });
  // The yardstick overwrote the result.
  ok = Run(context, args).ok() && IsCorrect(args) && ok;
  state.counters["io_eff"] = medians.other / medians.ours;
  ReportCompute(state, threads, kOperationsPerAlignedPair * static_cast<double>(args.count()),
                medians.ours);
  if (!ok) {
    state.SkipWithError("wrong result");
  }
}

// A call of the C function, with its checks.
void CApiCall(benchmark::State& state) {
  const int64_t count = state.range(0);
  const Case input = MakeCase(count, count, false, false);
  const Problem problem(input);
  std::vector<float> ious(static_cast<size_t>(count * count));
  mluOpHandle_t handle = nullptr;
  mluOpTensorDescriptor_t boxes_desc = nullptr;
  mluOpTensorDescriptor_t ious_desc = nullptr;
  mluOpCreate(&handle);
  mluOpCreateTensorDescriptor(&boxes_desc);
  mluOpCreateTensorDescriptor(&ious_desc);
  const int64_t boxes_dims[] = {count, 4};
  const int64_t ious_dims[] = {count, count};
  mluOpSetTensorDescriptor_v2(boxes_desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, boxes_dims);
  mluOpSetTensorDescriptor_v2(ious_desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, ious_dims);
  bool ok = true;
  for (auto _ : state) {
    ok = mluOpBboxOverlaps(handle, 0, false, 0, boxes_desc, problem.boxes1(), boxes_desc,
                           problem.boxes2(), ious_desc, ious.data()) == MLUOP_STATUS_SUCCESS &&
         ok;
  }
  if (!ok || !IsCorrect(problem.args(ious.data()))) {
    state.SkipWithError("wrong result");
  }
  mluOpDestroyTensorDescriptor(ious_desc);
  mluOpDestroyTensorDescriptor(boxes_desc);
  mluOpDestroy(handle);
}

// The search for the best matches against computing the matrix.
void RowMaximumAgainstMatrix(benchmark::State& state) {
  const Case input = MakeCase(state.range(0), state.range(1), false, false);
  const Problem problem(input);
  const AlignedBuffer ious(static_cast<size_t>(problem.result_bytes()));
  const Args args = problem.args(ious.data());
  std::vector<float> values(static_cast<size_t>(state.range(0)));
  std::vector<float> expected_values(values.size());
  std::vector<int32_t> columns(values.size());
  std::vector<int32_t> expected_columns(values.size());
  ReferenceRowMaximum({args.boxes, expected_values.data(), expected_columns.data()});
  PinnedThreads threads(2);
  RunContext context{.threads = threads, .scratch = nullptr};
  bool ok = true;
  Interleave(
      state,
      [&] {
        ok = RunRowMaximum(context, {args.boxes, values.data(), columns.data()}).ok() && ok;
      },
      "matrix", [&] { ok = Run(context, args).ok() && ok; });
  if (!ok || values != expected_values || columns != expected_columns) {
    state.SkipWithError("wrong result");
  }
}

// The search for pairs above a threshold against computing the matrix.
void PairsAgainstMatrix(benchmark::State& state) {
  const Case input = MakeCase(state.range(0), state.range(1), false, false);
  const Problem problem(input);
  const AlignedBuffer ious(static_cast<size_t>(problem.result_bytes()));
  const Args args = problem.args(ious.data());
  std::vector<OverlapPair> pairs;
  std::vector<OverlapPair> expected;
  ReferencePairs({.boxes = args.boxes, .threshold = 0.7f, .pairs = &expected});
  PinnedThreads threads(2);
  RunContext context{.threads = threads, .scratch = nullptr};
  bool ok = true;
  Interleave(
      state,
      [&] {
        ok =
            RunPairs(context, {.boxes = args.boxes, .threshold = 0.7f, .pairs = &pairs}).ok() && ok;
      },
      "matrix", [&] { ok = Run(context, args).ok() && ok; });
  state.counters["pairs"] = static_cast<double>(pairs.size());
  if (!ok || pairs.size() != expected.size() ||
      std::memcmp(pairs.data(), expected.data(), pairs.size() * sizeof(pairs[0])) != 0) {
    state.SkipWithError("wrong result");
  }
}

BENCHMARK(MatrixAgainstFill)
    ->ArgNames({"M", "N", "half"})
    ->Args({20'000, 5000, 0})
    ->Args({10'000, 1000, 0})
    ->Args({20'000, 5000, 1})
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime()
    ->MinTime(2);
BENCHMARK_TEMPLATE(MatrixAgainstPlainLoop, PlainLoop)
    ->ArgNames({"M", "N", "threads"})
    ->Args({1000, 1000, 2})
    ->Args({1000, 1000, 1})
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime();
BENCHMARK_TEMPLATE(MatrixAgainstPlainLoop, PlainLoopForThisMachine)
    ->ArgNames({"M", "N", "threads"})
    ->Args({1000, 1000, 2})
    ->Args({1000, 1000, 1})
    ->Args({100, 100, 1})
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime();
BENCHMARK(MatrixAgainstReference)
    ->ArgNames({"M", "N", "half"})
    ->Args({1000, 1000, 0})
    ->Args({1000, 1000, 1})
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime()
    ->MinTime(0.1);
BENCHMARK(AlignedAgainstMove)
    ->ArgNames({"M", "half"})
    ->Args({1'000'000, 0})
    ->Args({1'000'000, 1})
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime();
BENCHMARK(CApiCall)->Arg(1)->Arg(8)->Arg(32);
BENCHMARK(RowMaximumAgainstMatrix)
    ->Args({10'000, 1000})
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime();
BENCHMARK(PairsAgainstMatrix)->Args({10'000, 1000})->Unit(benchmark::kMicrosecond)->UseManualTime();

// Returns the time per overlap of a call on one thread.
double MeasureCost(benchmark::State& state, const Case& input) {
  const Problem problem(input);
  const AlignedBuffer ious(static_cast<size_t>(problem.result_bytes()));
  const Args args = problem.args(ious.data());
  Threads threads(1);
  RunContext context{.threads = threads, .scratch = nullptr};
  return NanosecondsPer(static_cast<double>(args.count()), state,
                        [&] { benchmark::DoNotOptimize(Run(context, args)); });
}

[[maybe_unused]] const bool kCostsAreRegistered = [] {
  RegisterCost("bbox_overlaps", "kNanosecondsPerOverlap", "ns per overlap", kNanosecondsPerOverlap,
               [](benchmark::State& state) {
                 return MeasureCost(state, MakeCase(1000, 1000, false, false));
               });
  RegisterCost("bbox_overlaps", "kNanosecondsPerAlignedPair", "ns per pair",
               kNanosecondsPerAlignedPair, [](benchmark::State& state) {
                 return MeasureCost(state, MakeCase(100'000, 100'000, false, true));
               });
  return true;
}();

}  // namespace
}  // namespace detops::bbox_overlaps
