// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Pairs whose IoU is close to the threshold, and boxes at the limits of float arithmetic: cases
// that must be decided in double.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/test_polygons.h"
#include "ops/poly_nms/test_scenes.h"
#include "suppression/harness.h"

namespace detops::poly_nms {
namespace {

class PolyNmsThreshold : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PolyNmsThreshold);

// Two boxes whose IoU is a ratio of small integers.
struct ExactPair {
  Polygon first, second;
  double iou;
};

const std::vector<ExactPair>& ExactPairs() {
  static const std::vector<ExactPair> pairs = {
      {Upright(0, 0, 1, 1), Upright(0.5f, 0, 1.5f, 1), 1.0 / 3},
      {Upright(0, 0, 1, 1), Upright(0.5f, 0.5f, 1.5f, 1.5f), 1.0 / 7},
      {Upright(0, 0, 1, 1), Upright(0, 0, 2, 1), 0.5},
      {Upright(0, 0, 1, 1), Upright(0.25f, 0, 1.25f, 1), 0.6},
      {Upright(0, 0, 10, 10), Upright(0, 3, 10, 10), 0.7},
      {{0, 0, 2, 0, 2, 2, 0, 2}, {0, 0, 2, 0, 2, 2, 1, 1}, 0.5},
      {{0, 2, 2, 0, 4, 2, 2, 4}, {1, 3, 3, 1, 5, 3, 3, 5}, 1.0 / 3},
      {{0, 2, 2, 0, 4, 2, 2, 4}, {2, 4, 4, 2, 6, 4, 4, 6}, 0},
  };
  return pairs;
}

// Only an IoU above the threshold suppresses. These pairs show rounding errors of the decision.
TEST_P(PolyNmsThreshold, EqualIouIsKept) {
  for (const ExactPair& pair : ExactPairs()) {
    const auto threshold = static_cast<float>(pair.iou);
    for (const float origin : {0.0f, 65536.0f}) {
      // One pair, many pairs that are far apart, and many in the same place.
      for (const int copies : {1, 150}) {
        for (const float step : {0.0f, 100.0f}) {
          Case input;
          for (int i = 0; i < copies; ++i) {
            const float x = origin + step * static_cast<float>(i);
            Append(WithScore(pair.first, 2), 1, x, origin, input.boxes);
            Append(WithScore(pair.second, 1), 1, x, origin, input.boxes);
          }
          const int32_t positions = step == 0 ? 1 : copies;
          input.iou_threshold = threshold;
          const Kept kept = RunOn(1, input);
          ASSERT_EQ(kept.result_num[0], 2 * positions) << pair.iou << ", " << copies << " copies";
          ASSERT_EQ(kept, RunReference(input));
          if (pair.iou > 0) {
            input.iou_threshold = std::nextafter(threshold, 0.0f);
            ASSERT_EQ(RunOn(1, input).result_num[0], positions)
                << pair.iou << ", " << copies << " copies";
          }
        }
      }
    }
  }
}

// The exact area of the first box is 0, so it suppresses nothing. In float it is slightly above 0.
TEST_P(PolyNmsThreshold, BoxesWhoseAreaRoundsToNoise) {
  Case input;
  input.boxes = {1.1f, -2.2f, 4.4f, 0,    0,    -1.1f, 0,    4.4f,  1,  //
                 1.1f, 0,     0,    3.3f, 3.3f, 1.1f,  3.3f, -5.5f, 0};
  input.iou_threshold = 0.1f;
  EXPECT_EQ(RunOn(1, input), RunReference(input));
  EXPECT_EQ(RunOn(1, input).result_num[0], 2);
}

// Products of differences underflow at these sizes.
TEST_P(PolyNmsThreshold, SmallestAndLargestBoxesThatFloatsDecide) {
  Case input;
  input.boxes = {-0x1.2b6908p-30f, -0x1.2b6908p-30f, 0x1.2b6908p-30f,
                 0x1.2b6908p-30f,  0x1.2b59cap-30f,  0x1.2b581ap-30f,
                 -0x1.2b68dep-30f, -0x1.2b68c6p-30f, 1,
                 -0x1.2b6908p-30f, -0x1.2b6908p-30f, 0x1.2b6908p-30f,
                 0x1.2b6908p-30f,  0x1.2b59cap-30f,  0x1.2b581ap-30f,
                 -0x1.2b68f2p-30f, -0x1.2b68c6p-30f, 0};
  input.iou_threshold = 0.975833118f;
  EXPECT_EQ(RunOn(1, input), RunReference(input));
  EXPECT_EQ(RunOn(1, input).result_num[0], 1);
  for (const Kind kind : {Kind::kHeap, Kind::kNormal, Kind::kLattice, Kind::kNearIdentical}) {
    for (const int exponent : {-140, -55, -54, -53, -51, -48, -40, 30, 34, 36, 38, 40, 110}) {
      input.boxes = RandomBoxes(kind, 100, 4);
      for (size_t i = 0; i < input.boxes.size(); ++i) {
        if (i % kBoxFloats != 8) {
          input.boxes[i] = std::ldexp(input.boxes[i], exponent);
        }
      }
      for (const float threshold : {0.0f, 0.1f, 0.6f, 0.9999f}) {
        input.iou_threshold = threshold;
        ASSERT_EQ(RunOn(1, input), RunReference(input)) << NameOf(kind) << " * 2^" << exponent;
      }
    }
  }
}

// A large box and a very thin strip: the rounding error of the reference exceeds the overlap of
// their bounding boxes. Thresholds close to this tiny IoU must still give the reference's result.
TEST_P(PolyNmsThreshold, TinyThresholds) {
  std::mt19937 random(31);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    const double size = std::ldexp(1.0, static_cast<int>(random() % 30));
    const double half_height = std::exp2(uniform(-29, -10));
    const double half_width = size * uniform(0.05, 0.6);
    const double turn = uniform(0, 6.3);
    const double x = uniform(-0.3, 0.3) * size;
    Case input;
    for (int i = 0; i < 4; ++i) {
      const double angle = turn + i * 1.5708;
      input.boxes.push_back(static_cast<float>(size * std::cos(angle) * uniform(0.8, 1.2)));
      input.boxes.push_back(static_cast<float>(size * std::sin(angle) * uniform(0.8, 1.2)));
    }
    input.boxes.push_back(1);
    for (const double value : {x - half_width, -half_height, x + half_width, -half_height,
                               x + half_width, half_height, x - half_width, half_height, 0.0}) {
      input.boxes.push_back(static_cast<float>(value));
    }
    const auto iou =
        static_cast<float>(ReferencePolygonIou(input.boxes.data(), input.boxes.data() + 9));
    for (const float threshold : {std::nextafter(iou, 0.0f), iou, iou / 2}) {
      input.iou_threshold = threshold;
      ASSERT_EQ(RunOn(1, input), RunReference(input)) << input.ToString();
    }
  }
}

