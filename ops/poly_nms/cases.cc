// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/poly_nms/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace detops::poly_nms {
namespace {

constexpr float kPi = 3.14159265f;

struct Corner {
  float x, y;
};
using Box = std::array<Corner, 4>;

class BoxMaker {
 public:
  BoxMaker(Kind kind, int64_t count, uint32_t seed)
      : kind_(kind), side_(26.0f * std::sqrt(static_cast<float>(count))), random_(seed) {
    for (Box& box : heap_) {
      box = Rectangle(Uniform(0, 100), Uniform(0, 100), Uniform(20, 60), Uniform(20, 60),
                      Uniform(0, kPi));
    }
  }

  Box Make() {
    Box box = MakeOfKind();
    // Starts at a random corner and runs in a random direction.
    std::rotate(box.begin(), box.begin() + random_() % 4, box.end());
    if (random_() % 2 == 0) {
      std::reverse(box.begin(), box.end());
    }
    return box;
  }

  // Returns a random score. A quarter of them are multiples of 1/8, so that ties occur.
  float Score() {
    if (kind_ == Kind::kExtremes && random_() % 8 == 0) {
      return Special();
    }
    return random_() % 4 == 0 ? static_cast<float>(random_() % 8) / 8 : Uniform(0, 1);
  }

 private:
  float Uniform(float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random_);
  }
  float Normal() { return std::normal_distribution<float>()(random_); }
  float LogUniform(float low, float high) {
    return std::exp(Uniform(std::log(low), std::log(high)));
  }

  static Box Rectangle(float x, float y, float width, float height, float angle) {
    const float c = std::cos(angle) / 2;
    const float s = std::sin(angle) / 2;
    Box box;
    const float corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (size_t i = 0; i < 4; ++i) {
      const float u = corners[i][0] * width;
      const float v = corners[i][1] * height;
      box[i] = {x + c * u - s * v, y + s * u + c * v};
    }
    return box;
  }

  // Returns corners at random angles around a center, in angular order.
  Box Star(float x, float y, float near, float far) {
    std::array<float, 4> angles;
    for (float& angle : angles) {
      angle = Uniform(0, 2 * kPi);
    }
    std::sort(angles.begin(), angles.end());
    Box box;
    for (size_t i = 0; i < 4; ++i) {
      const float radius = Uniform(near, far);
      box[i] = {x + radius * std::cos(angles[i]), y + radius * std::sin(angles[i])};
    }
    return box;
  }

  Box Concave() {
    Box box = Star(Uniform(0, side_), Uniform(0, side_), 10, 30);
    // Moves corner 0 beyond the diagonal of its neighbors, toward the opposite corner.
    const float t = Uniform(0.05f, 0.7f);
    const Corner middle{(box[1].x + box[3].x) / 2, (box[1].y + box[3].y) / 2};
    box[0] = {middle.x + t * (box[2].x - middle.x), middle.y + t * (box[2].y - middle.y)};
    return box;
  }

  // Returns a tile of a rotated grid. Neighboring tiles share corners, bit for bit.
  Box Tile() {
    const auto corner = [](int i, int j) {
      const float c = std::cos(0.3f);
      const float s = std::sin(0.3f);
      const float u = 7.3f * static_cast<float>(i);
      const float v = 5.1f * static_cast<float>(j);
      return Corner{100 + c * u - s * v, 50 + s * u + c * v};
    };
    const int i = static_cast<int>(random_() % 6);
    const int j = static_cast<int>(random_() % 6);
    const int wide = 1 + static_cast<int>(random_() % 3);
    const int high = 1 + static_cast<int>(random_() % 3);
    return {corner(i, j), corner(i + wide, j), corner(i + wide, j + high), corner(i, j + high)};
  }

  float Special() {
    constexpr float kSpecial[] = {0.0f,
                                  -0.0f,
                                  std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN(),
                                  std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::lowest(),
                                  std::numeric_limits<float>::denorm_min(),
                                  std::numeric_limits<float>::min(),
                                  1e30f,
                                  -1e30f,
                                  1e8f};
    return kSpecial[random_() % std::size(kSpecial)];
  }

  Box NearIdentical() {
    Box box = heap_[random_() % heap_.size()];
    for (Corner& corner : box) {
      corner.x *= 1.0f + 1e-7f * static_cast<float>(random_() % 5);
      corner.y *= 1.0f + 1e-7f * static_cast<float>(random_() % 5);
    }
    return box;
  }

  Box Lattice() {
    Box box =
        random_() % 8 == 0 ? Rectangle(Uniform(0, 6), Uniform(0, 6), 3, 2, Uniform(0, kPi)) : Box{};
    if (box[0].x == box[2].x) {
      for (Corner& corner : box) {
        corner = {1.1f * (static_cast<float>(random_() % 11) - 5),
                  1.1f * (static_cast<float>(random_() % 11) - 5)};
      }
    } else {
      std::swap(box[1], box[2]);  // a bow tie with an area of 0
    }
    return box;
  }

