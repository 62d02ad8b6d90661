// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/carver.h"
#include "core/parallel.h"
#include "core/simd_target.h"
#include "detops/detops.hpp"
#include "measure/diff.h"
#include "measure/random_floats.h"
#include "measure/slow_build.h"
#include "ops/generate_proposals_v2/exp.h"
#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/kept_grid.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/selection.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "ops/nms/op.h"
#include "runtime/queue.h"
#include "testing/error_message.h"
#include "testing/gate.h"
#include "testing/guarded_buffer.h"
#include "testing/log_capture.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops::generate_proposals_v2 {

void PrintTo(const Proposals& proposals, std::ostream* stream) {
  *stream << "total " << proposals.total << ", counts " << testing::PrintToString(proposals.counts)
          << ", anchors " << testing::PrintToString(proposals.anchor_indices);
}

namespace {

using testing::Each;
using testing::ElementsAre;
using testing::FloatEq;
using testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargestFloat = std::numeric_limits<float>::max();

constexpr float kThresholds[] = {1e-30f, 0.01f,     0.3f, 0.5f, 0.7f,
                                 0.99f,  0.999999f, 1.0f, 2.0f, kInfinity};

// Sizes from `low` to `high`, as many of each magnitude.
float UniformSize(Random& random, float low, float high) {
  return std::exp(Uniform(random, std::log(low), std::log(high)));
}

// ---- What is kept, on every target --------------------------------------------------------------

class GenerateProposalsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsKernel);

// A call and what must come out. Made once for all targets: the reference takes its time.
struct Scene {
  std::string name;
  Case input;
  Case channels_first;
  Proposals expected;
};

Scene MakeScene(const std::string& name, const Case& input) {
  return {name, input, input.ChannelsFirst(), RunReference(input)};
}

void ExpectScenes(const std::vector<Scene>& scenes, std::initializer_list<int> thread_counts) {
  for (const Scene& scene : scenes) {
    for (const int threads : thread_counts) {
      ASSERT_EQ(RunOn(threads, scene.input), scene.expected)
          << scene.name << ", threads " << threads << ", " << scene.input.ToString();
      ASSERT_EQ(RunOn(threads, scene.channels_first), scene.expected)
          << scene.name << ", threads " << threads << ", " << scene.channels_first.ToString();
    }
  }
}

// Around every vector width, and around where blocks of candidates can end.
constexpr int64_t kCounts[] = {1,   2,   3,   4,   5,   7,   8,   9,   15,  16,  17,  31,  32,
                               33,  63,  64,  65,  95,  96,  97,  127, 128, 129, 191, 192, 193,
                               223, 224, 225, 255, 256, 257, 287, 288, 289, 447, 448, 449, 479,
                               480, 481, 511, 512, 513, 959, 960, 961, 991, 992, 993, 1023};

TEST_P(GenerateProposalsKernel, HasTheReferencesBitsForAnyNumberOfScores) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const int64_t count : kCounts) {
        const auto seed = static_cast<uint32_t>(count);
        // Positions in a row with one anchor, and two rows with three: both ways through channels.
        Case input = RandomCase(kind, {1, 1, count, 1}, 8, 20, seed);
        input.pixel_offset = count % 2 == 0;
        result.push_back(MakeScene(NameOf(kind), input));
        input = RandomCase(kind, {1, 2, (count + 5) / 6, 3}, 8, 20, seed);
        input.nms_thresh = 0.7f;
        result.push_back(MakeScene(NameOf(kind), input));
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1});
}

// Around where one sort of all scores ends (1024) and where parts of scores end (8192), which are
// fewer scores when an anchor is cut off with them, and one position when that alone has more.
TEST_P(GenerateProposalsKernel, HasTheReferencesBitsForManyScores) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const Shape& shape :
           {Shape{1, 1, 1024, 1}, Shape{1, 1, 1025, 1}, Shape{1, 1, 8191, 1}, Shape{1, 1, 8192, 1},
            Shape{1, 1, 8193, 1}, Shape{1, 61, 90, 3}, Shape{1, 30, 40, 15}, Shape{1, 2, 3, 4097},
            Shape{1, 1, 3, 9000}, Shape{1, 129, 127, 2}}) {
        Case input = RandomCase(kind, shape, 8, 32, 7);
        input.pre_nms_top_n = 1500;
        input.post_nms_top_n = 200;
        result.push_back(MakeScene(NameOf(kind), input));
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2, 7});
}

// On the best target only: the reference takes its time for all of them.
TEST(GenerateProposalsNetworks, HaveTheReferencesBits) {
  for (const Shape& shape : NetworkShapes()) {
    Case input = RandomCase(Kind::kUniform, shape, 8, 32, 9);
    input.pre_nms_top_n = 2000;
    input.post_nms_top_n = 400;
    const Proposals expected = RunReference(input);
    ASSERT_EQ(RunOn(2, input), expected) << input.ToString();
    ASSERT_EQ(RunOn(2, input.ChannelsFirst()), expected) << input.ToString();
  }
}

TEST_P(GenerateProposalsKernel, HasTheReferencesBitsForAllParameters) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const float threshold : kThresholds) {
        for (const bool pixel_offset : {false, true}) {
          for (const bool variances : {false, true}) {
            Case input = RandomCase(kind, {2, 9, 7, 5}, 8, 16, 3);
            input.nms_thresh = threshold;
            input.pixel_offset = pixel_offset;
            input.min_size = variances ? 12.0f : 0.0f;
            Random random(4);
            for (float& variance : input.variances) {
              variance *= Uniform(random, 0.1f, 2);
            }
            if (!variances) {
              input.variances.clear();
            }
            result.push_back(MakeScene(NameOf(kind), input));
          }
        }
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2});
}

TEST_P(GenerateProposalsKernel, DecodesAndKeepsSoManyAsItIsTold) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : {Kind::kTrained, Kind::kTies, Kind::kExtremes}) {
      for (const Shape& shape : {Shape{2, 7, 9, 3}, Shape{2, 25, 20, 3}}) {
        Case input = RandomCase(kind, shape, 8, 24, 5);
        const auto all = static_cast<int>(input.scores_per_image());
        for (const int pre : {INT32_MIN, -1, 0, 1, 2, 3, 5, 63, 64, 65, 100, all - 1, all, all + 1,
                              2 * all, INT32_MAX}) {
          for (const int post : {1, 2, 3, 17, 64, 65, all}) {
            input.pre_nms_top_n = pre;
            input.post_nms_top_n = post;
            result.push_back(MakeScene(NameOf(kind), input));
          }
        }
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1});
}

// More images than are worked on at the same time, each different from the one before, some of them
// without a proposal.
TEST_P(GenerateProposalsKernel, ImagesDoNotMeet) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const int64_t images : {2, 3, 7, 8, 9, 16, 17}) {
        Case input = RandomCase(kind, {images, 8, 9, 3}, 8, 24, static_cast<uint32_t>(images));
        input.post_nms_top_n = 40;
        input.pixel_offset = images % 2 == 0;
        for (int64_t i = 0; i < images; ++i) {
          float* const side = &input.im_shape[static_cast<size_t>(2 * i)];
          if (i % 3 == 1) {
            side[0] = i % 2 == 0 ? -kInfinity : 0.25f;  // nothing fits in
          } else {
            side[1] /= static_cast<float>(1 + i);
          }
        }
        result.push_back(MakeScene(NameOf(kind), input));
      }
    }
    // Enough work for other threads to take images.
    Case input = RandomCase(Kind::kTrained, {9, 30, 30, 3}, 8, 24, 8);
    input.post_nms_top_n = 300;
    result.push_back(MakeScene("many", input));
    return result;
  }();
  ExpectScenes(scenes, {1, 2, 7});
}

TEST(GenerateProposalsEmptyImages, HaveOneProposalOfZeros) {
  Case input = RandomCase(Kind::kUniform, {3, 4, 4, 3}, 8, 24, 1);
  input.post_nms_top_n = 5;
  input.im_shape = {32, 32, 0, 32, 32, 32};
  const Proposals proposals = RunOn(1, input);
  ASSERT_THAT(proposals.counts, ElementsAre(5, 1, 5));
  EXPECT_EQ(proposals.total, 11);
  const auto row = proposals.rois.begin() + 5 * kBoxFloats;
  EXPECT_THAT(std::vector<float>(row, row + kBoxFloats), Each(0.0f));
  EXPECT_EQ(proposals.probs[5], 0.0f);
  EXPECT_EQ(proposals.anchor_indices[5], -1);
  EXPECT_EQ(proposals.probs[11], kUntouched);
}

TEST_P(GenerateProposalsKernel, ImagesMayHaveAnySize) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    const float sides[] = {kNaN, kInfinity, -kInfinity, 0,   -0.0f, -1,    -1e30f,        0.4f,
                           0.5f, 0.75f,     1,          1.5, 2,     30.5f, kLargestFloat, 1e-40f};
    for (const float height : sides) {
      for (const float width : sides) {
        for (const bool pixel_offset : {false, true}) {
          Case input = RandomCase(Kind::kUniform, {1, 5, 5, 3}, 8, 24, 2);
          input.im_shape = {height, width};
          input.pixel_offset = pixel_offset;
          result.push_back(
              MakeScene("image " + std::to_string(height) + " x " + std::to_string(width), input));
        }
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1});
}

Case WithScores(const Case& input, const std::function<float(int64_t)>& score) {
  Case changed = input;
  for (size_t i = 0; i < changed.scores.size(); ++i) {
    changed.scores[i] = score(static_cast<int64_t>(i));
  }
  return changed;
}

// What hardly any other test can tell: equal scores go by anchor, in both layouts.
TEST_P(GenerateProposalsKernel, EqualScoresGoByAnchor) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Shape& shape : {Shape{2, 6, 5, 3}, Shape{1, 40, 30, 3}, Shape{1, 7, 300, 5}}) {
      Case input = RandomCase(Kind::kUniform, shape, 8, 16, 6);
      input.post_nms_top_n = 250;
      const auto add = [&](const char* name, const std::function<float(int64_t)>& score) {
        for (const int pre : {0, 40, 1200}) {
          input.pre_nms_top_n = pre;
          result.push_back(MakeScene(name, WithScores(input, score)));
        }
      };
      add("all equal", [](int64_t) { return 0.5f; });
      add("all zeros", [](int64_t i) { return i % 3 == 0 ? 0.0f : -0.0f; });
      add("all nan", [](int64_t i) { return i % 2 == 0 ? kNaN : -kNaN; });
      add("all -inf", [](int64_t) { return -kInfinity; });
      add("nan and inf", [](int64_t i) { return i % 7 == 0 ? kNaN : kInfinity; });
      add("two values", [](int64_t i) { return i % 5 == 0 ? 1.0f : 0.5f; });
      add("few nan", [](int64_t i) { return i % 97 == 13 ? kNaN : -1.0f; });
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2});
  for (const Scene& scene : scenes) {
    if (scene.name != "all equal") {
      continue;
    }
    const auto end = scene.expected.anchor_indices.begin() + scene.expected.counts[0];
    EXPECT_TRUE(std::is_sorted(scene.expected.anchor_indices.begin(), end));
  }
}

// Scores that say little about each other: a sample of them misleads, or all fall into one bucket.
TEST_P(GenerateProposalsKernel, ScoresMayHaveAnyDistribution) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Shape& shape : {Shape{1, 40, 40, 3}, Shape{1, 100, 61, 3}}) {
      Case input = RandomCase(Kind::kUniform, shape, 8, 12, 6);
      const auto all = static_cast<float>(input.scores_per_image());
      Random random(9);
      const auto add = [&](const char* name, const std::function<float(int64_t)>& score) {
        for (const int pre : {30, 2000}) {
          input.pre_nms_top_n = pre;
          result.push_back(MakeScene(name, WithScores(input, score)));
        }
      };
      add("going up", [&](int64_t i) { return static_cast<float>(i) / all; });
      add("going down", [&](int64_t i) { return -static_cast<float>(i); });
      add("one above all", [](int64_t i) { return i == 4321 ? 1e38f : 1e-38f * (i % 100); });
      add("denormals", [&](int64_t) { return 1e-45f * static_cast<float>(random() % 5000); });
      add("all magnitudes", [&](int64_t) {
        return std::ldexp(random() % 2 == 0 ? 1.0f : -1.0f, static_cast<int>(random() % 250) - 120);
      });
      add("crowded below outliers", [&](int64_t i) {
        return i % 900 == 0 ? 1e30f : 0.25f + 0x1p-25f * static_cast<float>(random() % 64);
      });
      add("crowded above outliers", [&](int64_t i) {
        return i % 3 == 0 ? -1e30f : 0.25f + 0x1p-25f * static_cast<float>(random() % 64);
      });
      add("the first few", [&](int64_t i) { return i < 2000 ? 0.5f + 1e-5f * (i % 77) : 0; });
      add("the last few", [&](int64_t i) {
        return all - static_cast<float>(i) < 2000 ? 0.5f + 1e-5f * static_cast<float>(i % 77) : 0;
      });
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2});
}

std::vector<float> RandomScores(Random& random, size_t count) {
  std::vector<float> scores(count);
  for (float& score : scores) {
    score = Uniform(random, 0, 1);
  }
  return scores;
}

