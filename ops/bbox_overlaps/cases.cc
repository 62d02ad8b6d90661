// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/bbox_overlaps/cases.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <utility>

#include "core/half.h"

namespace detops::bbox_overlaps {
namespace {

std::vector<std::byte> ToMemory(const std::vector<float>& values, bool half) {
  std::vector<std::byte> memory(values.size() * (half ? 2 : 4));
  for (size_t i = 0; i < values.size(); ++i) {
    if (half) {
      const Half value = FloatToHalf(values[i]);
      std::memcpy(&memory[i * 2], &value, 2);
    } else {
      std::memcpy(&memory[i * 4], &values[i], 4);
    }
  }
  return memory;
}

class BoxMaker {
 public:
  BoxMaker(Kind kind, uint32_t seed) : kind_(kind), random_(seed) {}

  void Append(std::vector<float>& boxes) {
    const float x = Start();
    const float y = Start();
    float box[] = {x, y, x + Size(), y + Size()};
    if (kind_ == Kind::kExtremes || kind_ == Kind::kInOrder) {
      for (float& coordinate : box) {
        coordinate = Disturb(coordinate);
      }
    }
    if (kind_ == Kind::kInOrder) {
      PutInOrder(box[0], box[2]);
      PutInOrder(box[1], box[3]);
    }
    boxes.insert(boxes.end(), std::begin(box), std::end(box));
  }

 private:
  float Uniform(float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random_);
  }

  float Start() {
    switch (kind_) {
      case Kind::kGrid:
        return static_cast<float>(random_() % 16);
      case Kind::kWide:
        return random_() % 8 == 0 ? 0.0f : Magnitude() * (random_() % 2 == 0 ? 1.0f : -1.0f);
      default:
        return Uniform(0.0f, 800.0f);
    }
  }

  float Size() {
    switch (kind_) {
      case Kind::kGrid:
        return static_cast<float>(random_() % 12);
      case Kind::kWide:
        return Magnitude();
      default:
        return Uniform(4.0f, 300.0f);
    }
  }

  float Magnitude() {
    return std::ldexp(Uniform(1.0f, 2.0f), static_cast<int>(random_() % 70) - 30);
  }

  // Replaces one coordinate in four by an extreme value.
  float Disturb(float coordinate) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float extremes[] = {std::numeric_limits<float>::quiet_NaN(),
                              kInfinity,
                              -kInfinity,
                              0.0f,
                              -0.0f,
                              std::numeric_limits<float>::denorm_min(),
                              -1e-40f,
                              std::numeric_limits<float>::max(),
                              std::numeric_limits<float>::lowest(),
                              -coordinate,
                              65504.0f,
                              1.5e19f,  // its square is finite, twice its square is not
                              1e30f};
    return random_() % 4 == 0 ? extremes[random_() % std::size(extremes)] : coordinate;
  }

  static void PutInOrder(float& low, float& high) {
    low = std::isnan(low) ? 0.0f : low;
    high = std::isnan(high) ? low : high;
    if (low > high) {
      std::swap(low, high);
    }
  }

  Kind kind_;
  std::mt19937 random_;
};

}  // namespace

std::string Case::ToString() const {
  return fmt::format("{} [{}] x [{}], {}, offset {}{}", half ? "half" : "float", rows(), columns(),
                     mode == OverlapMode::kIou ? "IoU" : "IoF", offset, aligned ? ", aligned" : "");
}

std::vector<float> RandomBoxes(Kind kind, int64_t count, uint32_t seed) {
  BoxMaker maker(kind, seed);
  std::vector<float> boxes;
  boxes.reserve(static_cast<size_t>(count) * 4);
  for (int64_t i = 0; i < count; ++i) {
    maker.Append(boxes);
  }
  return boxes;
}

Case CaseFromBytes(FuzzBytes& bytes) {
  Case result;
  const auto flags = bytes.Take<uint8_t>();
  result.aligned = (flags & 1) != 0;
  result.half = (flags & 2) != 0;
  result.mode = (flags & 4) != 0 ? OverlapMode::kIof : OverlapMode::kIou;
  result.offset = (flags & 8) != 0 ? 1 : 0;
  int64_t rows = bytes.TakeInRange(0, 40);
  int64_t columns = result.aligned ? rows : bytes.TakeInRange(0, 40);
  // Rarely, more rows than a block has or more columns than a tile has.
  constexpr int64_t kFactor = 70;
  if (bytes.TakeRarely()) {
    const bool is_wide = bytes.TakeInRange(0, 1) != 0;
    rows = is_wide && !result.aligned ? rows % 8 : rows * kFactor;
    columns = result.aligned ? rows : (is_wide ? columns * kFactor : columns % 8);
  }
  const Kind kind = kAllKinds[bytes.TakeInRange(0, 4)];
  const auto seed = bytes.Take<uint16_t>();
  result.boxes1 = RandomBoxes(kind, rows, seed);
  result.boxes2 = RandomBoxes(kind, columns, seed + 1u);
  constexpr float kThresholds[] = {0.25f, 0.0f, 0.5f, 0.05f, 1.0f, -1.0f};
  const int threshold = bytes.TakeInRange(0, 7);
  const float any_threshold = threshold < 6 ? kThresholds[threshold] : bytes.TakeFloat();
  result.threshold = std::isnan(any_threshold) ? 0.25f : any_threshold;
  TakeNumbers(bytes, {&result.boxes1, &result.boxes2});
  return result;
}

std::vector<Case> Variants(const std::vector<float>& boxes1, const std::vector<float>& boxes2,
                           bool aligned) {
  std::vector<Case> cases;
  for (const bool half : {false, true}) {
    for (const OverlapMode mode : {OverlapMode::kIou, OverlapMode::kIof}) {
      for (const int offset : {0, 1}) {
        cases.push_back({.boxes1 = boxes1,
                         .boxes2 = boxes2,
                         .aligned = aligned,
                         .half = half,
                         .mode = mode,
                         .offset = offset});
      }
    }
  }
  return cases;
}

Problem::Problem(const Case& input)
    : case_(input),
      boxes1_(ToMemory(input.boxes1, input.half)),
      boxes2_(ToMemory(input.boxes2, input.half)) {}

Args Problem::args(void* ious) const {
  return {.boxes = {.first = boxes1_.data(),
                    .second = boxes2_.data(),
                    .rows = case_.rows(),
                    .columns = case_.columns(),
                    .half = case_.half,
                    .mode = case_.mode,
                    .offset = case_.offset},
          .aligned = case_.aligned,
          .ious = ious};
}

std::vector<std::byte> Problem::Expected() const {
  std::vector<std::byte> expected(static_cast<size_t>(result_bytes()));
  Reference(args(expected.data()));
  return expected;
}

}  // namespace detops::bbox_overlaps
