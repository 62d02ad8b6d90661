// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/nms/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

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

// Makes random boxes of one kind.
class BoxMaker {
 public:
  BoxMaker(Kind kind, int64_t count, uint32_t seed)
      : kind_(kind), side_(30.0f * std::sqrt(static_cast<float>(count))), random_(seed) {}

  // Appends the next box.
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
  // Returns a number in [low, high).
  float In(float low, float high) { return Uniform(random_, low, high); }
  // Returns an integer below `limit`.
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
  Args args{.metric = {.offset = offset},
            .suppression = ArgsWithoutBoxes(count(), output, result_num)};
  args.suppression.boxes = boxes.data();
  args.suppression.scores = scores.data();
  return args;
}

std::string Case::ToString() const {
  return fmt::format("{} boxes, offset {}, {}", count(), offset, Describe(count()));
}

Case RandomCase(Kind kind, int64_t count, uint32_t seed) {
  Case input;
  input.boxes = RandomBoxes(kind, count, seed);
  input.scores = RandomScores(count, seed + 1, kind == Kind::kExtremes);
  return input;
}

Case CaseFromBytes(FuzzBytes& bytes) {
  constexpr int kMostBoxes = 2500;
  const int count = SuppressionCase::TakeCount(bytes, kMostBoxes);
  const Kind kind = kAllKinds[bytes.TakeInRange(0, std::size(kAllKinds) - 1)];
  Case input = RandomCase(kind, count, bytes.Take<uint16_t>());
  input.offset = bytes.TakeInRange(0, 1);
  input.TakeOptions(bytes, count);
  const SuppressionCase::Tie tie = SuppressionCase::TakeTie(bytes);
  TakeNumbers(bytes, {&input.boxes, &input.scores});
  const float* const boxes = input.boxes.data();
  input.SetThreshold(
      tie, count, [&](int64_t i) { return input.scores[static_cast<size_t>(i)]; },
      [&](int64_t i, int64_t j) {
        return ReferenceIou(boxes + i * kBoxFloats, boxes + j * kBoxFloats, input.offset);
      });
  return input;
}

}  // namespace detops::nms