// Boxes for each of which there are several that overlap it, more or less.
std::vector<float> Jittered(Random& random, size_t count, const std::function<void(float*)>& make,
                            float jitter) {
  std::vector<float> boxes;
  float base[4];
  for (size_t i = 0; i < count; ++i) {
    if (i % 4 == 0) {
      make(base);
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

enum class Place { kImage, kSizes, kCorner, kThin, kFar, kFarther, kLine, kLimit };

constexpr Place kAllPlaces[] = {Place::kImage, Place::kSizes,   Place::kCorner, Place::kThin,
                                Place::kFar,   Place::kFarther, Place::kLine,   Place::kLimit};

const char* NameOf(Place place) {
  constexpr const char* kNames[] = {"image", "sizes",   "corner", "thin",
                                    "far",   "farther", "line",   "limit"};
  return kNames[static_cast<int>(place)];
}

// Boxes as the search for kept ones can find hard.
std::vector<float> PlacedBoxes(Place place, size_t count, float jitter, uint32_t seed) {
  Random random(seed);
  const auto box = [&](float x, float y, float w, float h, float* to) {
    to[0] = x;
    to[1] = y;
    to[2] = x + w;
    to[3] = y + h;
  };
  const auto uniform = [&](float low, float high) { return Uniform(random, low, high); };
  const std::function<void(float*)> make = [&](float* to) {
    switch (place) {
      case Place::kImage:
        return box(uniform(0, 1000), uniform(0, 600), uniform(8, 80), uniform(8, 80), to);
      case Place::kSizes: {
        const float size = UniformSize(random, 1, 10'000);
        return box(uniform(0, 10'000), uniform(0, 10'000), size * uniform(1, 2), size, to);
      }
      case Place::kCorner:
        return box(uniform(0, 60), uniform(0, 60), uniform(4, 9), uniform(4, 9), to);
      case Place::kThin:
        return random() % 2 == 0 ? box(uniform(0, 3000), uniform(0, 40), 1.5f, 3000, to)
                                 : box(uniform(0, 40), uniform(0, 3000), 3000, 1.5f, to);
      case Place::kFar: {
        const float at = UniformSize(random, 1, 1e30f);
        return box(at * uniform(0, 1), at * uniform(0, 1), at, at * uniform(0.1f, 1), to);
      }
      case Place::kFarther:  // two of them exceed the largest float
        return box(uniform(0, 1e38f), uniform(0, 1e38f), uniform(1e37f, 1e38f), 5e37f, to);
      case Place::kLine:
        return box(uniform(0, 1e6f), uniform(0, 2), uniform(5, 50), uniform(2, 6), to);
      case Place::kLimit:  // some of them too large for areas in float
        return box(uniform(0, 0x1p53f), uniform(0, 0x1p53f), 0x1p50f * uniform(0.8f, 1.3f),
                   0x1p50f * uniform(0.8f, 1.3f), to);
    }
  };
  return Jittered(random, count, make, jitter);
}

// Every box of the search's scenes, within images that end beside them, far off, or nowhere.
TEST_P(GenerateProposalsKernel, BoxesMayLieAnywhereAndHaveAnySize) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Place place : kAllPlaces) {
      for (const float threshold : {1e-30f, 0.01f, 0.3f, 0.7f, 0.99f, 0.999999f}) {
        for (const float side : {2000.0f, 1e6f, kInfinity}) {
          Random random(10);
          Case input = CaseOfBoxes(PlacedBoxes(place, 700, 0.3f, 11), RandomScores(random, 700));
          input.nms_thresh = threshold;
          input.im_shape = {side, side};
          input.pixel_offset = side == 1e6f;
          result.push_back(MakeScene(NameOf(place), input));
        }
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 7});
}

// A first block of small boxes says nothing about the large ones behind it, and the other way
// round.
TEST_P(GenerateProposalsKernel, TheFirstBoxesNeedNotBeLikeTheOthers) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Place first : kAllPlaces) {
      for (const Place others : kAllPlaces) {
        std::vector<float> boxes = PlacedBoxes(first, 80, 0.3f, 12);
        const std::vector<float> more = PlacedBoxes(others, 400, 0.3f, 13);
        boxes.insert(boxes.end(), more.begin(), more.end());
        std::vector<float> scores;
        for (size_t i = 0; i < boxes.size() / kBoxFloats; ++i) {
          scores.push_back(-static_cast<float>(i));
        }
        result.push_back(MakeScene(std::string(NameOf(first)) + " before " + NameOf(others),
                                   CaseOfBoxes(boxes, scores)));
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1});
}

// So many kept boxes in so many cells that there is no room for more in the finer levels.
TEST_P(GenerateProposalsKernel, ManyKeptBoxesThatOverlap) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const float threshold : {0.05f, 0.5f, 0.9f, 0.99f}) {
      for (const Place place : {Place::kImage, Place::kSizes, Place::kThin}) {
        Random random(14);
        Case input = CaseOfBoxes(PlacedBoxes(place, 2500, 0.3f, 15), RandomScores(random, 2500));
        input.nms_thresh = threshold;
        input.post_nms_top_n = 2500;
        result.push_back(MakeScene(NameOf(place), input));
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2});
}

// The overlap of some pair, and the floats beside it: the error bound must not decide these.
TEST_P(GenerateProposalsKernel, ThresholdsThatPairsHitAreDecidedByTheReference) {
  struct Hit {
    std::vector<Scene> scenes;
    int decisive = 0;  // pairs that a step of the threshold keeps or not
  };
  static const Hit hit = [] {
    Hit result;
    Random random(16);
    for (const Place place : kAllPlaces) {
      for (int round = 0; round < 40; ++round) {
        const std::vector<float> boxes = PlacedBoxes(place, 150, 0.2f, random());
        Case input = CaseOfBoxes(boxes, RandomScores(random, 150));
        input.pixel_offset = place != Place::kFarther && round % 2 == 1;
        input.nms_thresh = 1;
        const Proposals all = RunReference(input);  // the boxes as they are decoded
        const auto a = static_cast<size_t>(random()) % static_cast<size_t>(all.total);
        const auto b = static_cast<size_t>(random()) % static_cast<size_t>(all.total);
        // Of the boxes that were made from one, or of any two.
        const size_t near = a;
        size_t other = b;
        for (size_t i = 0; i < static_cast<size_t>(all.total) && round % 4 != 0; ++i) {
          if (i != near && all.anchor_indices[i] / 4 == all.anchor_indices[near] / 4) {
            other = i;
          }
        }
        const auto iou = static_cast<float>(
            nms::ReferenceIou(&all.rois[near * 4], &all.rois[other * 4], input.pixel_offset));
        if (near == other || !(iou > 0 && iou < 1)) {
          continue;
        }
        std::vector<int32_t> kept;
        for (const float threshold : {std::nextafter(iou, 0.0f), iou, std::nextafter(iou, 1.0f)}) {
          if (threshold > 0) {
            input.nms_thresh = threshold;
            result.scenes.push_back(MakeScene(NameOf(place), input));
            kept.push_back(result.scenes.back().expected.total);
          }
        }
        result.decisive += kept[0] != kept[1] ? 1 : 0;
      }
    }
    return result;
  }();
  EXPECT_GT(hit.decisive, 50);
  ExpectScenes(hit.scenes, {1});
}

TEST_P(GenerateProposalsKernel, AnIouThatEqualsTheThresholdIsKept) {
  // Of each pair the second is 7 / 10 of the first; pairs lie far apart, in one block and in two.
  for (const int pairs : {1, 30, 200}) {
    std::vector<float> boxes;
    std::vector<float> scores;
    for (const float height : {10.0f, 7.0f}) {
      for (int i = 0; i < pairs; ++i) {
        const float x = 20 * static_cast<float>(i);
        boxes.insert(boxes.end(), {x, 0, x + 10, height});
        scores.push_back(height);
      }
    }
    Case input = CaseOfBoxes(boxes, scores);
    input.nms_thresh = 0.7f;
    EXPECT_EQ(RunOn(1, input).total, 2 * pairs);
    input.nms_thresh = std::nextafter(0.7f, 0.0f);
    EXPECT_EQ(RunOn(1, input).total, pairs);
  }
}

// With the workspace of the arguments.
Status RunArgs(int thread_count, const Args& args) {
  Threads threads(thread_count);
  RunContext context{threads, nullptr};
  return Run(context, args);
}

// A copy of some numbers that ends at an unmapped page, or `slack` bytes before it.
template <class T>
class GuardedCopy {
 public:
  explicit GuardedCopy(const std::vector<T>& from, size_t slack = 0)
      : buffer_(from.size() * sizeof(T), slack) {
    std::copy(from.begin(), from.end(), data());
  }
  T* data() const { return reinterpret_cast<T*>(buffer_.data()); }
  std::vector<T> ToVector() const {
    return std::vector<T>(data(), data() + buffer_.size() / sizeof(T));
  }

 private:
  GuardedBuffer buffer_;
};

// Inputs, results and workspace that end at unmapped pages and start wherever that makes them
// start.
TEST_P(GenerateProposalsKernel, StaysInsideItsMemory) {
  std::vector<Shape> shapes = {
      {2, 1, 5, 1}, {1, 3, 3, 7}, {9, 5, 5, 3}, {1, 19, 23, 3}, {3, 21, 33, 3}};
  for (int64_t count = 1; count <= 2 * suppression::kMaxLanes + 1; ++count) {
    shapes.push_back({1, 1, count, 1});
  }
  for (const Kind kind : {Kind::kTrained, Kind::kExtremes}) {
    for (const Shape& shape : shapes) {
      for (const bool channels_first : {false, true}) {
        for (const float threshold : {0.7f, 1.0f}) {
          Case input = RandomCase(kind, shape, 8, 24, 17);
          input.nms_thresh = threshold;
          // As many rows as there are results, so that the last one is used when nothing is lost.
          input.post_nms_top_n = static_cast<int>(std::min<int64_t>(input.scores_per_image(), 200));
          Proposals found(input);
          const Proposals expected = RunReference(input);
          if (channels_first) {
            input = input.ChannelsFirst();
          }
          const GuardedCopy<float> scores(input.scores);
          // These are as large as vectors; a little further on they start where vectors do not.
          const size_t slack = threshold == 1.0f ? sizeof(float) : 0;
          const GuardedCopy<float> deltas(input.deltas, slack);
          const GuardedCopy<float> im_shape(input.im_shape);
          const GuardedCopy<float> anchors(input.anchors, slack);
          const GuardedCopy<float> variances(input.variances, slack);
          const GuardedCopy<float> rois(found.rois, slack);
          const GuardedCopy<float> probs(found.probs);
          const GuardedCopy<int32_t> anchor_indices(found.anchor_indices);
          const GuardedCopy<int32_t> counts(found.counts);
          const GuardedCopy<int32_t> total({found.total});
          Args args = MakeArgs(input, found);
          const GuardedBuffer workspace(WorkspaceBytes(args));
          args.scores = scores.data();
          args.bbox_deltas = deltas.data();
          args.im_shape = im_shape.data();
          args.anchors = anchors.data();
          args.variances = variances.data();
          args.rois = rois.data();
          args.probs = probs.data();
          args.anchor_indices = anchor_indices.data();
          args.counts = counts.data();
          args.total = total.data();
          args.workspace = workspace.data();
          ASSERT_TRUE(RunArgs(2, args).ok());
          found.rois = rois.ToVector();
          found.probs = probs.ToVector();
          found.anchor_indices = anchor_indices.ToVector();
          found.counts = counts.ToVector();
          found.total = *total.data();
          ASSERT_EQ(found, expected) << NameOf(kind) << ", " << input.ToString();
        }
      }
    }
  }
}

TEST_P(GenerateProposalsKernel, WorkspaceMayStartAnywhereAndNothingBesideItIsWritten) {
  for (const Shape& shape : {Shape{1, 2, 2, 3}, Shape{3, 15, 31, 3}, Shape{10, 5, 5, 3}}) {
    Case input = RandomCase(Kind::kUniform, shape, 8, 24, 18);
    input.nms_thresh = 0.9f;
    const Proposals expected = RunReference(input);
    Proposals measured(input);
    const size_t bytes = WorkspaceBytes(MakeArgs(input, measured));
    for (const size_t shift : {0, 1, 2, 4, 31, 63, 64}) {
      std::vector<std::byte> memory(bytes + 128, std::byte{0x5A});
      const auto untouched = [](std::byte b) { return b == std::byte{0x5A}; };
      std::byte* const workspace = memory.data() + shift;
      Proposals found(input);
      Args args = MakeArgs(input, found);
      args.workspace = workspace;
      ASSERT_TRUE(RunArgs(2, args).ok());
      ASSERT_EQ(found, expected) << input.ToString() << ", shift " << shift;
      ASSERT_TRUE(std::all_of(memory.data(), workspace, untouched)) << shift;
      ASSERT_TRUE(std::all_of(workspace + bytes, memory.data() + memory.size(), untouched))
          << shift;
    }
  }
}