  Box Extreme() {
    Box box = heap_[random_() % heap_.size()];
    const float scale = random_() % 3 == 0 ? std::exp2(Uniform(-140, 120)) : 1.0f;
    for (Corner& corner : box) {
      corner = {corner.x * scale, corner.y * scale};
      if (random_() % 16 == 0) {
        corner.x = Special();
      }
      if (random_() % 16 == 0) {
        corner.y = Special();
      }
    }
    return box;
  }

  Box MakeOfKind() {
    switch (kind_) {
      case Kind::kAerial:
        return Rectangle(Uniform(0, side_), Uniform(0, side_), Uniform(8, 40), Uniform(8, 40),
                         Uniform(0, kPi));
      case Kind::kFar:
        return Rectangle(4e6f + Uniform(0, side_), -1e6f + Uniform(0, side_), Uniform(8, 40),
                         Uniform(8, 40), Uniform(0, kPi));
      case Kind::kConvex:
        return Star(Uniform(0, side_), Uniform(0, side_), 20, 20.001f);
      case Kind::kConcave:
        return Concave();
      case Kind::kThin:
        return Rectangle(Uniform(0, 1000), Uniform(0, 1000), LogUniform(1, 10),
                         LogUniform(1, 10000), Uniform(0, kPi));
      case Kind::kNearIdentical:
        return NearIdentical();
      case Kind::kSharing:
        return Tile();
      case Kind::kIntegers: {
        Box box;
        for (Corner& corner : box) {
          corner = {static_cast<float>(random_() % 7), static_cast<float>(random_() % 7)};
        }
        return box;
      }
      case Kind::kLattice:
        return Lattice();
      case Kind::kNormal: {
        Box box;
        for (Corner& corner : box) {
          corner = {Normal(), Normal()};
        }
        return box;
      }
      case Kind::kSizes:
        return Rectangle(Uniform(0, 1000), Uniform(0, 1000), LogUniform(1e-3f, 1e4f),
                         LogUniform(1e-3f, 1e4f), Uniform(0, kPi));
      case Kind::kHeap:
        return Rectangle(Uniform(90, 110), Uniform(90, 110), Uniform(40, 80), Uniform(40, 80),
                         Uniform(0, kPi));
      case Kind::kExtremes:
        return Extreme();
    }
    return {};
  }

  Kind kind_;
  float side_;
  std::mt19937 random_;
  std::array<Box, 5> heap_;
};

}  // namespace

const char* NameOf(Kind kind) {
  constexpr const char* kNames[] = {"aerial",         "far",     "convex",   "concave", "thin",
                                    "near identical", "sharing", "integers", "lattice", "normal",
                                    "sizes",          "heap",    "extremes"};
  return kNames[static_cast<int>(kind)];
}

std::vector<float> RandomBoxes(Kind kind, int64_t count, uint32_t seed) {
  BoxMaker maker(kind, count, seed);
  std::vector<float> boxes;
  boxes.reserve(static_cast<size_t>(count * kBoxFloats));
  for (int64_t i = 0; i < count; ++i) {
    for (const Corner& corner : maker.Make()) {
      boxes.push_back(corner.x);
      boxes.push_back(corner.y);
    }
    boxes.push_back(maker.Score());
  }
  return boxes;
}

Args Case::args(int32_t* output, int32_t* result_num) const {
  Args args = ArgsWithoutBoxes(count(), output, result_num);
  args.boxes = boxes.data();
  args.scores = boxes.data() + (boxes.empty() ? 0 : kBoxFloats - 1);
  args.score_stride = kBoxFloats;
  return args;
}

std::string Case::ToString() const {
  return fmt::format("{} boxes, {}", count(), Describe(count()));
}

Case CaseFromBytes(FuzzBytes& bytes) {
  Case input;
  constexpr int kMostBoxes = 700;  // the reference is slow
  const int count = SuppressionCase::TakeCount(bytes, kMostBoxes);
  const Kind kind = kAllKinds[bytes.TakeInRange(0, std::size(kAllKinds) - 1)];
  input.boxes = RandomBoxes(kind, count, bytes.Take<uint16_t>());
  input.TakeOptions(bytes, count);
  const SuppressionCase::Tie tie = SuppressionCase::TakeTie(bytes);
  TakeNumbers(bytes, {&input.boxes});
  const float* const boxes = input.boxes.data();
  input.SetThreshold(
      tie, count,
      [&](int64_t i) { return input.boxes[static_cast<size_t>(i * kBoxFloats + kBoxFloats - 1)]; },
      [&](int64_t i, int64_t j) {
        return ReferencePolygonIou(boxes + i * kBoxFloats, boxes + j * kBoxFloats);
      });
  return input;
}

}  // namespace detops::poly_nms
