// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares the operator with the reference on every target, for boxes that are difficult to
// search or to decide.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/random_floats.h"
#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/test_scenes.h"
#include "ops/nms/op.h"

namespace detops::generate_proposals_v2 {
namespace {

class GenerateProposalsSuppression : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsSuppression);

// Boxes at all places, in images that cut them off, are large, or have no end.
TEST_P(GenerateProposalsSuppression, BoxesMayLieAnywhereAndHaveAnySize) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Place place : kAllPlaces) {
      for (const float threshold : {1e-30f, 0.01f, 0.3f, 0.7f, 0.99f, 0.999999f}) {
        for (const float side : {2000.0f, 1e6f, kInfinity}) {
          Random random(10);
          // More than are visited one by one, or fewer.
          const size_t count = side == 2000 ? 1100 : 700;
          Case input =
              CaseOfBoxes(PlacedBoxes(place, count, 0.3f, 11), RandomScores(random, count));
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

// The first blocks of boxes, over which the cells are laid, differ from all later ones.
TEST_P(GenerateProposalsSuppression, TheFirstBoxesNeedNotBeLikeTheOthers) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Place first : kAllPlaces) {
      for (const Place others : kAllPlaces) {
        std::vector<float> boxes = PlacedBoxes(first, 80, 0.3f, 12);
        const std::vector<float> more = PlacedBoxes(others, 1000, 0.3f, 13);
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

// The kept boxes are entered into so many cells that the finer levels run out of memory.
TEST_P(GenerateProposalsSuppression, ManyKeptBoxesMayOverlap) {
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

// Returns the IoU of two of the boxes that `input` decodes to: of two that were made from the same
// box or, if `any_pair` is set, of any two. Returns 0 if they are the same box.
float IouOfSomePair(Case input, bool any_pair, Random& random) {
  input.nms_thresh = 1;
  const Proposals all = RunReference(input);
  const auto total = static_cast<size_t>(all.total);
  const auto one = static_cast<size_t>(random()) % total;
  auto other = static_cast<size_t>(random()) % total;
  for (size_t i = 0; i < total && !any_pair; ++i) {
    if (i != one && all.anchor_indices[i] / 4 == all.anchor_indices[one] / 4) {
      other = i;
    }
  }
  return one == other ? 0
                      : static_cast<float>(nms::ReferenceIou(
                            &all.rois[one * 4], &all.rois[other * 4], input.pixel_offset));
}

// Thresholds that equal the IoU of a pair, and the floats next to it. The error bound of the float
// computation must not decide these.
TEST_P(GenerateProposalsSuppression, ThresholdsThatEqualAnIouAreDecidedExactly) {
  struct ExactScenes {
    std::vector<Scene> scenes;
    int decisive = 0;  // number of pairs for which the next smaller threshold changes the result
  };
  static const ExactScenes exact = [] {
    ExactScenes result;
    Random random(16);
    for (const Place place : kAllPlaces) {
      for (int round = 0; round < 44; ++round) {
        // In the last rounds, the candidates are visited in blocks.
        const size_t count = round < 40 ? 150 : 1100;
        const std::vector<float> boxes = PlacedBoxes(place, count, 0.2f, random());
        Case input = CaseOfBoxes(boxes, RandomScores(random, count));
        input.post_nms_top_n = static_cast<int>(count);
        input.pixel_offset = place != Place::kFarther && round % 2 == 1;
        const float iou = IouOfSomePair(input, round % 4 == 0, random);
        if (!(iou > 0 && iou < 1)) {
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
  EXPECT_GT(exact.decisive, 50);
  ExpectScenes(exact.scenes, {1});
}

TEST_P(GenerateProposalsSuppression, KeepsBoxesWhoseIouEqualsTheThreshold) {
  // The second box of each pair covers 7/10 of the first. Pairs lie far apart. Both boxes of a pair
  // are in one block, or in two.
  for (const int pairs : {1, 30, 200, 600}) {
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
    input.post_nms_top_n = 2 * pairs;
    input.nms_thresh = 0.7f;
    EXPECT_EQ(RunOn(1, input).total, 2 * pairs);
    input.nms_thresh = std::nextafter(0.7f, 0.0f);
    EXPECT_EQ(RunOn(1, input).total, pairs);
  }
}

}  // namespace
}  // namespace detops::generate_proposals_v2