TEST(GenerateProposalsWorkspace, GrowsWithScoresAndProposalsAndNotFaster) {
  constexpr int64_t kMillion = 1'000'000;
  EXPECT_EQ(WorkspaceBytes(0, 1000, 1000), 0u);
  EXPECT_LT(WorkspaceBytes(1, 100 * kMillion, 100 * kMillion), size_t{300} * 100 * kMillion);
  // What a million more cost does not depend on how many there are.
  const auto growth = [](int64_t scores, int64_t proposals) {
    return static_cast<double>(WorkspaceBytes(1, scores + kMillion, proposals + kMillion)) -
           static_cast<double>(WorkspaceBytes(1, scores, proposals));
  };
  EXPECT_NEAR(growth(100 * kMillion, 100 * kMillion), growth(kMillion, kMillion), 10'000);
  EXPECT_LT(WorkspaceBytes(1, kMillion, 1000), WorkspaceBytes(1, kMillion, 2000));
  EXPECT_EQ(WorkspaceBytes(8, 1000, 100), WorkspaceBytes(1000, 1000, 100))
      << "images are worked on a few at a time";
}

// ---- Accuracy -----------------------------------------------------------------------------------

// The boxes of the proposals as the contract writes them, in double from the same floats.
std::vector<double> DecodeInDouble(const Case& input, const Proposals& proposals) {
  std::vector<double> boxes;
  const double offset = input.pixel_offset ? 1 : 0;
  const auto axis = [&](int64_t image, int64_t anchor, int64_t side) {
    const auto at = static_cast<size_t>(anchor * kBoxFloats + side);
    const auto delta_at = static_cast<size_t>(image * input.scores_per_image() * kBoxFloats) + at;
    const double size = double{input.anchors[at + 2]} - input.anchors[at] + offset;
    const double centre = input.anchors[at] + 0.5 * size;
    const double new_centre = centre + double{input.deltas[delta_at]} * size * input.variances[at];
    const double growth = double{input.deltas[delta_at + 2]} * input.variances[at + 2];
    const double new_size = std::exp(std::min(growth, std::log(1000.0 / 16))) * size;
    const double limit = input.im_shape[static_cast<size_t>(2 * image + 1 - side)] - offset;
    const auto clip = [&](double x) { return std::max(std::min(x, limit), 0.0); };
    return std::pair(clip(new_centre - new_size / 2), clip(new_centre + new_size / 2 - offset));
  };
  size_t row = 0;
  for (int64_t image = 0; image < input.images; ++image) {
    for (int32_t i = 0; i < proposals.counts[static_cast<size_t>(image)]; ++i) {
      const int32_t anchor = proposals.anchor_indices[row++];
      const auto [x1, x2] = axis(image, anchor, 0);
      const auto [y1, y2] = axis(image, anchor, 1);
      boxes.insert(boxes.end(), {x1, y1, x2, y2});
    }
  }
  return boxes;
}

TEST_P(GenerateProposalsKernel, IsAsAccurateAsTheContractPromises) {
  for (const Kind kind : {Kind::kTrained, Kind::kUniform, Kind::kTies, Kind::kSkewed}) {
    for (const float size : {4.0f, 32.0f, 300.0f, 1e6f}) {
      for (const bool pixel_offset : {false, true}) {
        Case input = RandomCase(kind, {2, 30, 30, 3}, size / 4, size, 20);
        Random random(21);
        for (float& variance : input.variances) {
          variance = Uniform(random, 0.05f, 3);
        }
        for (float& delta : input.deltas) {
          delta *= random() % 8 == 0 ? 4.0f : 1.0f;  // some beyond the clip value
        }
        input.nms_thresh = 0.8f;
        input.pixel_offset = pixel_offset;
        const Proposals found = RunOn(2, input);
        const std::vector<double> expected = DecodeInDouble(input, found);
        ASSERT_GT(expected.size(), 400u);
        const Diffs diffs = ComputeDiffs(found.rois, expected);
        EXPECT_LE(diffs.diff1, 1e-6) << NameOf(kind) << ' ' << input.ToString();
        EXPECT_LE(diffs.diff2, 1e-6) << NameOf(kind) << ' ' << input.ToString();
      }
    }
  }
}

// ---- The exponential function -------------------------------------------------------------------

float FloatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// The distance to e^x, in units of what floats there are apart.
double ErrorOf(float x, float found) {
  const double expected = std::exp(double{x});
  uint64_t bits;
  std::memcpy(&bits, &expected, sizeof(bits));
  // 2^(23 - exponent), and no exponent below those of floats.
  const uint64_t exponent = std::max<uint64_t>(bits >> 52, 1023 - 126);
  bits = (2 * 1023 + 23 - exponent) << 52;
  double per_ulp;
  std::memcpy(&per_ulp, &bits, sizeof(per_ulp));
  return std::abs(found - expected) * per_ulp;
}

// Below 2^-26 there are more than three quarters of all floats, and nothing to round but 1 + x:
// each goes through the best target, and some through all.
constexpr float kTiny = 0x1p-26f;
constexpr uint32_t kTinyStep = 61;

constexpr uint32_t kExpStep = kSlowBuild ? 997 : 1;

// Floats of some range through exp.h and through every target.
class ExpSweep {
 public:
  // Between floats of the same sign, of which the first is nearer to 0. Returns the largest error
  // of exp.h; targets must have its bits.
  double LargestError(float first, float last, uint32_t step) {
    double largest = 0;
    for (Range range(first, last, step); range.left > 0 && !testing::Test::HasFailure();) {
      double errors[kChunks] = {};
      ForEachChunk([&](int64_t chunk) {
        range.Fill(chunk * kChunk, kChunk, x_);
        for (int64_t i = chunk * kChunk; i < (chunk + 1) * kChunk; ++i) {
          expected_[i] = Exp(x_[i]);
          errors[chunk] = std::max(errors[chunk], ErrorOf(x_[i], expected_[i]));
        }
      });
      largest = std::max(largest, *std::max_element(errors, errors + kChunks));
      ExpectTargetsAgree();
      range.Skip(kChunks * kChunk);
    }
    return largest;
  }

  // The same of the best target alone, where the result is 1.
  void ExpectOnes(float first, float last) {
    for (Range range(first, last, kExpStep); range.left > 0; range.Skip(kChunks * kChunk)) {
      bool wrong[kChunks] = {};
      ForEachChunk([&](int64_t chunk) {
        range.Fill(chunk * kChunk, kChunk, x_);
        float* const found = found_ + chunk * kChunk;
        ComputeExp(x_ + chunk * kChunk, kChunk, found);
        wrong[chunk] = std::count(found, found + kChunk, 1.0f) != kChunk;
      });
      ASSERT_EQ(std::count(wrong, wrong + kChunks, true), 0) << "from " << FloatOf(range.first);
    }
  }

 private:
  // Floats that stay in a core's cache, and as many of those as all threads do before the target
  // changes, which is one for all of them.
  static constexpr int64_t kChunk = 8192;
  static constexpr int64_t kChunks = 32;

  struct Range {
    Range(float from, float last, uint32_t step_in)
        : first(BitsOf(from)), step(step_in), left((BitsOf(last) - first) / step + 1) {}

    // Behind the last one come more of it.
    void Fill(int64_t begin, int64_t count, float* x) const {
      for (int64_t i = begin; i < begin + count; ++i) {
        x[i] = FloatOf(first + static_cast<uint32_t>(std::min(i, left - 1)) * step);
      }
    }
    void Skip(int64_t count) {
      first += static_cast<uint32_t>(count) * step;
      left -= count;
    }

    uint32_t first;
    uint32_t step;
    int64_t left;
  };

  template <class Body>
  void ForEachChunk(const Body& body) {
    ParallelFor(threads_, kChunks, 10.0 * kChunk, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        body(chunk);
      }
    });
  }

  void ExpectTargetsAgree() {
    for (const int64_t target : SimdTargets()) {
      bool differ[kChunks] = {};
      ASSERT_TRUE(SetSimdTarget(hwy::TargetName(target)).ok());
      ForEachChunk([&](int64_t chunk) {
        float* const found = found_ + chunk * kChunk;
        ComputeExp(x_ + chunk * kChunk, kChunk, found);
        differ[chunk] = !std::equal(found, found + kChunk, expected_ + chunk * kChunk,
                                    [](float a, float b) { return BitsOf(a) == BitsOf(b); });
      });
      ResetSimdTarget();
      ASSERT_EQ(std::count(differ, differ + kChunks, true), 0)
          << hwy::TargetName(target) << ", from " << x_[0];
    }
  }

  Threads threads_{2};
  float x_[kChunks * kChunk];
  float expected_[kChunks * kChunk];
  float found_[kChunks * kChunk];
};

// From 0 to the largest that the decoder lets through, and down to where the result is 0 for good.
TEST(GenerateProposalsExp, IsWithinAnUlpAndTheSameOnEveryTarget) {
  const auto sweep = std::make_unique<ExpSweep>();
  sweep->ExpectOnes(0.0f, kTiny);
  sweep->ExpectOnes(-0.0f, -kTiny);
  const double error = std::max({sweep->LargestError(0.0f, kTiny, kTinyStep * kExpStep),
                                 sweep->LargestError(-0.0f, -kTiny, kTinyStep * kExpStep),
                                 sweep->LargestError(kTiny, kLargestDelta, kExpStep),
                                 sweep->LargestError(-kTiny, -151.0f, kExpStep)});
  RecordProperty("largest_error_in_ulps", std::to_string(error));
  std::printf("the largest error is %.6f ulp\n", error);
  EXPECT_LT(error, 0.5002);  // 0.500106 over all of them
}

// Everything below is one number to it: the clamp makes them equal.
TEST(GenerateProposalsExp, IsZeroFarBelowAndNaNOfNaN) {
  for (const float x : {-150.0f, -150.5f, -200.0f, -1e4f, -1e20f, -kLargestFloat, -kInfinity}) {
    EXPECT_EQ(BitsOf(Exp(x)), 0u) << x;
  }
  for (const float x : {kNaN, -kNaN, std::nanf("7")}) {
    EXPECT_TRUE(std::isnan(Exp(x)));
  }
  EXPECT_EQ(Exp(0.0f), 1.0f);
  EXPECT_EQ(Exp(-0.0f), 1.0f);
}

class GenerateProposalsExpKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsExpKernel);

TEST_P(GenerateProposalsExpKernel, SpecialNumbersInAnyLane) {
  const float specials[] = {
      kNaN,  -kInfinity, -kLargestFloat, -150.0f, std::nextafter(-150.0f, 0.0f),
      -0.0f, -1e-45f,    kLargestDelta};
  for (const float special : specials) {
    for (size_t lane = 0; lane < suppression::kMaxLanes; ++lane) {
      std::vector<float> x(suppression::kMaxLanes, 1.0f);
      x[lane] = special;
      std::vector<float> found(suppression::kMaxLanes);
      ComputeExp(x.data(), suppression::kMaxLanes, found.data());
      for (size_t i = 0; i < x.size(); ++i) {
        const float expected = Exp(x[i]);
        EXPECT_TRUE(BitsOf(found[i]) == BitsOf(expected) ||
                    (std::isnan(found[i]) && std::isnan(expected)))
            << x[i] << " in lane " << i << ": " << found[i];
      }
    }
  }
}

// ---- The selection ------------------------------------------------------------------------------

class GenerateProposalsSelection : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsSelection);

// Memory of the size that a class's Space asks for, which ends at an unmapped page.
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

// By anchor, with the channels of a position last.
Scores ScoresOf(const std::vector<float>& scores, int64_t anchors_per_position) {
  return {scores.data(), static_cast<int64_t>(scores.size()) / anchors_per_position,
          anchors_per_position, false};
}

std::vector<int32_t> SortedAnchors(const std::vector<float>& scores) {
  std::vector<int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const float first = scores[static_cast<size_t>(a)];
    const float second = scores[static_cast<size_t>(b)];
    return std::isnan(first) ? !std::isnan(second) : first > second;
  });
  return order;
}

// What is in order after each step must be what a stable sort puts there.
void ExpectSorts(const Scores& scores, int64_t wanted, const std::vector<int32_t>& expected,
                 int thread_count) {
  SpaceInMemory<Selection::Space> memory(scores.count());
  Threads threads(thread_count);
  Selection selection(threads, scores, wanted, memory.Get(scores.count()));
  int64_t step = 1;
  for (int64_t count = 0; count < wanted; step *= 3) {
    const int64_t next = std::min(count + step, wanted);
    const suppression::Entry* const entries = selection.Sort(next);
    for (int64_t i = 0; i < next; ++i) {
      ASSERT_EQ(suppression::IndexOf(entries[i]), expected[static_cast<size_t>(i)])
          << "place " << i << " of " << next << ", wanted " << wanted << " of " << scores.count();
    }
    count = next;
  }
}

// In both layouts, on one thread and on several.
void ExpectSelects(const std::vector<float>& by_anchor, int64_t anchors_per_position,
                   std::initializer_list<int64_t> wanted) {
  const Scores scores = ScoresOf(by_anchor, anchors_per_position);
  std::vector<float> turned;
  for (int64_t a = 0; a < anchors_per_position; ++a) {
    for (int64_t i = 0; i < scores.positions; ++i) {
      turned.push_back(by_anchor[static_cast<size_t>(i * anchors_per_position + a)]);
    }
  }
  Scores channels_first = scores;
  channels_first.first = turned.data();
  channels_first.channels_first = true;
  const std::vector<int32_t> expected = SortedAnchors(by_anchor);
  for (const int64_t count : wanted) {
    ASSERT_NO_FATAL_FAILURE(ExpectSorts(scores, std::min(count, scores.count()), expected, 1));
    ASSERT_NO_FATAL_FAILURE(
        ExpectSorts(channels_first, std::min(count, scores.count()), expected, 2));
  }
}

std::vector<float> MakeScores(int64_t count, const std::function<float(int64_t)>& score) {
  std::vector<float> scores;
  for (int64_t i = 0; i < count; ++i) {
    scores.push_back(score(i));
  }
  return scores;
}

