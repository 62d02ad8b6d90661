// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares the operator with the reference on every target: numbers of scores, parameters, images
// and distributions of scores. suppression_test.cc varies the boxes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure/random_floats.h"
#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/test_scenes.h"

namespace detops::generate_proposals_v2 {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr float kThresholds[] = {1e-30f, 0.01f,     0.3f, 0.5f, 0.7f,
                                 0.99f,  0.999999f, 1.0f, 2.0f, kInfinity};

class GenerateProposalsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsKernel);

// Around every vector width, around the largest number of candidates that are visited one by one
// (1024), and around the sizes at which blocks of candidates can end.
constexpr int64_t kCounts[] = {
    1,   2,   3,   4,   5,   7,    8,    9,    15,   16,   17,   31,   32,   33,   63,
    64,  65,  95,  96,  97,  127,  128,  129,  191,  192,  193,  223,  224,  225,  255,
    256, 257, 287, 288, 289, 447,  448,  449,  479,  480,  481,  511,  512,  513,  959,
    960, 961, 991, 992, 993, 1023, 1024, 1025, 1056, 1119, 1120, 1121, 1247, 1248, 1249};

TEST_P(GenerateProposalsKernel, EqualsReferenceForAnyNumberOfScores) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const int64_t count : kCounts) {
        const auto seed = static_cast<uint32_t>(count);
        // One row of positions with one anchor each, and two rows with three anchors each.
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

// Around the largest number of scores that are sorted at once (1024) and the size of a part (8192).
// Parts are smaller if the anchors of a position do not divide 8192, and hold one position if its
// anchors alone exceed it.
TEST_P(GenerateProposalsKernel, EqualsReferenceForManyScores) {
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

// On the best target only, because the reference is slow.
TEST(GenerateProposalsNetworks, EqualReference) {
  for (const Shape& shape : NetworkShapes()) {
    Case input = RandomCase(Kind::kUniform, shape, 8, 32, 9);
    input.pre_nms_top_n = 2000;
    input.post_nms_top_n = 400;
    const Proposals expected = RunReference(input);
    ASSERT_EQ(RunOn(2, input), expected) << input.ToString();
    ASSERT_EQ(RunOn(2, input.ChannelsFirst()), expected) << input.ToString();
  }
}

TEST_P(GenerateProposalsKernel, EqualsReferenceForAllParameters) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const float threshold : kThresholds) {
        for (const bool pixel_offset : {false, true}) {
          for (const bool variances : {false, true}) {
            // Candidates are visited one by one, or in blocks.
            const Shape shape = variances == pixel_offset ? Shape{2, 9, 7, 5} : Shape{1, 20, 18, 3};
            Case input = RandomCase(kind, shape, 8, 16, 3);
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

TEST_P(GenerateProposalsKernel, EqualsReferenceForAnyTopN) {
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

// More images than are processed at the same time. Each differs from the one before, and some have
// no proposal.
TEST_P(GenerateProposalsKernel, ImagesAreIndependent) {
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
            side[0] = i % 2 == 0 ? -kInfinity : 0.25f;  // no box fits in
          } else {
            side[1] /= static_cast<float>(1 + i);
          }
        }
        result.push_back(MakeScene(NameOf(kind), input));
      }
    }
    // Enough work for several threads to process images.
    Case input = RandomCase(Kind::kTrained, {9, 30, 30, 3}, 8, 24, 8);
    input.post_nms_top_n = 300;
    result.push_back(MakeScene("many anchors", input));
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

// Anchors with equal scores come in the order of their indices, in both layouts.
TEST_P(GenerateProposalsKernel, EqualScoresAreOrderedByAnchor) {
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

// Distributions for which a sample of the scores is misleading, or all scores fall into one bucket.
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
      add("ascending", [&](int64_t i) { return static_cast<float>(i) / all; });
      add("descending", [&](int64_t i) { return -static_cast<float>(i); });
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
      add("highest first", [&](int64_t i) { return i < 2000 ? 0.5f + 1e-5f * (i % 77) : 0; });
      add("highest last", [&](int64_t i) {
        return all - static_cast<float>(i) < 2000 ? 0.5f + 1e-5f * static_cast<float>(i % 77) : 0;
      });
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2});
}

}  // namespace
}  // namespace detops::generate_proposals_v2
