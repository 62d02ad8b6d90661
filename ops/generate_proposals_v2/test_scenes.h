// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs that several tests of generate_proposals_v2 share: scenes with their expected proposals,
// boxes at difficult places, and guarded memory.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_TEST_SCENES_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_TEST_SCENES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "core/carver.h"
#include "measure/random_floats.h"
#include "ops/generate_proposals_v2/harness.h"
#include "testing/guarded_buffer.h"

namespace detops::generate_proposals_v2 {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kLargestFloat = std::numeric_limits<float>::max();

inline void PrintTo(const Proposals& proposals, std::ostream* stream) {
  *stream << "total " << proposals.total << ", counts " << testing::PrintToString(proposals.counts)
          << ", anchors " << testing::PrintToString(proposals.anchor_indices);
}

inline float FloatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// ---- Scenes -------------------------------------------------------------------------------------

// A case in both layouts, and the expected proposals. Tests create their scenes once for all
// targets, because the reference is slow.
struct Scene {
  std::string name;
  Case input;
  Case channels_first;
  Proposals expected;
};

inline Scene MakeScene(const std::string& name, const Case& input) {
  return {name, input, input.ChannelsFirst(), RunReference(input)};
}

inline void ExpectScenes(const std::vector<Scene>& scenes,
                         std::initializer_list<int> thread_counts) {
  for (const Scene& scene : scenes) {
    for (const int threads : thread_counts) {
      ASSERT_EQ(RunOn(threads, scene.input), scene.expected)
          << scene.name << ", threads " << threads << ", " << scene.input.ToString();
      ASSERT_EQ(RunOn(threads, scene.channels_first), scene.expected)
          << scene.name << ", threads " << threads << ", " << scene.channels_first.ToString();
    }
  }
}

// ---- Boxes --------------------------------------------------------------------------------------

// Returns a size between `low` and `high` whose logarithm is uniformly distributed.
inline float UniformSize(Random& random, float low, float high) {
  return std::exp(Uniform(random, std::log(low), std::log(high)));
}

inline std::vector<float> RandomScores(Random& random, size_t count) {
  std::vector<float> scores(count);
  for (float& score : scores) {
    score = Uniform(random, 0, 1);
  }
  return scores;
}

// Where boxes lie, and how large they are. Each place is difficult for the search in its own way.
enum class Place { kImage, kSizes, kCorner, kThin, kFar, kFarther, kLine, kLimit };

inline constexpr Place kAllPlaces[] = {Place::kImage, Place::kSizes, Place::kCorner,
                                       Place::kThin,  Place::kFar,   Place::kFarther,
                                       Place::kLine,  Place::kLimit};

inline const char* NameOf(Place place) {
  constexpr const char* kNames[] = {"image", "sizes",   "corner", "thin",
                                    "far",   "farther", "line",   "limit"};
  return kNames[static_cast<int>(place)];
}

// Sets `to` to a random box at a place.
inline void PlaceBox(Place place, Random& random, float* to) {
  const auto box = [&](float x, float y, float w, float h) {
    to[0] = x;
    to[1] = y;
    to[2] = x + w;
    to[3] = y + h;
  };
  const auto uniform = [&](float low, float high) { return Uniform(random, low, high); };
  switch (place) {
    case Place::kImage:
      return box(uniform(0, 1000), uniform(0, 600), uniform(8, 80), uniform(8, 80));
    case Place::kSizes: {
      const float size = UniformSize(random, 1, 10'000);
      return box(uniform(0, 10'000), uniform(0, 10'000), size * uniform(1, 2), size);
    }
    case Place::kCorner:
      return box(uniform(0, 60), uniform(0, 60), uniform(4, 9), uniform(4, 9));
    case Place::kThin:
      return random() % 2 == 0 ? box(uniform(0, 3000), uniform(0, 40), 1.5f, 3000)
                               : box(uniform(0, 40), uniform(0, 3000), 3000, 1.5f);
    case Place::kFar: {
      const float at = UniformSize(random, 1, 1e30f);
      return box(at * uniform(0, 1), at * uniform(0, 1), at, at * uniform(0.1f, 1));
    }
    case Place::kFarther:  // the sum of two coordinates may exceed the largest float
      return box(uniform(0, 1e38f), uniform(0, 1e38f), uniform(1e37f, 1e38f), 5e37f);
    case Place::kLine:
      return box(uniform(0, 1e6f), uniform(0, 2), uniform(5, 50), uniform(2, 6));
    case Place::kLimit:  // some boxes are too large for areas in float
      return box(uniform(0, 0x1p53f), uniform(0, 0x1p53f), 0x1p50f * uniform(0.8f, 1.3f),
                 0x1p50f * uniform(0.8f, 1.3f));
  }
}

// Returns `count` boxes at a place, in groups of four that overlap each other: they differ from one
// box by random parts, up to `jitter`, of its size.
inline std::vector<float> PlacedBoxes(Place place, size_t count, float jitter, uint32_t seed) {
  Random random(seed);
  std::vector<float> boxes;
  float base[4] = {};
  for (size_t i = 0; i < count; ++i) {
    if (i % 4 == 0) {
      PlaceBox(place, random, base);
    }
    const float w = base[2] - base[0];
    const float h = base[3] - base[1];
    const float x = std::max(base[0] + Uniform(random, -jitter, jitter) * w, 0.0f);
    const float y = std::max(base[1] + Uniform(random, -jitter, jitter) * h, 0.0f);
    boxes.insert(boxes.end(), {x, y, x + w * Uniform(random, 1 - jitter, 1),
                               y + h * Uniform(random, 1 - jitter, 1)});
  }
  return boxes;
}

// ---- Guarded memory -----------------------------------------------------------------------------

// A copy of a vector that ends at an inaccessible page, or `bytes_after` bytes before it.
template <class T>
class GuardedCopy {
 public:
  explicit GuardedCopy(const std::vector<T>& from, size_t bytes_after = 0)
      : buffer_(from.size() * sizeof(T), bytes_after) {
    std::copy(from.begin(), from.end(), data());
  }
  T* data() const { return reinterpret_cast<T*>(buffer_.data()); }
  std::vector<T> ToVector() const {
    return std::vector<T>(data(), data() + buffer_.size() / sizeof(T));
  }

 private:
  GuardedBuffer buffer_;
};

// Memory for a class's Space, which ends at an inaccessible page.
template <class Space>
class SpaceInMemory {
 public:
  explicit SpaceInMemory(int64_t count) : memory_(BytesFor(count)), carver_(memory_.data()) {}
  Space Get(int64_t count) { return Space(carver_, count); }

 private:
  static size_t BytesFor(int64_t count) {
    Carver carver(nullptr);
    const Space space(carver, count);
    return carver.used() + kAlignment;
  }

  GuardedBuffer memory_;
  Carver carver_;
};

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_TEST_SCENES_H_