TEST_P(GenerateProposalsSelection, OrdersAnyDistributionLikeAStableSort) {
  Random random(22);
  const std::function<float(int64_t)> distributions[] = {
      [&](int64_t) { return Uniform(random, 0, 1); },
      [&](int64_t) { return static_cast<float>(random() % 3); },
      [](int64_t) { return 0.5f; },
      [](int64_t) { return kNaN; },
      [](int64_t) { return -kInfinity; },
      [](int64_t i) { return static_cast<float>(i); },
      [](int64_t i) { return -static_cast<float>(i); },
      [](int64_t i) { return i % 2 == 0 ? 0.0f : -0.0f; },
      [&](int64_t) { return FloatOf(static_cast<uint32_t>(random())); },
      [&](int64_t i) { return i % 500 == 0 ? 1e30f : Uniform(random, 0.25f, 0.2500001f); },
      [&](int64_t i) { return i % 50 == 0 ? kNaN : Uniform(random, -1, 1); },
      [](int64_t i) { return static_cast<float>(i % 1000); }};
  for (const auto& distribution : distributions) {
    for (const auto& [count, anchors_per_position] : {std::pair<int64_t, int64_t>{1, 1},
                                                      {3, 3},
                                                      {1023, 1},
                                                      {1024, 1},
                                                      {1025, 5},
                                                      {8191, 1},
                                                      {8192, 2},
                                                      {8193, 1},
                                                      {12'291, 4097},
                                                      {24'000, 15},
                                                      {20'001, 3}}) {
      ASSERT_NO_FATAL_FAILURE(ExpectSelects(MakeScores(count, distribution), anchors_per_position,
                                            {1, 100, 1000, count / 2, count - 1, count}))
          << &distribution - distributions;
    }
  }
}

// So many anchors at a position that each is a part of its own, and there are many parts.
TEST_P(GenerateProposalsSelection, PositionsMayHaveManyAnchors) {
  Random random(29);
  constexpr int64_t kManyAnchors = 4097;
  ASSERT_NO_FATAL_FAILURE(ExpectSelects(RandomScores(random, 120 * kManyAnchors), kManyAnchors,
                                        {500, 120 * kManyAnchors}));
}

// One score is taken from each of 1024 parts to see where the highest lie. With 1.5 times as many
// scores every other part is a single one: when those are high, the sample has more high scores
// than there are, and what is not below its estimate is too little.
TEST_P(GenerateProposalsSelection, CollectsAgainWhenTheSampleMisleads) {
  constexpr int64_t kParts = 1024;
  constexpr int64_t kCount = 3 * kParts / 2;
  std::vector<float> scores(kCount);
  int64_t high = 0;
  for (int64_t part = 0; part < kParts; ++part) {
    const int64_t begin = part * kCount / kParts;
    const int64_t end = (part + 1) * kCount / kParts;
    for (int64_t i = begin; i < end; ++i) {
      const bool alone = end - begin == 1;
      // The others follow without a gap, far beyond where the sample ends.
      scores[static_cast<size_t>(i)] = 1e6f + static_cast<float>(alone ? i : -10 * (i + 1));
      high += alone ? 1 : 0;
    }
  }
  ASSERT_EQ(high, kParts / 2);
  // Some more than the high ones, all of which the sample has.
  ASSERT_NO_FATAL_FAILURE(ExpectSelects(scores, 1, {high + 1, high + 50, high + 88}));
}

// Entries by anchor, of any range of positions, at any alignment and up to the last number.
TEST_P(GenerateProposalsSelection, CollectsScoresThatAreNotBelowTheThreshold) {
  Random random(23);
  for (const int64_t anchors_per_position : {1, 3, 16}) {
    for (const int64_t positions : {1, 5, 33, 255, 256, 257, 600}) {
      std::vector<float> by_anchor;
      for (int64_t i = 0; i < positions * anchors_per_position; ++i) {
        by_anchor.push_back(random() % 9 == 0 ? kNaN : Uniform(random, -1, 1));
      }
      by_anchor[by_anchor.size() / 2] = 0.25f;
      for (const bool channels_first : {false, true}) {
        std::vector<float> numbers = by_anchor;
        for (int64_t i = 0; i < positions * anchors_per_position && channels_first; ++i) {
          numbers[static_cast<size_t>(i % anchors_per_position * positions +
                                      i / anchors_per_position)] =
              by_anchor[static_cast<size_t>(i)];
        }
        const GuardedCopy<float> guarded(numbers);
        const Scores scores{guarded.data(), positions, anchors_per_position, channels_first};
        for (const float threshold : {-kInfinity, 0.25f, kInfinity}) {
          for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, positions},
                                           {positions / 3, positions},
                                           {positions / 2, positions - positions / 4},
                                           {positions, positions}}) {
            std::vector<int32_t> expected;
            for (int64_t i = begin * anchors_per_position; i < end * anchors_per_position; ++i) {
              if (!(by_anchor[static_cast<size_t>(i)] < threshold)) {
                expected.push_back(static_cast<int32_t>(i));
              }
            }
            const std::vector<suppression::Entry> room(
                static_cast<size_t>((end - begin) * anchors_per_position));
            const GuardedCopy<suppression::Entry> entries(room);
            const int64_t count = CollectScores(scores, threshold, begin, end, entries.data());
            std::vector<int32_t> found;
            for (int64_t i = 0; i < count; ++i) {
              const suppression::Entry entry = entries.data()[i];
              found.push_back(suppression::IndexOf(entry));
              ASSERT_EQ(suppression::KeyOf(entry),
                        suppression::ScoreKey(
                            by_anchor[static_cast<size_t>(suppression::IndexOf(entry))]));
            }
            ASSERT_EQ(found, expected) << positions << " x " << anchors_per_position;
          }
        }
      }
    }
  }
}

// ---- The grid of kept boxes ---------------------------------------------------------------------

// As the decoder computes it: NaN where floats cannot tell overlaps.
float AreaOf(const float* box, int offset) {
  const float width = box[2] - box[0] + static_cast<float>(offset);
  const float height = box[3] - box[1] + static_cast<float>(offset);
  return width <= 0x1p50f && height <= 0x1p50f ? width * height : kNaN;
}

// A grid of boxes, which knows them all.
class TestGrid {
 public:
  TestGrid(const std::vector<float>& boxes, float threshold, int offset)
      : boxes_(boxes),
        memory_(count()),
        grid_(memory_.Get(count()), threshold, offset, boxes_.data()) {
    for (size_t i = 0; i < boxes_.size(); i += kBoxFloats) {
      grid_.Add(AreaOf(&boxes_[i], offset));
    }
  }

  using Box = std::array<float, kBoxFloats>;

  // The boxes that a candidate is compared with.
  std::vector<Box> FoundBy(const float* candidate) const {
    const KeptGrid::Cell cell = grid_.CellOf(0.5f * candidate[0] + 0.5f * candidate[2],
                                             0.5f * candidate[1] + 0.5f * candidate[3]);
    const float area = AreaOf(candidate, grid_.offset());
    std::vector<Box> found;
    for (int level = 0; level < grid_.levels(); ++level) {
      for (int32_t run = grid_.FirstRun(level, cell, area); run >= 0; run = grid_.RunBehind(run)) {
        for (int64_t i = 0; i < KeptGrid::kRun; ++i) {
          const int64_t at = run * KeptGrid::kRunFloats + i;
          float* const* const columns = grid_.columns().array;
          const Box box = {columns[nms::kX1][at], columns[nms::kY1][at], columns[nms::kX2][at],
                           columns[nms::kY2][at]};
          if (std::isinf(box[0])) {
            EXPECT_EQ(nms::ReferenceIou(box.data(), candidate, grid_.offset()), 0)
                << "a free place";
          } else {
            found.push_back(box);
          }
        }
      }
    }
    return found;
  }

  // Every box that suppresses a candidate is found; returns how many do.
  int ExpectFinds(const std::vector<float>& candidates) const {
    int suppressions = 0;
    for (size_t at = 0; at < candidates.size() && !testing::Test::HasFailure(); at += kBoxFloats) {
      const float* const candidate = &candidates[at];
      const std::vector<Box> found = FoundBy(candidate);
      for (size_t i = 0; i < boxes_.size(); i += kBoxFloats) {
        const double iou = nms::ReferenceIou(&boxes_[i], candidate, grid_.offset());
        if (suppression::Exceeds(iou, grid_.threshold())) {
          ++suppressions;
          const Box box = {boxes_[i], boxes_[i + 1], boxes_[i + 2], boxes_[i + 3]};
          EXPECT_NE(std::find(found.begin(), found.end(), box), found.end())
              << "kept " << testing::PrintToString(box) << ", candidate (" << candidate[0] << ", "
              << candidate[1] << ", " << candidate[2] << ", " << candidate[3] << "), IoU " << iou;
        }
      }
    }
    return suppressions;
  }

 private:
  int64_t count() const { return static_cast<int64_t>(boxes_.size()) / kBoxFloats; }

  const std::vector<float> boxes_;
  SpaceInMemory<KeptGrid::Space> memory_;
  KeptGrid grid_;
};

// An offset from null is undefined behaviour.
TEST(GenerateProposalsKeptGrid, HasNoAddressesWhereItOnlyCounts) {
  Carver carver(nullptr);
  const KeptGrid::Space space(carver, 10);
  EXPECT_GT(carver.used(), 0u);
  for (int i = 0; i < nms::kColumns; ++i) {
    EXPECT_EQ(space.columns.array[i], nullptr);
  }
}

TEST(GenerateProposalsKeptGrid, FindsEveryBoxThatSuppresses) {
  constexpr int kSeeds = kSlowBuild ? 1 : 4;
  int suppressions = 0;
  for (const Place place : kAllPlaces) {
    for (const float threshold : {1e-44f, 1e-30f, 0.01f, 0.3f, 0.5f, 0.7f, 0.99f, 0.999999f}) {
      for (const int offset : {0, 1}) {
        for (int seed = 0; seed < kSeeds; ++seed) {
          const float jitter = threshold > 0.9f ? 0.002f : 0.3f;
          const std::vector<float> all =
              PlacedBoxes(place, 700, jitter, static_cast<uint32_t>(24 + seed));
          std::vector<float> kept;
          std::vector<float> candidates;
          for (size_t i = 0; i < all.size(); i += kBoxFloats) {
            std::vector<float>& side = i / kBoxFloats % 2 == 0 ? kept : candidates;
            side.insert(side.end(), all.begin() + static_cast<int64_t>(i),
                        all.begin() + static_cast<int64_t>(i + kBoxFloats));
          }
          const TestGrid grid(kept, threshold, offset);
          suppressions += grid.ExpectFinds(candidates);
          ASSERT_FALSE(HasFailure()) << NameOf(place) << ", threshold " << threshold << ", offset "
                                     << offset << ", seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(suppressions, 25'000 * kSeeds);
}

// As far apart as the centres of boxes can lie that overlap by more than the threshold: one within
// the other, at its border. Small cells, so that a reach a little too short is noticed.
TEST(GenerateProposalsKeptGrid, FindsBoxesAsFarAwayAsTheyCanSuppress) {
  Random random(25);
  int suppressions = 0;
  for (const float threshold : {0.02f, 0.1f, 0.3f, 0.5f, 0.7f, 0.9f}) {
    for (int round = 0; round < 120; ++round) {
      const int offset = round % 2;
      // Sizes of a few cells, and with the offset some of one pixel.
      const float scene = round % 4 < 2 ? 400.0f : 40.0f;
      std::vector<float> kept;
      std::vector<float> candidates;
      for (int i = 0; i < 40; ++i) {
        const float x = Uniform(random, scene / 2, scene);
        const float y = Uniform(random, scene / 2, scene);
        const float w = UniformSize(random, 1, scene / 10);
        const float h = UniformSize(random, 1, scene / 10);
        const float wider = w / threshold * 0.9995f;
        const float higher = h / threshold * 0.9995f;
        const float right = x + w - static_cast<float>(offset);
        const float bottom = y + h - static_cast<float>(offset);
        kept.insert(kept.end(), {x, y, right, bottom});
        const std::vector<float> others[] = {{x, y, right - w + wider, bottom},
                                             {x + w - wider, y, right, bottom},
                                             {x, y, right, bottom - h + higher},
                                             {x, y + h - higher, right, bottom}};
        const std::vector<float>& other = others[random() % 4];
        candidates.insert(candidates.end(), other.begin(), other.end());
      }
      kept.resize(4000, 0.0f);  // boxes in the corner, for more cells
      const TestGrid grid(kept, threshold, offset);
      suppressions += grid.ExpectFinds(candidates);
      ASSERT_FALSE(HasFailure()) << "threshold " << threshold << ", round " << round;
    }
  }
  EXPECT_GT(suppressions, 20'000);
}

// Far from the origin centres are rounded by more than boxes can lie apart: some over the border of
// a cell.
TEST(GenerateProposalsKeptGrid, FindsBoxesWhoseCentresAreRoundedIntoAnotherCell) {
  constexpr float kEnd = 1e6f;
  for (const bool turned : {false, true}) {
    Random random(35);
    std::vector<float> boxes;
    for (int i = 0; i < 50'000; ++i) {
      const float at = Uniform(random, 0, kEnd);
      const float end = at + Uniform(random, 2, 9);
      if (turned) {
        boxes.insert(boxes.end(), {0, at, 2, end});
      } else {
        boxes.insert(boxes.end(), {at, 0, end, 2});
      }
    }
    const TestGrid grid(boxes, 0.99999f, 0);
    for (size_t i = 0; i < boxes.size(); i += kBoxFloats) {
      const TestGrid::Box box = {boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3]};
      const std::vector<TestGrid::Box> found = grid.FoundBy(box.data());
      ASSERT_NE(std::find(found.begin(), found.end(), box), found.end())
          << testing::PrintToString(box);
    }
  }
}

// Boxes that fill the memory of the finer levels: each would like more cells than the mean.
TEST(GenerateProposalsKeptGrid, HasRoomForAllWhenEachIsInManyCells) {
  for (const int64_t count : {1, 2, 7, 8, 9, 100, 1000, 3000}) {
    Random random(26);
    std::vector<float> kept;
    for (int64_t i = 0; i < count; ++i) {
      const float size = Uniform(random, 60, 100);
      const float x = Uniform(random, 0, 1000);
      const float y = Uniform(random, 0, 1000);
      kept.insert(kept.end(), {x, y, x + size, y + size});
    }
    for (const float threshold : {0.1f, 0.5f}) {
      const TestGrid grid(kept, threshold, 0);
      EXPECT_GE(grid.ExpectFinds(std::vector<float>(
                    kept.begin(), kept.begin() + std::min<int64_t>(count, 100) * kBoxFloats)),
                std::min<int64_t>(count, 100));
    }
  }
}

// Of 2000 boxes a candidate is compared with those around it.
TEST(GenerateProposalsKeptGrid, LooksAtFewBoxes) {
  const auto mean_found = [](const std::vector<float>& boxes) {
    const TestGrid grid(boxes, 0.5f, 0);
    size_t found = 0;
    for (size_t at = 0; at < boxes.size(); at += kBoxFloats) {
      found += grid.FoundBy(&boxes[at]).size();
    }
    return static_cast<double>(found * kBoxFloats) / static_cast<double>(boxes.size());
  };
  std::vector<float> lattice;
  for (float y = 0; y < 40 * 15; y += 15) {
    for (float x = 0; x < 50 * 15; x += 15) {
      lattice.insert(lattice.end(), {x, y, x + 10, y + 10});
    }
  }
  // Row after row: cells are laid again and again, up to half of the rows ago.
  EXPECT_LT(mean_found(lattice), 30);
  std::vector<TestGrid::Box> boxes(lattice.size() / kBoxFloats);
  std::memcpy(boxes.data(), lattice.data(), lattice.size() * sizeof(float));
  std::shuffle(boxes.begin(), boxes.end(), Random(36));
  std::memcpy(lattice.data(), boxes.data(), lattice.size() * sizeof(float));
  EXPECT_LT(mean_found(lattice), 10);
  EXPECT_LT(mean_found(PlacedBoxes(Place::kImage, 2000, 0.1f, 27)), 40);
  EXPECT_LT(mean_found(PlacedBoxes(Place::kSizes, 2000, 0.1f, 27)), 300);
  EXPECT_LT(mean_found(PlacedBoxes(Place::kLine, 2000, 0.1f, 27)), 10);
}

class GenerateProposalsSearch : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsSearch);

TEST_P(GenerateProposalsSearch, SaysWhatIsSuppressedAndLeavesTheRest) {
  for (const Place place : kAllPlaces) {
    for (const float threshold : {1e-30f, 0.3f, 0.7f}) {
      constexpr int64_t kCount = 300;
      const std::vector<float> kept = PlacedBoxes(place, 200, 0.3f, 28);
      const std::vector<float> candidates = PlacedBoxes(place, kCount, 0.3f, 28);
      SpaceInMemory<KeptGrid::Space> memory(200);
      KeptGrid grid(memory.Get(200), threshold, 0, kept.data());
      for (size_t i = 0; i < kept.size(); i += kBoxFloats) {
        grid.Add(AreaOf(&kept[i], 0));
      }
      std::vector<float> numbers[nms::kColumns];
      suppression::Columns columns{};
      for (size_t i = 0; i < candidates.size(); i += kBoxFloats) {
        for (size_t side = 0; side < kBoxFloats; ++side) {
          numbers[side].push_back(candidates[i + side]);
        }
        numbers[nms::kArea].push_back(AreaOf(&candidates[i], 0));
      }
      for (int column = 0; column < nms::kColumns; ++column) {
        columns.array[column] = numbers[column].data();
      }
      std::vector<uint8_t> suppressed(kCount, 0);
      suppressed[100] = 1;
      suppressed[101] = 1;
      FindSuppressed(grid, columns, 20, 280, suppressed.data());
      for (int64_t i = 0; i < kCount; ++i) {
        const float* const candidate = &candidates[static_cast<size_t>(i * kBoxFloats)];
        bool expected = i == 100 || i == 101;
        for (size_t k = 0; k < kept.size() && i >= 20 && i < 280; k += kBoxFloats) {
          expected |= suppression::Exceeds(nms::ReferenceIou(&kept[k], candidate, 0), threshold);
        }
        ASSERT_EQ(suppressed[static_cast<size_t>(i)] != 0, expected)
            << NameOf(place) << ", candidate " << i << ", threshold " << threshold;
      }
    }
  }
}

// ---- The contract -------------------------------------------------------------------------------

// The tensors of the C function, in its order.
enum Tensor { kScores, kDeltas, kImShape, kAnchors, kVariances, kRois, kProbs, kNumbers, kTensors };

constexpr const char* kTensorNames[kTensors] = {"scores",        "bbox_deltas", "im_shape",
                                                "anchors",       "variances",   "rpn_rois",
                                                "rpn_roi_probs", "rpn_rois_num"};

// What a C program passes.
struct CallArguments {
  mluOpHandle_t handle = nullptr;
  int pre_nms_top_n = 6000;
  int post_nms_top_n = 1000;
  float nms_thresh = 0.5f;
  float min_size = 0.1f;
  float eta = 1;
  bool pixel_offset = false;
  mluOpTensorDescriptor_t desc[kTensors] = {};
  void* data[kTensors] = {};
  void* workspace = nullptr;
  size_t workspace_size = 0;
  void* total = nullptr;

  mluOpStatus_t Call() const {
    return mluOpGenerateProposalsV2(handle, pre_nms_top_n, post_nms_top_n, nms_thresh, min_size,
                                    eta, pixel_offset, desc[kScores], data[kScores], desc[kDeltas],
                                    data[kDeltas], desc[kImShape], data[kImShape], desc[kAnchors],
                                    data[kAnchors], desc[kVariances], data[kVariances], workspace,
                                    workspace_size, desc[kRois], data[kRois], desc[kProbs],
                                    data[kProbs], desc[kNumbers], data[kNumbers], total);
  }
};

// A handle, descriptors and a workspace, as a C program has them.
class MluOpGenerateProposalsV2 : public testing::Test {
 protected:
  MluOpGenerateProposalsV2() : proposals_(Case()) {
    EXPECT_EQ(mluOpCreate(&call_.handle), MLUOP_STATUS_SUCCESS);
    for (mluOpTensorDescriptor_t& desc : call_.desc) {
      EXPECT_EQ(mluOpCreateTensorDescriptor(&desc), MLUOP_STATUS_SUCCESS);
    }
    handle_ = call_.handle;
    std::copy(std::begin(call_.desc), std::end(call_.desc), std::begin(desc_));
  }
  ~MluOpGenerateProposalsV2() override {
    for (const mluOpTensorDescriptor_t desc : desc_) {
      EXPECT_EQ(mluOpDestroyTensorDescriptor(desc), MLUOP_STATUS_SUCCESS);
    }
    EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
  }

  void Describe(Tensor tensor, const std::vector<int64_t>& dims,
                mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT) {
    ASSERT_EQ(mluOpSetTensorDescriptor_v2(desc_[tensor], MLUOP_LAYOUT_ARRAY, dtype,
                                          static_cast<int>(dims.size()), dims.data()),
              MLUOP_STATUS_SUCCESS);
  }
  void DescribeAll(int64_t n, int64_t h, int64_t w, int64_t a, int64_t post) {
    Describe(kScores, {n, h, w, a});
    Describe(kDeltas, {n, h, w, 4 * a});
    Describe(kImShape, {n, 2});
    Describe(kAnchors, {h, w, a, 4});
    Describe(kVariances, {h, w, a, 4});
    Describe(kRois, {n * post, 4});
    Describe(kProbs, {n * post, 1});
    Describe(kNumbers, {n}, MLUOP_DTYPE_INT32);
  }

  // A call that would succeed.
  void Set(const Case& input) {
    input_ = input;
    input_.variances.resize(input_.anchors.size(), 1.0f);
    proposals_ = Proposals(input_);
    DescribeAll(input_.images, input_.height, input_.width, input_.anchors_per_position,
                input_.post_nms_top_n);
    call_.pre_nms_top_n = input_.pre_nms_top_n;
    call_.post_nms_top_n = input_.post_nms_top_n;
    call_.nms_thresh = input_.nms_thresh;
    call_.min_size = input_.min_size;
    call_.pixel_offset = input_.pixel_offset;
    call_.data[kScores] = input_.scores.data();
    call_.data[kDeltas] = input_.deltas.data();
    call_.data[kImShape] = input_.im_shape.data();
    call_.data[kAnchors] = input_.anchors.data();
    call_.data[kVariances] = input_.variances.data();
    call_.data[kRois] = proposals_.rois.data();
    call_.data[kProbs] = proposals_.probs.data();
    call_.data[kNumbers] = proposals_.counts.data();
    call_.total = &proposals_.total;
    workspace_.resize(AskSize());
    call_.workspace = workspace_.data();
    call_.workspace_size = workspace_.size();
  }
  size_t AskSize() const {
    size_t size = 0;
    EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize(handle_, desc_[kScores], &size),
              MLUOP_STATUS_SUCCESS);
    return size;
  }
  size_t AskSizeV2(int pre_nms_top_n) const {
    size_t size = 0;
    EXPECT_EQ(
        mluOpGetGenerateProposalsV2WorkspaceSize_v2(handle_, desc_[kScores], pre_nms_top_n, &size),
        MLUOP_STATUS_SUCCESS);
    return size;
  }

  // The results of a call that succeeds.
  const Proposals& Run(const Case& input) {
    Set(input);
    EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
    // There are none in C.
    std::fill(proposals_.anchor_indices.begin(), proposals_.anchor_indices.end(), kUntouched);
    return proposals_;
  }
  std::vector<float> RoisOf(const Case& input) {
    Run(input);
    return {proposals_.rois.begin(), proposals_.rois.begin() + proposals_.total * kBoxFloats};
  }
  // Whether the one anchor of an image becomes a proposal.
  bool Survives(const Case& input) {
    Run(input);
    EXPECT_EQ(proposals_.total, 1);
    return !std::isnan(proposals_.probs[0]) && proposals_.probs[0] != 0;
  }

  // The call fails with this status and one line, and writes nothing.
  void ExpectRefused(mluOpStatus_t status, const std::string& why) {
    ExpectRefused(status, why, call_);
  }
  void ExpectRefused(mluOpStatus_t status, const std::string& why, const CallArguments& call) {
    LogCapture log;
    const Proposals before = proposals_;
    const std::vector<std::byte> workspace_before = workspace_;
    EXPECT_EQ(call.Call(), status) << why;
    EXPECT_THAT(log.Take(), ElementsAre("mluOpGenerateProposalsV2: " + why));
    EXPECT_EQ(detopsGetLastError(), "mluOpGenerateProposalsV2: " + why);
    EXPECT_EQ(proposals_, before) << why;
    EXPECT_EQ(workspace_, workspace_before) << why;
  }
  void ExpectBadParam(const std::string& why) { ExpectRefused(MLUOP_STATUS_BAD_PARAM, why); }

  CallArguments call_;
  mluOpHandle_t handle_ = nullptr;
  mluOpTensorDescriptor_t desc_[kTensors] = {};
  Case input_;
  Proposals proposals_;
  std::vector<std::byte> workspace_;
};

// Some anchors of two images, of which few are kept.
Case SmallCase() {
  Case input = RandomCase(Kind::kUniform, {2, 2, 3, 2}, 8, 16, 30);
  input.post_nms_top_n = 4;
  return input;
}

// One anchor in an image without an end.
Case OneAnchor(const std::vector<float>& anchor, const std::vector<float>& delta,
               const std::vector<float>& variance) {
  Case input = CaseOfBoxes(anchor, {0.5f});
  input.deltas = delta;
  input.variances = variance;
  input.post_nms_top_n = 1;
  return input;
}
const std::vector<float> kNoDelta = {0, 0, 0, 0};
const std::vector<float> kOnes = {1, 1, 1, 1};

TEST_F(MluOpGenerateProposalsV2, GivesTheSeedsExampleOfNaN) {
  Case input;
  input.images = 2;
  input.width = 2;
  input.scores = {0.2f, kNaN, 0.5f, -kInfinity};
  input.deltas = {0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2};
  input.im_shape = {5, 5, 5, 5};
  input.anchors = {1, 1, 3, 3, 1, 1, 3, 3};
  input.variances = {1, 1, 3, 3, 1, 1, 3, 3};
  input.pre_nms_top_n = 2000;
  const Proposals& proposals = Run(input);
  EXPECT_EQ(proposals.total, 2);
  EXPECT_THAT(proposals.counts, ElementsAre(1, 1));
  const std::vector<float> rois(proposals.rois.begin(), proposals.rois.begin() + 8);
  EXPECT_THAT(rois, ElementsAre(0, 0, 5, 5, 0, 0, 5, 5));
  EXPECT_TRUE(std::isnan(proposals.probs[0]));
  EXPECT_EQ(proposals.probs[1], 0.5f);
  EXPECT_TRUE(std::all_of(proposals.rois.begin() + 8, proposals.rois.end(),
                          [](float f) { return f == kUntouched; }));
  EXPECT_TRUE(std::all_of(proposals.probs.begin() + 2, proposals.probs.end(),
                          [](float f) { return f == kUntouched; }));
}

TEST_F(MluOpGenerateProposalsV2, Decodes) {
  const float log2 = std::log(2.0f);
  const std::vector<float> anchor = {10, 20, 30, 60};  // 20 x 40 around (20, 40)
  EXPECT_THAT(RoisOf(OneAnchor(anchor, kNoDelta, kOnes)), ElementsAre(10, 20, 30, 60));
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0.5f, 0, 0, 0}, kOnes)), ElementsAre(20, 20, 40, 60));
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0, 0.25f, 0, 0}, kOnes)), ElementsAre(10, 30, 30, 70));
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0, 0, log2, 0}, kOnes)), ElementsAre(0, 20, 40, 60));
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0, 0, 0, -log2}, kOnes)), ElementsAre(10, 30, 30, 50));
  // Each with its own variance.
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0.5f, 0.25f, log2 / 4, 2 * log2}, {4, 2, 4, 0.5f})),
              ElementsAre(40, 20, 80, 100));
}

