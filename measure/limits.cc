// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "measure/limits.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/aligned_buffer.h"
#include "core/math.h"
#include "measure/costs.h"
#include "measure/slow_build.h"
#include "measure/timing.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "measure/limits.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "simd/lanes-inl.h"
#include "simd/stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;

void FillT(float* to, int64_t begin, int64_t end) {
  const DF d;
  StreamVectors(d, to + begin, end - begin, [d](int64_t) HWY_ATTR { return hn::Set(d, 1.0f); });
  hwy::FlushStream();
}

// Reads [begin, end) and returns the maximum, which makes the loads necessary. Two accumulators
// hide the latency.
float ReadT(const float* from, int64_t begin, int64_t end) {
  const DF d;
  const int64_t lanes = LanesOf(d);
  auto max0 = hn::Zero(d);
  auto max1 = hn::Zero(d);
  for (int64_t i = begin; i < end; i += 2 * lanes) {
    max0 = hn::Max(max0, hn::Load(d, from + i));
    max1 = hn::Max(max1, hn::Load(d, from + i + lanes));
  }
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(max0, max1)));
}

constexpr int kChains = 12;

// Six chains of dependent multiplications and six of additions: enough to keep all pipes of current
// cores busy. `starts` are kChains floats that only the run knows. Chains with equal or known
// starts would be computed once, or by the compiler, but counted kChains times.
float OperateT(int64_t rounds, const float* starts, int64_t* operations) {
  const DF d;
  const auto factor = hn::Set(d, 0.9999999f);
  const auto term = hn::Set(d, 1e-9f);
  auto a = hn::Set(d, starts[0]), b = hn::Set(d, starts[1]), c = hn::Set(d, starts[2]);
  auto e = hn::Set(d, starts[3]), f = hn::Set(d, starts[4]), g = hn::Set(d, starts[5]);
  auto u = hn::Set(d, starts[6]), v = hn::Set(d, starts[7]), w = hn::Set(d, starts[8]);
  auto x = hn::Set(d, starts[9]), y = hn::Set(d, starts[10]), z = hn::Set(d, starts[11]);
  for (int64_t i = 0; i < rounds; ++i) {
    a = hn::Mul(a, factor);
    u = hn::Add(u, term);
    b = hn::Mul(b, factor);
    v = hn::Add(v, term);
    c = hn::Mul(c, factor);
    w = hn::Add(w, term);
    e = hn::Mul(e, factor);
    x = hn::Add(x, term);
    f = hn::Mul(f, factor);
    y = hn::Add(y, term);
    g = hn::Mul(g, factor);
    z = hn::Add(z, term);
  }
  *operations = rounds * kChains * LanesOf(d);
  const auto sum =
      hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(u, v)));
  return hn::GetLane(hn::Add(sum, hn::Add(hn::Add(w, x), hn::Add(y, z))));
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {
namespace {

HWY_EXPORT(FillT);
HWY_EXPORT(ReadT);
HWY_EXPORT(OperateT);

// Results are stored here, so that the compiler cannot drop their computation.
std::atomic<float> sink;

// Returns where a block begins in a buffer of `bytes`, in floats. The last block may be shorter;
// its end is rounded down to 128 bytes, two vectors.
int64_t Floats(int64_t block, size_t bytes) {
  return std::min<int64_t>(block * kMemoryBlockBytes, static_cast<int64_t>(bytes) / 128 * 128) / 4;
}

int64_t Blocks(size_t bytes) { return CeilDiv(static_cast<int64_t>(bytes), kMemoryBlockBytes); }

}  // namespace

void FillStreaming(Threads& threads, void* buffer, size_t bytes) {
  ParallelFor(threads, Blocks(bytes), kNanosecondsPerMemoryBlock, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(FillT)
    (static_cast<float*>(buffer), Floats(begin, bytes), Floats(end, bytes));
  });
}

void ReadAndFillStreaming(Threads& threads, const void* input, size_t input_bytes, void* output,
                          size_t output_bytes) {
  const int64_t blocks = Blocks(input_bytes);
  ParallelFor(threads, blocks, kNanosecondsPerMemoryBlock, [&](int64_t begin, int64_t end) {
    sink = HWY_DYNAMIC_DISPATCH(ReadT)(static_cast<const float*>(input), Floats(begin, input_bytes),
                                       Floats(end, input_bytes));
    const auto at = [&](int64_t block) {
      return static_cast<int64_t>(output_bytes) / 4 * block / blocks / 32 * 32;
    };
    HWY_DYNAMIC_DISPATCH(FillT)(static_cast<float*>(output), at(begin), at(end));
  });
}

double BytesMovedPerSecond(Threads& threads) {
  constexpr size_t kBytes = 64 << 20;
  const AlignedBuffer from(kBytes);
  const AlignedBuffer to(kBytes);
  std::memset(from.data(), 1, kBytes);
  double best = 0;
  for (int repetition = 0; repetition < (kSlowBuild ? 1 : 9); ++repetition) {
    const double seconds =
        SecondsOf([&] { ReadAndFillStreaming(threads, from.data(), kBytes, to.data(), kBytes); });
    best = std::max(best, 2 * kBytes / seconds);
  }
  return best;
}

double PeakOperationsPerSecond(Threads& threads) {
  constexpr int64_t kRounds = 20'000;
  constexpr int kChains = HWY_NAMESPACE::kChains;
  float starts[kChains];
  for (int i = 0; i < kChains; ++i) {
    sink = 1.0f + static_cast<float>(i) / kChains;
    starts[i] = sink;
  }
  double best = 0;
  // 200 repetitions take a tenth of a second, longer than another process usually keeps a core.
  for (int repetition = 0; repetition < (kSlowBuild ? 2 : 200); ++repetition) {
    std::atomic<int64_t> operations{0};
    const double seconds = SecondsOf([&] {
      ParallelFor(threads, int64_t{8} * threads.count(), 1e6, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t done = 0;
          sink = HWY_DYNAMIC_DISPATCH(OperateT)(kRounds, starts, &done);
          operations += done;
        }
      });
    });
    best = std::max(best, static_cast<double>(operations) / seconds);
  }
  return best;
}

}  // namespace detops
#endif  // HWY_ONCE
