// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Benchmarks. Results are compared with the reference, except for large inputs, where the reference
// is too slow.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bench/cost.h"
#include "bench/interleaved.h"
#include "core/aligned_buffer.h"
#include "core/math.h"
#include "measure/pinned_threads.h"
#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/costs.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"
#include "suppression/bench.h"
#include "suppression/bench_costs.h"
#include "suppression/harness.h"
#include "suppression/kernels.h"

namespace detops::poly_nms {
namespace {

// For more boxes, the reference, which compares every box with every kept box, takes minutes.
constexpr int64_t kMaxReferenceCount = 2000;

Case MakeCase(Kind kind, int64_t count, float threshold) {
  Case input;
  input.boxes = RandomBoxes(kind, count, 1);
  input.iou_threshold = threshold;
  return input;
}

// Returns the same boxes, ten times as far apart.
Case Spread(Case input) {
  for (size_t i = 0; i < input.boxes.size(); i += kBoxFloats) {
    const float x = 9 * input.boxes[i];
    const float y = 9 * input.boxes[i + 1];
    for (size_t corner = i; corner < i + 8; corner += 2) {
      input.boxes[corner] += x;
      input.boxes[corner + 1] += y;
    }
  }
  return input;
}

// Returns the same boxes, 2^exponent times as large.
Case Scaled(Case input, int exponent) {
  for (size_t i = 0; i < input.boxes.size(); ++i) {
    if (i % kBoxFloats != kBoxFloats - 1) {
      input.boxes[i] = std::ldexp(input.boxes[i], exponent);
    }
  }
  return input;
}

// Also reports the pairs per second, where each box counts as compared with each other box.
void Suppress(benchmark::State& state, const Case& input) {
  const int64_t count = input.count();
  const double seconds =
      TimeSuppression(state, input, WorkspaceBytes(count), Run,
                      count <= kMaxReferenceCount ? RunReference<Case> : nullptr);
  const auto boxes = static_cast<double>(count);
  state.counters["pairs_per_s"] = boxes * (boxes - 1) / 2 / seconds;
}

void Aerial10(benchmark::State& state) {
  Suppress(state, MakeCase(Kind::kAerial, state.range(0), 0.1f));
}
void Aerial30(benchmark::State& state) {
  Suppress(state, MakeCase(Kind::kAerial, state.range(0), 0.3f));
}
void Sparse30(benchmark::State& state) {
  Suppress(state, Spread(MakeCase(Kind::kAerial, state.range(0), 0.3f)));
}
void Normal50(benchmark::State& state) {
  Suppress(state, MakeCase(Kind::kNormal, state.range(0), 0.5f));
}
void Normal99(benchmark::State& state) {
  Suppress(state, MakeCase(Kind::kNormal, state.range(0), 0.99f));
}
void Normal100(benchmark::State& state) {
  Suppress(state, MakeCase(Kind::kNormal, state.range(0), 1.0f));
}
void Heap50(benchmark::State& state) {
  Suppress(state, MakeCase(Kind::kHeap, state.range(0), 0.5f));
}
// Crowded boxes of ordinary, large and small sizes should take the same time.
void Heap9999(benchmark::State& state) {
  Suppress(state, MakeCase(Kind::kHeap, state.range(0), 0.9999f));
}
void LargeHeap9999(benchmark::State& state) {
  Suppress(state, Scaled(MakeCase(Kind::kHeap, state.range(0), 0.9999f), 60));
}
void SmallHeap9999(benchmark::State& state) {
  Suppress(state, Scaled(MakeCase(Kind::kHeap, state.range(0), 0.9999f), -70));
}
// The worst case: float arithmetic cannot decide any pair.
void NearIdentical100(benchmark::State& state) {
  Suppress(state, MakeCase(Kind::kNearIdentical, state.range(0), 0x1.fffffep-1f));
}
void NearIdentical50(benchmark::State& state) {
  Suppress(state, MakeCase(Kind::kNearIdentical, state.range(0), 0.5f));
}

// Returns the arguments for the IoUs of all pairs of boxes of the input.
IouArgs AllPairs(const Case& input, std::vector<float>& ious) {
  return {.first = input.boxes.data(),
          .second = input.boxes.data(),
          .rows = input.count(),
          .columns = input.count(),
          .first_stride = kBoxFloats,
          .second_stride = kBoxFloats,
          .aligned = false,
          .ious = ious.data()};
}

// Compares the speed of a matrix of IoUs with the reference.
void IouAgainstReference(benchmark::State& state) {
  const int64_t count = state.range(0);
  const Case input = MakeCase(Kind::kHeap, count, 0);
  PinnedThreads threads(2);
  RunContext context{threads, nullptr};
  std::vector<float> ious(static_cast<size_t>(count * count));
  std::vector<float> expected(ious.size());
  const IouArgs args = AllPairs(input, ious);
  const IouArgs reference_args = AllPairs(input, expected);
  bool ok = true;
  Interleave(
      state, [&] { ok = RunIou(context, args).ok() && ok; }, "reference",
      [&] { ReferenceIou(reference_args); });
  if (!ok || ious != expected) {
    state.SkipWithError("wrong result");
  }
}

// Measures a whole call of the C function.
void CApiCall(benchmark::State& state) {
  const int64_t count = state.range(0);
  const Case input = MakeCase(Kind::kAerial, count, 0.1f);
  std::vector<int32_t> output(static_cast<size_t>(count), -1);
  int32_t kept = 0;
  mluOpHandle_t handle = nullptr;
  mluOpTensorDescriptor_t boxes_desc = nullptr;
  mluOpTensorDescriptor_t output_desc = nullptr;
  mluOpCreate(&handle);
  mluOpCreateTensorDescriptor(&boxes_desc);
  mluOpCreateTensorDescriptor(&output_desc);
  const int64_t boxes_dims[] = {count, 9};
  mluOpSetTensorDescriptor_v2(boxes_desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, boxes_dims);
  mluOpSetTensorDescriptor_v2(output_desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, 1, boxes_dims);
  size_t size = 0;
  bool ok = mluOpGetPolyNmsWorkspaceSize(handle, boxes_desc, &size) == MLUOP_STATUS_SUCCESS;
  const AlignedBuffer workspace(size);
  for (auto _ : state) {
    ok = mluOpPolyNms(handle, boxes_desc, input.boxes.data(), 0.1f, workspace.data(), size,
                      output_desc, output.data(), &kept) == MLUOP_STATUS_SUCCESS &&
         ok;
  }
  if (!ok || RunReference(input).output != output) {
    state.SkipWithError("wrong result");
  }
  mluOpDestroyTensorDescriptor(output_desc);
  mluOpDestroyTensorDescriptor(boxes_desc);
  mluOpDestroy(handle);
}

// Compares all boxes of one block. Most of them overlap, as in a dense scene.
double MeasurePair(benchmark::State& state) {
  constexpr int64_t kCount = 1024;
  const Case input = MakeCase(Kind::kNormal, kCount, 0.9f);
  std::vector<int32_t> ids(kCount);
  std::iota(ids.begin(), ids.end(), 0);
  constexpr int64_t kStride = kCount + suppression::kMaxLanes;
  std::vector<float> columns(kColumns * kStride);
  const AlignedBuffer records(kCount * sizeof(Record));
  suppression::PreparedBoxes prepared{.boxes = input.boxes.data(),
                                      .metric = nullptr,
                                      .ids = ids.data(),
                                      .columns = {},
                                      .records = static_cast<std::byte*>(records.data()),
                                      .count = kCount};
  for (int64_t column = 0; column < kColumns; ++column) {
    prepared.columns.array[column] = columns.data() + column * kStride;
  }
  NmsKernels().prepare(prepared, 0, kCount);
  constexpr int64_t kWords = CeilDiv(kCount, 64);
  std::vector<uint64_t> rows(kCount * kWords);
  const suppression::Block block{.prepared = &prepared,
                                 .metric = nullptr,
                                 .columns = prepared.columns,
                                 .slot_of = nullptr,
                                 .count = kCount,
                                 .threshold = input.iou_threshold,
                                 .rows = rows.data(),
                                 .words_per_row = kWords};
  return NanosecondsPer(kCount * (kCount - 1) / 2.0, state,
                        [&] { NmsKernels().block_tile(block, 0, kCount); });
}

// Computes the IoUs of boxes that all overlap each other.
double MeasureIou(benchmark::State& state) {
  constexpr int64_t kCount = 256;
  const Case input = MakeCase(Kind::kHeap, kCount, 0);
  std::vector<float> ious(kCount * kCount);
  const IouArgs args = AllPairs(input, ious);
  return NanosecondsPer(kCount * kCount, state, [&] { ComputeIous(args, {0, kCount, 0, kCount}); });
}

const bool costs_registered = [] {
  RegisterCost("poly_nms", "kNanosecondsPerPair", "ns per pair", kNanosecondsPerPair, MeasurePair);
  RegisterCost("poly_nms", "kNanosecondsPerIou", "ns per pair", kNanosecondsPerIou, MeasureIou);
  static const Case input = MakeCase(Kind::kAerial, 20'000, 0.5f);
  static const suppression::CostScene scattered(NmsKernels(), input.boxes.data(), nullptr, 0.5f,
                                                input.count());
  suppression::RegisterKernelCosts("poly_nms", scattered);
  return true;
}();

BENCHMARK(Aerial10)->Apply([](auto* b) { ForCounts(b, {70, 500, 2000, 9770}); });
BENCHMARK(Normal50)->Apply([](auto* b) { ForCounts(b, {2000}); });
BENCHMARK(Normal99)->Apply([](auto* b) { ForCounts(b, {70, 119, 500, 1000, 2000}); });
BENCHMARK(Normal100)->Apply([](auto* b) { ForCounts(b, {70, 119, 500, 1000, 2000}); });
BENCHMARK(Heap50)->Apply([](auto* b) { ForCounts(b, {2000, 20'000}); });
BENCHMARK(Heap9999)->Apply([](auto* b) { ForCounts(b, {1000}); });
BENCHMARK(LargeHeap9999)->Apply([](auto* b) { ForCounts(b, {1000}); });
BENCHMARK(SmallHeap9999)->Apply([](auto* b) { ForCounts(b, {1000}); });
BENCHMARK(NearIdentical100)->Apply([](auto* b) { ForCounts(b, {1000}); });
BENCHMARK(NearIdentical50)->Apply([](auto* b) { ForCounts(b, {20'000}); });
// At a constant density, the time should be proportional to the number of boxes.
BENCHMARK(Aerial30)->Apply([](auto* b) {
  ForCounts(b, {62'500, 125'000, 250'000, 500'000, 1'000'000, 2'000'000});
});
BENCHMARK(Sparse30)->Apply([](auto* b) { ForCounts(b, {125'000, 1'000'000}); });
BENCHMARK(IouAgainstReference)
    ->Args({500})
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime()
    ->MinTime(0.1);
BENCHMARK(CApiCall)->Arg(1)->Arg(8)->Arg(70);

}  // namespace
}  // namespace detops::poly_nms