TEST_F(MluOpGenerateProposalsV2, DecodesWithThePixelOffset) {
  const float log2 = std::log(2.0f);
  const std::vector<float> anchor = {10, 20, 29, 59};  // 20 x 40 around (20, 40)
  Case input = OneAnchor(anchor, {0.5f, 0.25f, log2, 0}, kOnes);
  input.pixel_offset = true;
  EXPECT_THAT(RoisOf(input), ElementsAre(10, 30, 49, 69));
  input.im_shape = {50, 40};
  EXPECT_THAT(RoisOf(input), ElementsAre(10, 30, 39, 49));
}

TEST_F(MluOpGenerateProposalsV2, EnlargesNoMoreThanThousandSixteenths) {
  for (const float delta : {4.2f, 100.0f, 1e30f, kInfinity}) {
    EXPECT_THAT(RoisOf(OneAnchor({1000, 1000, 1016, 1016}, {0, 0, delta, delta}, kOnes)),
                ElementsAre(FloatEq(508), FloatEq(508), FloatEq(1508), FloatEq(1508)));
  }
  // The product with the variance counts.
  EXPECT_THAT(RoisOf(OneAnchor({1000, 1000, 1016, 1016}, {0, 0, 5, 0}, {1, 1, 0, 1})),
              ElementsAre(1000, 1000, 1016, 1016));
  EXPECT_THAT(RoisOf(OneAnchor({1000, 1000, 1016, 1016}, {0, 0, 4, 0}, {1, 1, 2, 1})),
              ElementsAre(FloatEq(508), 1000, FloatEq(1508), 1016));
}

TEST_F(MluOpGenerateProposalsV2, ClipsToTheImageAndToZero) {
  Case input = OneAnchor({-5, -7, 100, 200}, kNoDelta, kOnes);
  input.im_shape = {60, 50};  // height, width
  EXPECT_THAT(RoisOf(input), ElementsAre(0, 0, 50, 60));
  for (const float none : {kNaN, kInfinity}) {
    input.im_shape = {none, 50};
    EXPECT_THAT(RoisOf(input), ElementsAre(0, 0, 50, 200));
    input.im_shape = {60, none};
    EXPECT_THAT(RoisOf(input), ElementsAre(0, 0, 100, 60));
  }
  for (const float nothing : {0.0f, -5.0f, -kInfinity}) {
    input.im_shape = {60, nothing};
    EXPECT_FALSE(Survives(input));
  }
}

TEST_F(MluOpGenerateProposalsV2, DropsWhatIsTooSmall) {
  const float below_one = std::nextafter(1.0f, 0.0f);
  // Boxes at 0, so that no size is rounded.
  const auto survives = [&](float width, float height, float min_size, bool pixel_offset) {
    Case input = OneAnchor({0, 0, width, height}, kNoDelta, kOnes);
    input.min_size = min_size;
    input.pixel_offset = pixel_offset;
    return Survives(input);
  };
  for (const float min_size : {-kInfinity, -1.0f, 0.0f, 0.1f, 1.0f}) {
    EXPECT_TRUE(survives(1, 1, min_size, false)) << "1 is the least";
    EXPECT_FALSE(survives(below_one, 1, min_size, false));
    EXPECT_FALSE(survives(1, below_one, min_size, false));
    EXPECT_TRUE(survives(0, 0, min_size, true)) << "a pixel";
  }
  Case thin = OneAnchor({5, 5, 4.5f, 5}, kNoDelta, kOnes);
  thin.pixel_offset = true;
  EXPECT_FALSE(Survives(thin)) << "half a pixel";
  EXPECT_TRUE(survives(8, 8, 8, false));
  EXPECT_FALSE(survives(8, 7.99f, 8, false));
  EXPECT_FALSE(survives(7.99f, 8, 8, false));
  EXPECT_TRUE(survives(7, 7, 8, true));
  EXPECT_FALSE(survives(1e30f, 1e30f, kInfinity, false));
}