// Most boxes have a size that is far from 1, so that the kernels scale them, but others do not.
TEST_P(PolyNmsThreshold, ScaledAndOtherBoxes) {
  for (const Kind kind : {Kind::kHeap, Kind::kNormal, Kind::kSharing, Kind::kNearIdentical}) {
    for (const int exponent : {-144, -100, -48, 40, 80, 115}) {
      Case input;
      input.boxes = RandomBoxes(kind, 300, 5);
      for (size_t i = 0; i < input.boxes.size(); ++i) {
        const size_t box = i / kBoxFloats;
        if (i % kBoxFloats != 8 && box % 7 != 6) {
          input.boxes[i] = std::ldexp(input.boxes[i], box % 7 == 5 ? exponent / 2 : exponent);
        }
      }
      for (const float threshold : {0.0f, 0.3f, 0.9999f, 0x1.fffffep-1f}) {
        input.iou_threshold = threshold;
        ASSERT_EQ(RunOn(1, input), RunReference(input)) << NameOf(kind) << " * 2^" << exponent;
      }
    }
  }
}

// Float arithmetic cannot decide these pairs.
TEST_P(PolyNmsThreshold, ThresholdsThatEqualTheIouOfAPair) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (uint32_t seed = 0; seed < 400; ++seed) {
        const std::vector<float> boxes = RandomBoxes(kind, 8, seed);
        const auto iou =
            static_cast<float>(ReferencePolygonIou(boxes.data(), boxes.data() + kBoxFloats));
        if (iou > 0 && iou < 1) {
          for (const float threshold :
               {std::nextafter(iou, 0.0f), iou, std::nextafter(iou, 1.0f)}) {
            result.push_back(MakeScene(NameOf(kind), boxes, threshold));
          }
        }
      }
    }
    return result;
  }();
  ASSERT_GT(scenes.size(), 3000u);
  ExpectScenes(scenes, {1});
}

}  // namespace
}  // namespace detops::poly_nms
