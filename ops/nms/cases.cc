// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/nms/cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/aligned_buffer.h"

namespace detops::nms {
namespace {

float Uniform(std::mt19937& random, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random);
}

float Special(std::mt19937& random) {
  constexpr float kSpecial[] = {0.0f,
                                -0.0f,
                                std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::lowest(),
                                std::numeric_limits<float>::denorm_min(),
                                1e30f,
                                -1e30f,
                                1e8f};
  return kSpecial[random() % std::size(kSpecial)];
}

class BoxMaker {
 public:
  BoxMaker(Kind kind, int64_t count, uint32_t seed)
      : kind_(kind), side_(30.0f * std::sqrt(static_cast<float>(count))), random_(seed) {}

  void Append(std::vector<float>& boxes) {
    float x = 0, y = 0, width = 0, height = 0;
    switch (kind_) {
      case Kind::kScene:
        x = In(0, side_), y = In(0, side_), width = In(8, 40), height = In(8, 40);
        break;
      case Kind::kImage: {
        const auto object = static_cast<float>(random_() % 20);
        x = 60 * object + In(-6, 6), y = 40 * object + In(-6, 6);
        width = 50 + In(-10, 10), height = 70 + In(-10, 10);
        break;
      }
      case Kind::kIntegers:
        x = Whole(8), y = Whole(8), width = Whole(5), height = Whole(5);
        break;
      case Kind::kHeap:
        x = In(90, 110), y = In(90, 110), width = In(40, 80), height = In(40, 80);
        break;
      case Kind::kSizes:
        x = In(0, 1000), y = In(0, 1000);
        width = std::exp(In(-7, 9)), height = std::exp(In(-7, 9));
        break;
      case Kind::kFar:
        x = 1e7f + Whole(40), y = -2e7f + Whole(40), width = Whole(20), height = Whole(20);
        break;
      case Kind::kExtremes: {
        const float scale = random_() % 3 == 0 ? std::exp2(In(-140, 110)) : 1.0f;
        x = In(0, 30) * scale, y = In(0, 30) * scale;
        width = In(-3, 30) * scale, height = In(-3, 30) * scale;
        break;
      }
    }
    for (float value : {x, y, x + width, y + height}) {
      boxes.push_back(kind_ == Kind::kExtremes && random_() % 16 == 0 ? Special(random_) : value);
    }
  }

 private:
  float In(float low, float high) { return Uniform(random_, low, high); }
  float Whole(uint32_t limit) { return static_cast<float>(random_() % limit); }

  Kind kind_;
  float side_;
  std::mt19937 random_;
};

}  // namespace

const char* NameOf(Kind kind) {
  constexpr const char* kNames[] = {"scene", "image", "integers", "heap",
                                    "sizes", "far",   "extremes"};
  return kNames[static_cast<int>(kind)];
}

std::vector<float> RandomBoxes(Kind kind, int64_t count, uint32_t seed) {
  BoxMaker maker(kind, count, seed);
  std::vector<float> boxes;
  boxes.reserve(static_cast<size_t>(count * kBoxFloats));
  for (int64_t i = 0; i < count; ++i) {
    maker.Append(boxes);
  }
  return boxes;
}

std::vector<float> RandomScores(int64_t count, uint32_t seed, bool special) {
  std::mt19937 random(seed);
  std::vector<float> scores;
  for (int64_t i = 0; i < count; ++i) {
    const bool tie = random() % 4 == 0;
    scores.push_back(special && random() % 8 == 0
                         ? Special(random)
                         : (tie ? static_cast<float>(random() % 8) / 8 : Uniform(random, 0, 1)));
  }
  return scores;
}

Args Case::args(int32_t* output, int32_t* result_num) const {
  return {{boxes.data(), offset},
          {nullptr, scores.data(), 1, count(), iou_threshold,
           has_score_threshold ? score_threshold : std::numeric_limits<float>::quiet_NaN(),
           max_outputs, sort_by_score, groups.empty() ? nullptr : groups.data(),
           image_counts.empty() ? nullptr : image_counts.data(), static_cast<int64_t>(images()),
           output, result_num, nullptr}};
}

std::string Case::ToString() const {
  return fmt::format(
      "{} boxes, offset {}, iou_threshold {}, score_threshold {}, max_outputs {}, sort_by_score "
      "{}, "
      "groups [{}], image_counts [{}], boxes [{}]",
      count(), offset, iou_threshold,
      has_score_threshold ? fmt::format("{}", score_threshold) : "none", max_outputs, sort_by_score,
      fmt::join(groups, ","), fmt::join(image_counts, ","),
      count() > 20 ? "..." : fmt::format("{}", fmt::join(boxes, ",")));
}

Case RandomCase(Kind kind, int64_t count, uint32_t seed) {
  Case input;
  input.boxes = RandomBoxes(kind, count, seed);
  input.scores = RandomScores(count, seed + 1, kind == Kind::kExtremes);
  return input;
}

Case CaseFromBytes(FuzzBytes& bytes) {
  const int count = bytes.TakeInRange(0, 255);
  const Kind kind = kAllKinds[bytes.TakeInRange(0, std::size(kAllKinds) - 1)];
  Case input = RandomCase(kind, count, bytes.Take<uint32_t>());
  constexpr float kThresholds[] = {0.0f, 0.05f, 0.25f, 0.5f, 0.7f, 0.99f, 1.0f};
  input.iou_threshold = kThresholds[bytes.TakeInRange(0, std::size(kThresholds) - 1)];
  input.offset = bytes.TakeInRange(0, 1);
  input.has_score_threshold = bytes.TakeInRange(0, 3) == 0;
  input.score_threshold = 0.25f;
  input.sort_by_score = bytes.TakeInRange(0, 1) == 0;
  if (bytes.TakeInRange(0, 3) == 0) {
    input.max_outputs = bytes.TakeInRange(0, 50);
  }
  const int groups = bytes.TakeInRange(0, 4);
  for (int i = 0; i < count && groups != 0; ++i) {
    input.groups.push_back(bytes.TakeInRange(0, groups) - 1);
  }
  if (bytes.TakeInRange(0, 2) == 0) {
    const int first = bytes.TakeInRange(0, 255) % (count + 1);
    input.image_counts = {first, 0, count - first};
  }
  // The rest of the bytes goes over the boxes.
  for (size_t i = 0; i < input.boxes.size() && !bytes.empty(); ++i) {
    input.boxes[i] = bytes.Take<float>();
  }
  return input;
}

namespace {

Kept EmptyKept(const Case& input) {
  return {std::vector<int32_t>(static_cast<size_t>(input.count()), -1),
          std::vector<int32_t>(input.images(), -1)};
}

}  // namespace

Kept RunReference(const Case& input) {
  Kept kept = EmptyKept(input);
  Reference(input.args(kept.output.data(), kept.result_num.data()));
  return kept;
}

Kept RunOn(int thread_count, const Case& input) {
  Kept kept = EmptyKept(input);
  Threads threads(thread_count);
  const AlignedBuffer scratch(WorkspaceBytes(input.count()));
  RunContext context{threads, scratch.data()};
  if (!Run(context, input.args(kept.output.data(), kept.result_num.data())).ok()) {
    kept.result_num.clear();
  }
  return kept;
}

}  // namespace detops::nms