TEST_F(MluOpGenerateProposalsV2, DropsWhatHasItsCentreOutsideWithThePixelOffset) {
  Case input = OneAnchor({0, 0, 10, 10}, kNoDelta, kOnes);
  input.pixel_offset = true;
  // Clipped to one pixel at 0, whose centre is 0.5.
  input.im_shape = {20, 0.5f};
  EXPECT_TRUE(Survives(input));
  input.im_shape = {20, std::nextafter(0.5f, 0.0f)};
  EXPECT_FALSE(Survives(input));
  input.im_shape = {std::nextafter(0.5f, 0.0f), 20};
  EXPECT_FALSE(Survives(input));
  input.im_shape = {kNaN, kNaN};
  EXPECT_TRUE(Survives(input)) << "nothing lies outside of it";
}

TEST_F(MluOpGenerateProposalsV2, DropsWhatIsNotFinite) {
  for (const float value : {kNaN, kInfinity, -kInfinity}) {
    for (size_t i = 0; i < 4; ++i) {
      std::vector<float> anchor = {10, 10, 20, 20};
      anchor[i] = value;
      EXPECT_FALSE(Survives(OneAnchor(anchor, kNoDelta, kOnes)));
      std::vector<float> delta = kNoDelta;
      delta[i] = value;
      // A large growth is cut off, a large shrinkage leaves a point.
      EXPECT_EQ(Survives(OneAnchor({10, 10, 20, 20}, delta, kOnes)), i >= 2 && value == kInfinity);
      std::vector<float> variance = kOnes;
      variance[i] = value;
      EXPECT_EQ(Survives(OneAnchor({10, 10, 20, 20}, {1, 1, 1, 1}, variance)),
                i >= 2 && value == kInfinity);
    }
  }
  // Too large only on the way.
  EXPECT_FALSE(Survives(OneAnchor({-3e38f, 0, 3e38f, 10}, kNoDelta, kOnes)));
  EXPECT_TRUE(Survives(OneAnchor({0, 0, 3e38f, 3e38f}, kNoDelta, kOnes)));
  // One end only, where clipping would leave a pixel of it.
  for (Case input : {OneAnchor({-3.4e38f, 0, 0, 10}, {-0.2f, 0, 0, 0}, kOnes),
                     OneAnchor({0, -3.4e38f, 10, 0}, {0, -0.2f, 0, 0}, kOnes),
                     OneAnchor({0, 0, 3.4e38f, 10}, {0.2f, 0, 0, 0}, kOnes),
                     OneAnchor({0, 0, 10, 3.4e38f}, {0, 0.2f, 0, 0}, kOnes)}) {
    input.pixel_offset = true;
    EXPECT_FALSE(Survives(input));
  }
}

TEST_F(MluOpGenerateProposalsV2, GoesThroughTheHighestScoresOnly) {
  // 0 and 1 overlap by 0.9, 2 and 3 by 0.5.
  Case input = CaseOfBoxes({0, 0, 10, 10, 0, 0, 10, 9, 50, 0, 60, 10, 50, 0, 60, 5},
                           {0.5f, 0.9f, 0.3f, 0.7f});
  const auto probs = [&](int pre, int post, float threshold) {
    input.pre_nms_top_n = pre;
    input.post_nms_top_n = post;
    input.nms_thresh = threshold;
    Run(input);
    return std::vector<float>(proposals_.probs.begin(),
                              proposals_.probs.begin() + proposals_.total);
  };
  EXPECT_THAT(probs(0, 4, 0.5f), ElementsAre(0.9f, 0.7f, 0.3f));
  EXPECT_THAT(probs(0, 4, 0.49f), ElementsAre(0.9f, 0.7f));
  EXPECT_THAT(probs(0, 4, 0.95f), ElementsAre(0.9f, 0.7f, 0.5f, 0.3f));
  EXPECT_THAT(probs(0, 2, 0.95f), ElementsAre(0.9f, 0.7f));
  EXPECT_THAT(probs(3, 4, 0.95f), ElementsAre(0.9f, 0.7f, 0.5f));
  EXPECT_THAT(probs(3, 4, 0.5f), ElementsAre(0.9f, 0.7f)) << "the fourth does not move up";
  EXPECT_THAT(probs(1, 4, 0.5f), ElementsAre(0.9f));
}

TEST_F(MluOpGenerateProposalsV2, HasTheReferencesBits) {
  for (const Kind kind : kAllKinds) {
    for (const bool pixel_offset : {false, true}) {
      Case input = RandomCase(kind, {3, 12, 10, 3}, 8, 30, 31);
      input.pixel_offset = pixel_offset;
      input.min_size = 9;
      input.nms_thresh = 0.6f;
      input.pre_nms_top_n = 200;
      input.post_nms_top_n = 70;
      Proposals expected = RunReference(input);
      std::fill(expected.anchor_indices.begin(), expected.anchor_indices.end(), kUntouched);
      ASSERT_EQ(Run(input), expected) << NameOf(kind);
    }
  }
}

// ---- Nothing to do, and queues ------------------------------------------------------------------

TEST_F(MluOpGenerateProposalsV2, NoImagesWriteTheirSumAndNeedNoMemory) {
  Set(SmallCase());
  DescribeAll(0, 2, 3, 2, 4);
  EXPECT_EQ(AskSize(), 0u);
  EXPECT_EQ(AskSizeV2(5), 0u);
  std::fill(std::begin(call_.data), std::end(call_.data), nullptr);
  call_.workspace = nullptr;
  call_.workspace_size = 0;
  Proposals expected = proposals_;
  expected.total = 0;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(proposals_, expected);
  proposals_.total = kUntouched;
  call_.total = nullptr;
  ExpectBadParam("rpn_rois_batch_size is NULL; it must be a valid pointer");
}

// A queue that a handle uses, and that is held up until it is let go on.
class HeldQueue {
 public:
  explicit HeldQueue(mluOpHandle_t handle) : handle_(handle) {
    EXPECT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
    EXPECT_EQ(mluOpSetQueue(handle_, queue_), MLUOP_STATUS_SUCCESS);
    EXPECT_TRUE(gate_.Block(queue_).ok());
  }
  ~HeldQueue() {
    EXPECT_EQ(mluOpSetQueue(handle_, nullptr), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
  }
  HeldQueue(const HeldQueue&) = delete;
  HeldQueue& operator=(const HeldQueue&) = delete;

  void Finish() {
    gate_.Open();
    EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  }

 private:
  mluOpHandle_t handle_;
  cnrtQueue_t queue_ = nullptr;
  Gate gate_;
};

TEST_F(MluOpGenerateProposalsV2, NoImagesOnAQueueWriteTheirSumInItsOrder) {
  HeldQueue queue(handle_);
  DescribeAll(0, 2, 3, 2, 4);
  call_.post_nms_top_n = 4;
  int32_t total = kUntouched;
  call_.total = &total;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(total, kUntouched) << "written before its turn";
  queue.Finish();
  EXPECT_EQ(total, 0);
}

TEST_F(MluOpGenerateProposalsV2, RunsOnAQueueAndDescriptorsMayGo) {
  const Case input = SmallCase();
  const Proposals expected = Run(input);
  HeldQueue queue(handle_);
  Set(input);
  const Proposals before = proposals_;
  ASSERT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  for (mluOpTensorDescriptor_t& desc : desc_) {
    ASSERT_EQ(mluOpDestroyTensorDescriptor(desc), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(mluOpCreateTensorDescriptor(&desc), MLUOP_STATUS_SUCCESS);
  }
  EXPECT_EQ(proposals_, before) << "written before its turn";
  queue.Finish();
  std::fill(proposals_.anchor_indices.begin(), proposals_.anchor_indices.end(), kUntouched);
  EXPECT_EQ(proposals_, expected);
}

// ---- What is refused ----------------------------------------------------------------------------

TEST_F(MluOpGenerateProposalsV2, RefusesNullsAndDescriptorsThatWereNeverSet) {
  Set(SmallCase());
  CallArguments call = call_;
  call.handle = nullptr;
  ExpectRefused(MLUOP_STATUS_BAD_PARAM, "handle is NULL; it must be a valid pointer", call);
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    const std::string name = kTensorNames[tensor];
    call = call_;
    call.desc[tensor] = nullptr;
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, name + "_desc is NULL; it must be a tensor descriptor",
                  call);
    call = call_;
    call.data[tensor] = nullptr;
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, name + " is NULL; it must be a valid pointer", call);
  }
  call = call_;
  call.total = nullptr;
  ExpectRefused(MLUOP_STATUS_BAD_PARAM, "rpn_rois_batch_size is NULL; it must be a valid pointer",
                call);
  call = call_;
  call.workspace = nullptr;
  ExpectRefused(MLUOP_STATUS_BAD_PARAM, "workspace is NULL; it must be a valid pointer", call);
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    Set(SmallCase());
    ASSERT_EQ(mluOpResetTensorDescriptor(desc_[tensor]), MLUOP_STATUS_SUCCESS);
    ExpectBadParam(std::string(kTensorNames[tensor]) +
                   "_desc was never set; call mluOpSetTensorDescriptor first");
  }
}

TEST_F(MluOpGenerateProposalsV2, RefusesWrongRanksAndTypes) {
  struct Wrong {
    Tensor tensor;
    std::vector<int64_t> dims;
    mluOpDataType_t dtype;
    const char* why;
  };
  const Wrong wrong[] = {
      {kScores, {2, 6, 2}, MLUOP_DTYPE_FLOAT, "scores has shape float[2,6,2]; it must have rank 4"},
      {kDeltas,
       {2, 48},
       MLUOP_DTYPE_FLOAT,
       "bbox_deltas has shape float[2,48]; it must have rank 4"},
      {kImShape, {4}, MLUOP_DTYPE_FLOAT, "im_shape has shape float[4]; it must have rank 2"},
      {kAnchors, {12, 4}, MLUOP_DTYPE_FLOAT, "anchors has shape float[12,4]; it must have rank 4"},
      {kVariances,
       {12, 4},
       MLUOP_DTYPE_FLOAT,
       "variances has shape float[12,4]; it must have rank 4"},
      {kRois, {32}, MLUOP_DTYPE_FLOAT, "rpn_rois has shape float[32]; it must have rank 2"},
      {kProbs, {8}, MLUOP_DTYPE_FLOAT, "rpn_roi_probs has shape float[8]; it must have rank 2"},
      {kNumbers,
       {2, 1},
       MLUOP_DTYPE_INT32,
       "rpn_rois_num has shape int32[2,1]; it must have rank 1"},
      {kScores, {2, 2, 3, 2}, MLUOP_DTYPE_HALF, "scores has type half; it must be float"},
      {kDeltas, {2, 2, 3, 8}, MLUOP_DTYPE_HALF, "bbox_deltas has type half; it must be float"},
      {kImShape, {2, 2}, MLUOP_DTYPE_INT32, "im_shape has type int32; it must be float"},
      {kAnchors, {2, 3, 2, 4}, MLUOP_DTYPE_DOUBLE, "anchors has type double; it must be float"},
      {kVariances, {2, 3, 2, 4}, MLUOP_DTYPE_HALF, "variances has type half; it must be float"},
      {kRois, {8, 4}, MLUOP_DTYPE_HALF, "rpn_rois has type half; it must be float"},
      {kProbs, {8, 1}, MLUOP_DTYPE_INT32, "rpn_roi_probs has type int32; it must be float"},
      {kNumbers, {2}, MLUOP_DTYPE_INT64, "rpn_rois_num has type int64; it must be int32"}};
  for (const Wrong& one : wrong) {
    Set(SmallCase());
    Describe(one.tensor, one.dims, one.dtype);
    ExpectBadParam(one.why);
  }
}

TEST_F(MluOpGenerateProposalsV2, RefusesShapesThatDoNotFitTheScores) {
  const std::pair<Tensor, std::vector<int64_t>> right[] = {
      {kDeltas, {2, 2, 3, 8}},  {kImShape, {2, 2}},
      {kAnchors, {2, 3, 2, 4}}, {kVariances, {2, 3, 2, 4}},
      {kRois, {8, 4}},          {kProbs, {8, 1}},
      {kNumbers, {2}}};
  for (const auto& [tensor, dims] : right) {
    for (size_t i = 0; i < dims.size(); ++i) {
      for (const int64_t other : {dims[i] - 1, dims[i] + 1, int64_t{0}}) {
        Set(SmallCase());
        std::vector<int64_t> wrong = dims;
        wrong[i] = other;
        std::string shape;
        for (const int64_t dim : wrong) {
          shape += (shape.empty() ? "" : ",") + std::to_string(dim);
        }
        const bool integers = tensor == kNumbers;
        Describe(tensor, wrong, integers ? MLUOP_DTYPE_INT32 : MLUOP_DTYPE_FLOAT);
        const bool is_last = i + 1 == dims.size();
        const char* const columns = is_last && tensor == kImShape ? " (height, width)"
                                    : is_last && tensor == kRois  ? " (x1, y1, x2, y2)"
                                                                  : "";
        ExpectBadParam(std::string(kTensorNames[tensor]) + " has shape " +
                       (integers ? "int32[" : "float[") + shape + "]; dimension " +
                       std::to_string(i) + " must be " + std::to_string(dims[i]) + columns);
      }
    }
  }
}

TEST_F(MluOpGenerateProposalsV2, RefusesMapsWithoutAnchorsAlsoWithoutImages) {
  for (const int64_t images : {2, 0}) {
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{0, 3, 2}, {2, 0, 2}, {2, 3, 0}}) {
      Set(SmallCase());
      DescribeAll(images, dims[0], dims[1], dims[2], 4);
      const std::string shape = std::to_string(images) + "," + std::to_string(dims[0]) + "," +
                                std::to_string(dims[1]) + "," + std::to_string(dims[2]);
      ExpectBadParam("scores has shape float[" + shape + "]; H, W and A must be at least 1");
    }
  }
}

