// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The results of a large random suite have the same hash for the reference, for every instruction
// set and for every number of threads. All NaNs of border_align_forward and psroipool_forward count
// as equal.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/simd_target.h"
#include "measure/slow_build.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/border_align_forward/harness.h"
#include "ops/generate_proposals_v2/harness.h"
#include "ops/nms/cases.h"
#include "ops/poly_nms/cases.h"
#include "ops/psroipool_forward/harness.h"
#include "suppression/harness.h"

namespace detops {
namespace {

constexpr int kSmallCases = kSlowBuild ? 20 : 400;
constexpr uint32_t kLargeSeeds = kSlowBuild ? 0 : 1;

// FNV-1a.
class Hash {
 public:
  template <class T>
  void Add(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    AddBytes(values.data(), values.size() * sizeof(T));
    AddNumber(static_cast<int64_t>(values.size()));
  }
  void AddNumber(int64_t number) { AddBytes(&number, sizeof(number)); }
  bool operator==(const Hash& other) const { return state_ == other.state_; }
  uint64_t state() const { return state_; }

 private:
  void AddBytes(const void* data, size_t size) {
    const auto* const bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) {
      state_ = (state_ ^ bytes[i]) * 0x100000001B3u;
    }
  }

  uint64_t state_ = 0xCBF29CE484222325u;
};

void PrintTo(const Hash& hash, std::ostream* stream) { *stream << std::hex << hash.state(); }

// The number of threads of a run, or nothing for the reference.
using Threaded = std::optional<int>;

// Compares run(threads) for every target and several numbers of threads with the reference.
void ExpectOneHash(const std::function<Hash(Threaded)>& run) {
  const Hash expected = run(std::nullopt);
  for (const int64_t target : SimdTargets()) {
    ASSERT_TRUE(SetSimdTarget(hwy::TargetName(target)).ok());
    for (const int threads : {1, 2, 3, 7}) {
      EXPECT_EQ(run(threads), expected) << hwy::TargetName(target) << ", threads " << threads;
    }
  }
  ResetSimdTarget();
}

// Returns cases with every variant of an operator, made from random bytes.
template <class Make>
auto CasesFromBytes(const Make& make) {
  std::vector<decltype(make(std::declval<FuzzBytes&>()))> cases;
  std::mt19937 random(1);
  for (int i = 0; i < kSmallCases; ++i) {
    std::vector<uint8_t> memory(32 + random() % 480);
    for (uint8_t& byte : memory) {
      byte = static_cast<uint8_t>(random());
    }
    FuzzBytes bytes(memory.data(), memory.size());
    cases.push_back(make(bytes));
  }
  return cases;
}

// ---- bbox_overlaps ------------------------------------------------------------------------------

void AddOverlaps(const bbox_overlaps::Case& input, Threaded count, Hash& hash) {
  using namespace bbox_overlaps;  // NOLINT(google-build-using-namespace)
  const Problem problem(input);
  std::vector<std::byte> ious(static_cast<size_t>(problem.result_bytes()));
  const Boxes boxes = problem.args(nullptr).boxes;
  std::vector<float> values(static_cast<size_t>(boxes.rows));
  std::vector<int32_t> columns(values.size());
  std::vector<OverlapPair> pairs;
  const RowMaximumArgs best{boxes, values.data(), columns.data()};
  const PairsArgs above{boxes, 0.3f, &pairs};
  if (count) {
    Threads threads(*count);
    RunContext context{threads, nullptr};
    EXPECT_TRUE(Run(context, problem.args(ious.data())).ok());
    EXPECT_TRUE(RunRowMaximum(context, best).ok());
    EXPECT_TRUE(RunPairs(context, above).ok());
  } else {
    Reference(problem.args(ious.data()));
    ReferenceRowMaximum(best);
    ReferencePairs(above);
  }
  hash.Add(ious);
  hash.Add(columns);
  hash.Add(values);
  hash.Add(pairs);
}

TEST(Determinism, BboxOverlaps) {
  using bbox_overlaps::Kind;
  std::vector<bbox_overlaps::Case> cases = CasesFromBytes(bbox_overlaps::CaseFromBytes);
  for (uint32_t seed = 0; seed < kLargeSeeds; ++seed) {
    for (const Kind kind : {Kind::kGrid, Kind::kImage, Kind::kExtremes, Kind::kWide}) {
      // More columns than a tile.
      for (const bbox_overlaps::Case& input : bbox_overlaps::Variants(
               RandomBoxes(kind, 90, seed), RandomBoxes(kind, 1500, seed + 100), false)) {
        cases.push_back(input);
      }
    }
  }
  ExpectOneHash([&](Threaded threads) {
    Hash hash;
    for (const bbox_overlaps::Case& input : cases) {
      AddOverlaps(input, threads, hash);
    }
    return hash;
  });
}

// ---- border_align_forward -----------------------------------------------------------------------

TEST(Determinism, BorderAlignForward) {
  using border_align_forward::Case;
  std::vector<Case> cases = CasesFromBytes(border_align_forward::CaseFromBytes);
  for (uint32_t seed = 0; seed < kLargeSeeds; ++seed) {
    for (const border_align_forward::Kind kind : border_align_forward::kAllKinds) {
      for (const bool channels_first : {false, true}) {
        Case input = RandomCase(kind,
                                {.images = 2,
                                 .height = 11,
                                 .width = 13,
                                 .channels = 37,
                                 .boxes_per_image = 40,
                                 .pool_size = 7},
                                seed);
        input.channels_first = channels_first;
        input.half = cases.size() / 2 % 2 != 0;
        cases.push_back(input);
      }
    }
  }
  ExpectOneHash([&](Threaded threads) {
    Hash hash;
    for (const Case& input : cases) {
      const border_align_forward::Result result =
          threads ? RunOn(*threads, input) : RunReference(input);
      hash.Add(result.values);
      hash.Add(result.samples);
    }
    return hash;
  });
}

// ---- nms and poly_nms ---------------------------------------------------------------------------

template <class Case>
void ExpectOneHashOfKept(const std::vector<Case>& cases) {
  ExpectOneHash([&](Threaded threads) {
    Hash hash;
    for (const Case& input : cases) {
      const Kept kept = threads ? RunOn(*threads, input) : RunReference(input);
      hash.Add(kept.output);
      hash.Add(kept.result_num);
    }
    return hash;
  });
}

std::vector<int32_t> FourGroups(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> groups(static_cast<size_t>(count));
  for (int32_t& group : groups) {
    group = static_cast<int32_t>(random() % 4);
  }
  return groups;
}

TEST(Determinism, Nms) {
  std::vector<nms::Case> cases = CasesFromBytes(nms::CaseFromBytes);
  for (uint32_t seed = 0; seed < kLargeSeeds; ++seed) {
    for (const nms::Kind kind : nms::kAllKinds) {
      for (const int64_t count : {300, 2000}) {
        nms::Case input = nms::RandomCase(kind, count, seed);
        input.iou_threshold = 0.3f;
        cases.push_back(input);
        input.groups = FourGroups(count, seed);
        cases.push_back(input);
      }
    }
  }
  ExpectOneHashOfKept(cases);
}

TEST(Determinism, PolyNms) {
  std::vector<poly_nms::Case> cases = CasesFromBytes(poly_nms::CaseFromBytes);
  for (uint32_t seed = 0; seed < kLargeSeeds; ++seed) {
    for (const poly_nms::Kind kind : poly_nms::kAllKinds) {
      poly_nms::Case input;
      input.boxes = RandomBoxes(kind, 500, seed);
      input.iou_threshold = 0.1f;
      cases.push_back(input);
      input.groups = FourGroups(500, seed);
      cases.push_back(input);
    }
  }
  ExpectOneHashOfKept(cases);
}

TEST(Determinism, PolygonIou) {
  constexpr int64_t kRows = 60;
  constexpr int64_t kColumns = 70;
  ExpectOneHash([&](Threaded count) {
    Hash hash;
    for (const poly_nms::Kind kind : poly_nms::kAllKinds) {
      const std::vector<float> first = RandomBoxes(kind, kRows, 1);
      const std::vector<float> second = RandomBoxes(kind, kColumns, 2);
      std::vector<float> ious(kRows * kColumns);
      const poly_nms::IouArgs args{.first = first.data(),
                                   .second = second.data(),
                                   .rows = kRows,
                                   .columns = kColumns,
                                   .first_stride = 9,
                                   .second_stride = 9,
                                   .aligned = false,
                                   .ious = ious.data()};
      if (count) {
        Threads threads(*count);
        RunContext context{threads, nullptr};
        EXPECT_TRUE(RunIou(context, args).ok());
      } else {
        poly_nms::ReferenceIou(args);
      }
      hash.Add(ious);
    }
    return hash;
  });
}

// ---- generate_proposals_v2 ----------------------------------------------------------------------

TEST(Determinism, GenerateProposalsV2) {
  namespace op = generate_proposals_v2;
  std::vector<op::Case> cases = CasesFromBytes(op::CaseFromBytes);
  for (uint32_t seed = 0; seed < kLargeSeeds; ++seed) {
    for (const op::Kind kind : op::kAllKinds) {
      for (const op::Shape& shape : {op::Shape{2, 40, 50, 3}, op::Shape{3, 9, 11, 5}}) {
        op::Case input = RandomCase(kind, shape, 8, 24, seed);
        input.post_nms_top_n = 300;
        input.nms_thresh = 0.7f;
        input.pixel_offset = cases.size() / 2 % 2 != 0;
        cases.push_back(input);
        cases.push_back(input.ChannelsFirst());
      }
    }
  }
  ExpectOneHash([&](Threaded threads) {
    Hash hash;
    for (const op::Case& input : cases) {
      const op::Proposals found = threads ? RunOn(*threads, input) : RunReference(input);
      hash.Add(found.anchor_indices);
      hash.Add(found.counts);
      hash.AddNumber(found.total);
      hash.Add(found.rois);
      hash.Add(found.probs);
    }
    return hash;
  });
}

// ---- psroipool_forward --------------------------------------------------------------------------

TEST(Determinism, PsRoiPoolForward) {
  namespace op = psroipool_forward;
  std::vector<op::Case> cases = CasesFromBytes(op::CaseFromBytes);
  for (uint32_t seed = 0; seed < kLargeSeeds; ++seed) {
    for (const op::Kind kind : op::kAllKinds) {
      for (const bool channels_first : {false, true}) {
        op::Case input = RandomCase(
            kind, {.images = 2, .height = 19, .width = 23, .group = 5, .dim = 9, .rois = 120}, 0.3f,
            seed);
        input.channels_first = channels_first;
        input.rounding =
            cases.size() / 2 % 2 != 0 ? RoiRounding::kAfterScaling : RoiRounding::kBeforeScaling;
        cases.push_back(input);
      }
    }
  }
  ExpectOneHash([&](Threaded threads) {
    Hash hash;
    for (const op::Case& input : cases) {
      const op::Result result = threads ? RunOn(*threads, input) : RunReference(input);
      hash.AddNumber(result.status.code());
      hash.Add(result.channels);
      hash.Add(result.means);
    }
    return hash;
  });
}

}  // namespace
}  // namespace detops