TEST_F(MluOpGenerateProposalsV2, RefusesParametersThatMeanNothing) {
  Set(SmallCase());
  const CallArguments right = call_;
  for (const int value : {0, -1, INT32_MIN}) {
    call_.post_nms_top_n = value;
    ExpectBadParam("post_nms_top_n is " + std::to_string(value) + "; it must be at least 1");
  }
  call_ = right;
  for (const auto& [value, text] :
       {std::pair(0.0f, "0"), {-0.5f, "-0.5"}, {-kInfinity, "-inf"}, {kNaN, "nan"}}) {
    call_.nms_thresh = value;
    ExpectBadParam(std::string("nms_thresh is ") + text + "; it must be a number above 0");
  }
  call_ = right;
  call_.min_size = kNaN;
  ExpectBadParam("min_size is nan; it must be a number");
  call_ = right;
  for (const auto& [value, text] : {std::pair(0.5f, "0.5"),
                                    {std::nextafter(1.0f, 0.0f), "0.99999994"},
                                    {-kInfinity, "-inf"},
                                    {kNaN, "nan"}}) {
    call_.eta = value;
    ExpectBadParam(std::string("eta is ") + text +
                   "; it must be at least 1: adaptive thresholds are not supported");
  }
  call_ = right;
  call_.eta = kInfinity;
  call_.nms_thresh = kInfinity;
  call_.min_size = -kInfinity;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS) << "large numbers are numbers";
}

// Everything is wrong at first, and what is complained about put right, one after the other.
TEST_F(MluOpGenerateProposalsV2, ChecksInTheOrderOfTheContract) {
  Set(SmallCase());
  const CallArguments right = call_;
  const int64_t im_shape_dims[] = {2, 2};
  const int64_t im_shape_strides[] = {4, 1};
  call_.handle = nullptr;
  call_.desc[kRois] = nullptr;
  ASSERT_EQ(mluOpResetTensorDescriptor(desc_[kProbs]), MLUOP_STATUS_SUCCESS);
  Describe(kScores, {2, 2, 3});
  Describe(kDeltas, {2, 2, 3}, MLUOP_DTYPE_HALF);
  call_.post_nms_top_n = 0;
  call_.nms_thresh = kNaN;
  call_.min_size = kNaN;
  call_.eta = kNaN;
  Describe(kAnchors, {2, 3, 2, 5});
  ASSERT_EQ(mluOpSetTensorDescriptorEx_v2(desc_[kImShape], MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2,
                                          im_shape_dims, im_shape_strides),
            MLUOP_STATUS_SUCCESS);
  call_.data[kNumbers] = nullptr;
  call_.total = nullptr;
  call_.workspace = nullptr;
  call_.workspace_size = 0;

  ExpectBadParam("handle is NULL; it must be a valid pointer");
  call_.handle = handle_;
  ExpectBadParam("rpn_rois_desc is NULL; it must be a tensor descriptor");
  call_.desc[kRois] = desc_[kRois];
  ExpectBadParam("rpn_roi_probs_desc was never set; call mluOpSetTensorDescriptor first");
  Describe(kProbs, {8, 1});
  ExpectBadParam("bbox_deltas has type half; it must be float");
  Describe(kDeltas, {2, 2, 3});
  ExpectBadParam("post_nms_top_n is 0; it must be at least 1");
  call_.post_nms_top_n = right.post_nms_top_n;
  ExpectBadParam("nms_thresh is nan; it must be a number above 0");
  call_.nms_thresh = right.nms_thresh;
  ExpectBadParam("min_size is nan; it must be a number");
  call_.min_size = right.min_size;
  ExpectBadParam("eta is nan; it must be at least 1: adaptive thresholds are not supported");
  call_.eta = right.eta;
  ExpectBadParam("scores has shape float[2,2,3]; it must have rank 4");
  Describe(kScores, {2, 2, 3, 2});
  ExpectBadParam("bbox_deltas has shape float[2,2,3]; it must have rank 4");
  Describe(kDeltas, {2, 2, 3, 8});
  ExpectBadParam("anchors has shape float[2,3,2,5]; dimension 3 must be 4");
  Describe(kAnchors, {2, 3, 2, 4});
  ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED,
                "im_shape has shape float[2,2] and strides [4,1]; it must be contiguous");
  Describe(kImShape, {2, 2});
  // So many proposals that their coordinates are too many.
  call_.post_nms_top_n = 1 << 29;
  Describe(kRois, {1 << 30, 4});
  Describe(kProbs, {1 << 30, 1});
  ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED,
                "rpn_rois has shape float[1073741824,4]; it must have fewer than 2^31 elements");
  call_.post_nms_top_n = right.post_nms_top_n;
  Describe(kRois, {8, 4});
  Describe(kProbs, {8, 1});
  ExpectBadParam("rpn_rois_num is NULL; it must be a valid pointer");
  call_.data[kNumbers] = right.data[kNumbers];
  ExpectBadParam("rpn_rois_batch_size is NULL; it must be a valid pointer");
  call_.total = right.total;
  ExpectBadParam("workspace is NULL; it must be a valid pointer");
  call_.workspace = right.workspace;
  call_.workspace_size = 0;
  LogCapture log;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_BAD_PARAM);
  call_.workspace_size = right.workspace_size;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(MluOpGenerateProposalsV2, DoesNotSupportStrides) {
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    Set(SmallCase());
    mluOpTensorLayout_t layout;
    mluOpDataType_t dtype;
    int rank;
    int64_t dims[MLUOP_DIM_MAX];
    int64_t strides[MLUOP_DIM_MAX];
    ASSERT_EQ(mluOpGetTensorDescriptorEx_v2(desc_[tensor], &layout, &dtype, &rank, dims, strides),
              MLUOP_STATUS_SUCCESS);
    strides[0] *= 2;
    ASSERT_EQ(mluOpSetTensorDescriptorEx_v2(desc_[tensor], layout, dtype, rank, dims, strides),
              MLUOP_STATUS_SUCCESS);
    LogCapture log;
    EXPECT_EQ(call_.Call(), MLUOP_STATUS_NOT_SUPPORTED);
    EXPECT_THAT(log.Take(), ElementsAre(testing::AllOf(
                                testing::HasSubstr(std::string("mluOpGenerateProposalsV2: ") +
                                                   kTensorNames[tensor] + " has shape "),
                                testing::HasSubstr(" and strides ["),
                                testing::HasSubstr("; it must be contiguous"))));
    EXPECT_EQ(proposals_, Proposals(input_));
  }
}

TEST_F(MluOpGenerateProposalsV2, DoesNotSupportHugeTensors) {
  Set(SmallCase());
  // The deltas are the first to have too many.
  DescribeAll(1, 1 << 15, 1 << 14, 1, 4);
  ExpectRefused(
      MLUOP_STATUS_NOT_SUPPORTED,
      "bbox_deltas has shape float[1,32768,16384,4]; it must have fewer than 2^31 elements");
  DescribeAll(1, 1 << 15, 1 << 16, 1, 4);
  ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED,
                "scores has shape float[1,32768,65536,1]; it must have fewer than 2^31 elements");
}

TEST_F(MluOpGenerateProposalsV2, LayoutIsNotLookedAt) {
  Set(SmallCase());
  const int dims[] = {2, 2, 3, 2};
  ASSERT_EQ(mluOpSetTensorDescriptor(desc_[kScores], MLUOP_LAYOUT_NCHW, MLUOP_DTYPE_FLOAT, 4, dims),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
}

// ---- The workspace ------------------------------------------------------------------------------

TEST_F(MluOpGenerateProposalsV2, RefusesAWorkspaceThatIsTooSmall) {
  Set(SmallCase());
  // What this call needs is less than what any call may need.
  Case input = SmallCase();
  Proposals unused(input);
  const size_t needed = WorkspaceBytes(MakeArgs(input, unused));
  ASSERT_LT(needed, workspace_.size());
  call_.workspace_size = needed - 1;
  ExpectBadParam("workspace_size is " + std::to_string(needed - 1) + "; it must be at least " +
                 std::to_string(needed));
  call_.workspace_size = needed;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(MluOpGenerateProposalsV2, WorkspaceSizeV2IsEnoughAndNotMore) {
  Case input = RandomCase(Kind::kUniform, {2, 30, 30, 3}, 8, 8, 32);
  input.nms_thresh = 0.9f;
  input.post_nms_top_n = 2700;
  for (const int pre : {-1, 0, 1, 10, 500, 2699, 2700, 2701, INT32_MAX}) {
    input.pre_nms_top_n = pre;
    Proposals expected = RunReference(input);
    std::fill(expected.anchor_indices.begin(), expected.anchor_indices.end(), kUntouched);
    Set(input);
    const size_t size = AskSizeV2(pre);
    EXPECT_LE(size, AskSize()) << pre;
    EXPECT_EQ(size == AskSize(), pre <= 0 || pre >= 2700) << pre;
    const GuardedBuffer workspace(size);
    call_.workspace = workspace.data();
    call_.workspace_size = size;
    EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
    std::fill(proposals_.anchor_indices.begin(), proposals_.anchor_indices.end(), kUntouched);
    EXPECT_EQ(proposals_, expected) << pre;
  }
}

TEST_F(MluOpGenerateProposalsV2, WorkspaceMayStartAnywhere) {
  const Case input = RandomCase(Kind::kTrained, {3, 10, 10, 3}, 8, 24, 33);
  const Proposals expected = Run(input);
  for (const size_t shift : {1, 3, 8, 63}) {
    Set(input);
    std::vector<std::byte> memory(workspace_.size() + shift);
    call_.workspace = memory.data() + shift;
    EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
    std::fill(proposals_.anchor_indices.begin(), proposals_.anchor_indices.end(), kUntouched);
    EXPECT_EQ(proposals_, expected) << shift;
  }
}

TEST_F(MluOpGenerateProposalsV2, WorkspaceSizesRefuseWhatTheCallRefuses) {
  size_t size = 77;
  const auto refused = [&](mluOpHandle_t handle, mluOpTensorDescriptor_t desc, size_t* result,
                           mluOpStatus_t status, const std::string& why) {
    LogCapture log;
    EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize(handle, desc, result), status);
    EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize_v2(handle, desc, 5, result), status);
    EXPECT_THAT(log.Take(), ElementsAre("mluOpGetGenerateProposalsV2WorkspaceSize: " + why,
                                        "mluOpGetGenerateProposalsV2WorkspaceSize_v2: " + why));
  };
  const mluOpStatus_t bad = MLUOP_STATUS_BAD_PARAM;
  const mluOpTensorDescriptor_t desc = desc_[kScores];
  refused(handle_, desc, &size, bad,
          "scores_desc was never set; call mluOpSetTensorDescriptor first");
  Describe(kScores, {2, 2, 3, 2});
  refused(nullptr, desc, &size, bad, "handle is NULL; it must be a valid pointer");
  refused(handle_, nullptr, &size, bad, "scores_desc is NULL; it must be a tensor descriptor");
  refused(handle_, desc, nullptr, bad, "size is NULL; it must be a valid pointer");
  Describe(kScores, {2, 3, 2});
  refused(handle_, desc, &size, bad, "scores has shape float[2,3,2]; it must have rank 4");
  Describe(kScores, {2, 2, 3, 2}, MLUOP_DTYPE_HALF);
  refused(handle_, desc, &size, bad, "scores has type half; it must be float");
  Describe(kScores, {2, 0, 3, 2});
  refused(handle_, desc, &size, bad,
          "scores has shape float[2,0,3,2]; H, W and A must be at least 1");
  Describe(kScores, {1, 1 << 15, 1 << 16, 1});
  refused(handle_, desc, &size, MLUOP_STATUS_NOT_SUPPORTED,
          "scores has shape float[1,32768,65536,1]; it must have fewer than 2^31 elements");
  EXPECT_EQ(size, 77u);
}

// Without images no size is too large to be multiplied with others.
TEST_F(MluOpGenerateProposalsV2, WorkspaceSizesWithoutImagesAreZero) {
  Describe(kScores, {0, 1, 1, int64_t{1} << 62});
  size_t size = 77;
  EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize(handle_, desc_[kScores], &size),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(size, 0u);
  size = 77;
  EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize_v2(handle_, desc_[kScores], 5, &size),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(size, 0u);
}

// ---- Log and float mode -------------------------------------------------------------------------

TEST_F(MluOpGenerateProposalsV2, LogsEachCallAtDebugLevel) {
  Case input = SmallCase();
  input.pre_nms_top_n = 7;
  input.nms_thresh = 0.25f;
  input.min_size = 2;
  input.pixel_offset = true;
  Set(input);
  LogCapture log(DETOPS_LOG_DEBUG);
  ASSERT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  DescribeAll(0, 2, 3, 2, 4);
  ASSERT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  const std::string parameters =
      ", pre_nms_top_n 7, post_nms_top_n 4, nms_thresh 0.25, min_size 2, eta 1, pixel_offset true";
  EXPECT_THAT(log.Take(),
              ElementsAre("mluOpGenerateProposalsV2: scores float[2,2,3,2]" + parameters,
                          "mluOpGenerateProposalsV2: scores float[0,2,3,2]" + parameters));
  Describe(kScores, {2, 2, 3, 2});
  const size_t size = AskSize();
  const size_t size_v2 = AskSizeV2(3);
  EXPECT_THAT(log.Take(),
              ElementsAre("mluOpGetGenerateProposalsV2WorkspaceSize: scores float[2,2,3,2], "
                          "pre_nms_top_n 0, size " +
                              std::to_string(size),
                          "mluOpGetGenerateProposalsV2WorkspaceSize_v2: scores float[2,2,3,2], "
                          "pre_nms_top_n 3, size " +
                              std::to_string(size_v2)));
}

#if defined(__SSE2__)
TEST_F(MluOpGenerateProposalsV2, DecidesInTheDefaultFloatModeAndRestoresTheCallers) {
  Case input = RandomCase(Kind::kUniform, {2, 9, 9, 3}, 8, 24, 34);
  for (float& score : input.scores) {
    score *= 1e-40f;  // denormals
  }
  input.nms_thresh = 0.7f;
  const Proposals expected = Run(input);
  const uint32_t saved = _mm_getcsr();
  for (const uint32_t rounding : {0x2000u, 0x4000u, 0x6000u}) {  // down, up, to zero
    Set(input);
    _mm_setcsr(saved | 0x8040 | rounding);  // no denormals
    const uint32_t unusual = _mm_getcsr();
    const mluOpStatus_t status = call_.Call();
    const uint32_t after = _mm_getcsr();
    _mm_setcsr(saved);
    EXPECT_EQ(status, MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(after, unusual);
    std::fill(proposals_.anchor_indices.begin(), proposals_.anchor_indices.end(), kUntouched);
    EXPECT_EQ(proposals_, expected);
  }
}
#endif

// ---- C++ ----------------------------------------------------------------------------------------

class GenerateProposalsCpp : public testing::Test {
 protected:
  static ConstTensorView ScoresOf(const Case& input) { return ChannelsOf(input, input.scores, 1); }
  static ConstTensorView DeltasOf(const Case& input) {
    return ChannelsOf(input, input.deltas, kBoxFloats);
  }
  static ConstTensorView ChannelsOf(const Case& input, const std::vector<float>& numbers,
                                    int64_t per_anchor) {
    const int64_t channels = input.anchors_per_position * per_anchor;
    if (input.channels_first) {
      return {numbers.data(), {input.images, channels, input.height, input.width}};
    }
    return {numbers.data(), {input.images, input.height, input.width, channels}};
  }
  static ConstTensorView ImShapeOf(const Case& input) {
    return {input.im_shape.data(), {input.images, 2}};
  }
  static ConstTensorView AnchorsOf(const Case& input) {
    return {input.anchors.data(),
            {input.height, input.width, input.anchors_per_position, kBoxFloats}};
  }
  static GenerateProposalsOptions OptionsOf(const Case& input) {
    GenerateProposalsOptions options;
    options.pre_nms_top_n = input.pre_nms_top_n;
    options.post_nms_top_n = input.post_nms_top_n;
    options.nms_thresh = input.nms_thresh;
    options.min_size = input.min_size;
    options.pixel_offset = input.pixel_offset;
    options.layout = input.channels_first ? ImageLayout::kNchw : ImageLayout::kNhwc;
    if (!input.variances.empty()) {
      options.variances =
          ConstTensorView(input.variances.data(),
                          {input.height, input.width, input.anchors_per_position, kBoxFloats});
    }
    return options;
  }
  static GenerateProposalsResult Run(const Case& input) {
    return GenerateProposalsV2(ScoresOf(input), DeltasOf(input), ImShapeOf(input), AnchorsOf(input),
                               OptionsOf(input));
  }
  static GenerateProposalsOutputs OutputsOf(const Case& input, Proposals& proposals) {
    return {{proposals.rois.data(), {input.rows(), kBoxFloats}},
            {proposals.probs.data(), {input.rows(), 1}},
            {proposals.counts.data(), {input.images}},
            {&proposals.total, {1}},
            TensorView(proposals.anchor_indices.data(), {input.rows()})};
  }

  static void ExpectSame(const GenerateProposalsResult& found, const Proposals& expected) {
    const auto total = static_cast<size_t>(expected.total);
    ASSERT_EQ(found.probs.size(), total);
    ASSERT_EQ(found.rois.size(), total * kBoxFloats);
    EXPECT_TRUE(std::equal(found.rois.begin(), found.rois.end(), expected.rois.begin()));
    EXPECT_TRUE(std::equal(found.probs.begin(), found.probs.end(), expected.probs.begin()));
    EXPECT_EQ(found.anchor_indices,
              std::vector<int32_t>(expected.anchor_indices.begin(),
                                   expected.anchor_indices.begin() + expected.total));
    EXPECT_EQ(found.counts, expected.counts);
  }

  // Two images, the second of which has no proposal.
  static Case SomeCase() {
    Case input = RandomCase(Kind::kTrained, {2, 8, 7, 3}, 8, 24, 40);
    input.im_shape[2] = 0;
    input.post_nms_top_n = 30;
    Random random(41);
    for (float& variance : input.variances) {
      variance = Uniform(random, 0.5f, 2);
    }
    return input;
  }
};

TEST_F(GenerateProposalsCpp, ReturnsProposalsAndTheirAnchors) {
  const Case input = SomeCase();
  const Proposals expected = RunReference(input);
  ASSERT_GT(expected.counts[0], 10);
  const GenerateProposalsResult result = Run(input);
  ExpectSame(result, expected);
  EXPECT_EQ(result.anchor_indices.back(), -1) << "of an image without a proposal";
  for (int32_t i = 0; i < expected.counts[0]; ++i) {
    const auto row = static_cast<size_t>(i);
    EXPECT_EQ(result.probs[row], input.scores[static_cast<size_t>(result.anchor_indices[row])]);
  }
  Context context;
  ExpectSame(GenerateProposalsV2(context, ScoresOf(input), DeltasOf(input), ImShapeOf(input),
                                 AnchorsOf(input), OptionsOf(input)),
             expected);
}

TEST_F(GenerateProposalsCpp, ChannelsMayComeFirst) {
  ExpectSame(Run(SomeCase().ChannelsFirst()), RunReference(SomeCase()));
}

TEST_F(GenerateProposalsCpp, VariancesMayBeLeftOut) {
  Case input = SomeCase();
  input.variances.clear();
  const Proposals expected = RunReference(input);
  ExpectSame(Run(input), expected);
  ExpectSame(Run(input.ChannelsFirst()), expected);
  input.variances.assign(input.anchors.size(), 1.0f);
  ExpectSame(Run(input), expected);
}

TEST_F(GenerateProposalsCpp, AnyLimitAboveTheScoresIsNone) {
  Case input = SomeCase();
  input.post_nms_top_n = static_cast<int>(input.scores_per_image());
  const Proposals expected = RunReference(input);
  input.post_nms_top_n = std::numeric_limits<int>::max();
  ExpectSame(Run(input), expected);
}

TEST_F(GenerateProposalsCpp, OptionsHaveTheDefaultsOfTheContract) {
  const GenerateProposalsOptions options;
  EXPECT_EQ(options.pre_nms_top_n, 6000);
  EXPECT_EQ(options.post_nms_top_n, 1000);
  EXPECT_EQ(options.nms_thresh, 0.5f);
  EXPECT_EQ(options.min_size, 0.1f);
  EXPECT_EQ(options.eta, 1.0f);
  EXPECT_FALSE(options.pixel_offset);
  EXPECT_EQ(options.layout, ImageLayout::kNhwc);
  EXPECT_FALSE(options.variances);
}

TEST_F(GenerateProposalsCpp, AnchorIndicesMayBeLeftOut) {
  Context context;
  const Case input = SomeCase();
  Proposals found(input);
  GenerateProposalsOutputs outputs = OutputsOf(input, found);
  outputs.anchor_indices.reset();
  GenerateProposalsV2(context, ScoresOf(input), DeltasOf(input), ImShapeOf(input), AnchorsOf(input),
                      outputs, OptionsOf(input));
  Proposals expected = RunReference(input);
  std::fill(expected.anchor_indices.begin(), expected.anchor_indices.end(), kUntouched);
  EXPECT_EQ(found, expected);
}

TEST_F(GenerateProposalsCpp, WritesToMemoryOfTheCallerOnAQueueInItsOrder) {
  Context context;
  Queue queue;
  context.SetQueue(queue);
  for (const Case& input : {SomeCase(), SomeCase().ChannelsFirst()}) {
    Gate gate;
    ASSERT_TRUE(gate.Block(queue.get()).ok());
    Proposals found(input);
    GenerateProposalsV2(context, ScoresOf(input), DeltasOf(input), ImShapeOf(input),
                        AnchorsOf(input), OutputsOf(input, found), OptionsOf(input));
    EXPECT_EQ(found, Proposals(input)) << "written before its turn";
    gate.Open();
    queue.Sync();
    EXPECT_EQ(found, RunReference(SomeCase()));
  }
}

struct CopyArgs {
  const float* from;
  float* to;
  size_t bytes;
};

Status CopyFloats(RunContext&, const CopyArgs& args) {
  std::memcpy(args.to, args.from, args.bytes);
  return {};
}

TEST_F(GenerateProposalsCpp, ResultsThatAreReturnedWaitForTheQueue) {
  Context context;
  const Queue queue;
  context.SetQueue(queue);
  const Case input = SomeCase();
  std::vector<float> scores(input.scores.size());
  ASSERT_TRUE(
      queue.get()
          ->Submit(Job::Make<CopyFloats>(
              "test", CopyArgs{input.scores.data(), scores.data(), scores.size() * sizeof(float)}))
          .ok());
  ExpectSame(GenerateProposalsV2(context, {scores.data(), {2, 8, 7, 3}}, DeltasOf(input),
                                 ImShapeOf(input), AnchorsOf(input), OptionsOf(input)),
             RunReference(input));
}

TEST_F(GenerateProposalsCpp, NoImages) {
  const float* const none = nullptr;
  const GenerateProposalsResult result = GenerateProposalsV2(
      {none, {0, 2, 3, 4}}, {none, {0, 2, 3, 16}}, {none, {0, 2}}, {none, {2, 3, 4, 4}});
  EXPECT_THAT(result.rois, IsEmpty());
  EXPECT_THAT(result.probs, IsEmpty());
  EXPECT_THAT(result.counts, IsEmpty());
  EXPECT_THAT(result.anchor_indices, IsEmpty());
}

TEST_F(GenerateProposalsCpp, LogsEachCallAtDebugLevel) {
  Case input = SomeCase();
  Run(input);  // the first context of a process logs what the library is
  LogCapture log(DETOPS_LOG_DEBUG);
  Run(input);
  input.variances.clear();
  Run(input.ChannelsFirst());
  const std::string parameters =
      ", pre_nms_top_n 6000, post_nms_top_n 30, nms_thresh 0.5, min_size 0.1, eta 1, pixel_offset "
      "false";
  EXPECT_THAT(log.Take(), ElementsAre("GenerateProposalsV2: scores float[2,8,7,3]" + parameters,
                                      "GenerateProposalsV2: scores float[2,3,8,7] NCHW" +
                                          parameters + ", no variances"));
}

TEST_F(GenerateProposalsCpp, ThrowsTheMessageOfTheCApi) {
  const LogCapture log;
  const Case input = SomeCase();
  const auto with = [&](const std::function<void(GenerateProposalsOptions&)>& change) {
    GenerateProposalsOptions options = OptionsOf(input);
    change(options);
    return MessageOf([&] {
      GenerateProposalsV2(ScoresOf(input), DeltasOf(input), ImShapeOf(input), AnchorsOf(input),
                          options);
    });
  };
  EXPECT_EQ(with([](GenerateProposalsOptions& o) { o.post_nms_top_n = 0; }),
            "GenerateProposalsV2: post_nms_top_n is 0; it must be at least 1");
  EXPECT_EQ(with([](GenerateProposalsOptions& o) { o.nms_thresh = kNaN; }),
            "GenerateProposalsV2: nms_thresh is nan; it must be a number above 0");
  EXPECT_EQ(with([](GenerateProposalsOptions& o) { o.min_size = kNaN; }),
            "GenerateProposalsV2: min_size is nan; it must be a number");
  EXPECT_EQ(
      with([](GenerateProposalsOptions& o) { o.eta = 0; }),
      "GenerateProposalsV2: eta is 0; it must be at least 1: adaptive thresholds are not supported");
  EXPECT_EQ(with([](GenerateProposalsOptions& o) { o.layout = ImageLayout::kNchw; }),
            "GenerateProposalsV2: bbox_deltas has shape float[2,8,7,12]; dimension 1 must be "
            "32");
  EXPECT_EQ(with([](GenerateProposalsOptions& o) { o.layout = static_cast<ImageLayout>(2); }),
            "GenerateProposalsV2: layout is 2; it must be 0 to 1");
  EXPECT_EQ(with([&](GenerateProposalsOptions& o) {
              o.variances = ConstTensorView(input.variances.data(), {8, 7, 12});
            }),
            "GenerateProposalsV2: variances has shape float[8,7,12]; it must have rank 4");
  EXPECT_EQ(with([&](GenerateProposalsOptions& o) {
              o.variances = ConstTensorView(input.variances.data(), {8, 7, 4, 3});
            }),
            "GenerateProposalsV2: variances has shape float[8,7,4,3]; dimension 2 must be 3");
  EXPECT_EQ(with([&](GenerateProposalsOptions& o) {
              o.variances = ConstTensorView(static_cast<const float*>(nullptr), {8, 7, 3, 4});
            }),
            "GenerateProposalsV2: variances is NULL; it must be a valid pointer");
  EXPECT_EQ(MessageOf([&] {
              GenerateProposalsV2({input.scores.data(), {336}}, DeltasOf(input), ImShapeOf(input),
                                  AnchorsOf(input));
            }),
            "GenerateProposalsV2: scores has shape float[336]; it must have rank 4");
  const auto with_outputs = [&](const std::function<void(GenerateProposalsOutputs&)>& change) {
    Context context;
    Proposals found(input);
    GenerateProposalsOutputs outputs = OutputsOf(input, found);
    change(outputs);
    std::string message = MessageOf([&] {
      GenerateProposalsV2(context, ScoresOf(input), DeltasOf(input), ImShapeOf(input),
                          AnchorsOf(input), outputs, OptionsOf(input));
    });
    EXPECT_EQ(found, Proposals(input));
    return message;
  };
  float floats[240] = {};
  int32_t integers[60] = {};
  EXPECT_EQ(with_outputs([&](GenerateProposalsOutputs& o) {
              o.rois = TensorView(floats, {59, 4});
            }),
            "GenerateProposalsV2: rois has shape float[59,4]; dimension 0 must be 60");
  EXPECT_EQ(with_outputs([&](GenerateProposalsOutputs& o) { o.probs = TensorView(floats, {60}); }),
            "GenerateProposalsV2: probs has shape float[60]; it must have rank 2");
  EXPECT_EQ(with_outputs([&](GenerateProposalsOutputs& o) { o.counts = TensorView(floats, {2}); }),
            "GenerateProposalsV2: counts has type float; it must be int32");
  EXPECT_EQ(with_outputs([&](GenerateProposalsOutputs& o) { o.total = TensorView(integers, {2}); }),
            "GenerateProposalsV2: total has shape int32[2]; dimension 0 must be 1");
  EXPECT_EQ(with_outputs([&](GenerateProposalsOutputs& o) {
              o.anchor_indices = TensorView(integers, {59});
            }),
            "GenerateProposalsV2: anchor_indices has shape int32[59]; dimension 0 must be 60");
  EXPECT_EQ(with_outputs(
                [&](GenerateProposalsOutputs& o) { o.anchor_indices = TensorView(floats, {60}); }),
            "GenerateProposalsV2: anchor_indices has type float; it must be int32");
}

}  // namespace
}  // namespace detops::generate_proposals_v2
