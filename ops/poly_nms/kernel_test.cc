// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The boxes that each target keeps are those of the reference, for all kinds of boxes and all
// options.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/test_polygons.h"
#include "ops/poly_nms/test_scenes.h"
#include "suppression/harness.h"

namespace detops::poly_nms {
namespace {

class PolyNmsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PolyNmsKernel);
constexpr float kThresholds[] = {0.0f, 0.05f, 0.1f, 0.3f, 0.5f, 0.7f, 0.99f, 1.0f};

TEST_P(PolyNmsKernel, KeepsWhatTheReferenceKeeps) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const int64_t count : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 70, 159, 160, 161, 300}) {
        for (const float threshold : kThresholds) {
          result.push_back(MakeScene(
              NameOf(kind), RandomBoxes(kind, count, static_cast<uint32_t>(count)), threshold));
        }
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1});
}

// Most scenes are searched for pairs all at once; heaps are processed in blocks. The threshold of
// 0.999 keeps the whole heap, which fills the largest block.
TEST_P(PolyNmsKernel, ResultDoesNotDependOnThreads) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const Kind kind : kAllKinds) {
      for (const float threshold : {0.05f, 0.5f}) {
        result.push_back(MakeScene(NameOf(kind), RandomBoxes(kind, 700, 7), threshold));
      }
    }
    result.push_back(MakeScene("many aerial", RandomBoxes(Kind::kAerial, 8000, 8), 0.1f));
    result.push_back(MakeScene("many heaped", RandomBoxes(Kind::kHeap, 2100, 9), 0.999f));
    result.push_back(MakeScene("many crossing", RandomBoxes(Kind::kNormal, 2600, 10), 0.3f));
    return result;
  }();
  ExpectScenes(scenes, {1, 2, 7});
}

// Returns heaps that are far apart, sizes of 1e-3 to 1e4, and coordinates of 1e6 and 1e30.
std::vector<float> MixedScene(int64_t heap_size) {
  std::vector<float> scene;
  for (uint32_t heap = 0; heap < 5; ++heap) {
    Append(RandomBoxes(Kind::kHeap, heap_size, heap), 1, 1e5f * static_cast<float>(heap),
           -3e4f * static_cast<float>(heap), scene);
  }
  Append(RandomBoxes(Kind::kSizes, 150, 1), 1, 0, 0, scene);
  Append(RandomBoxes(Kind::kAerial, 150, 2), 1, 1e6f, 1e6f, scene);
  Append(RandomBoxes(Kind::kAerial, 100, 3), 4e27f, 0, 0, scene);
  Append(RandomBoxes(Kind::kExtremes, 50, 4), 1, 0, 0, scene);
  return scene;
}

TEST_P(PolyNmsKernel, MixedScalesAndPositions) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    for (const float threshold : {0.0f, 0.1f, 0.5f, 0.9f}) {
      result.push_back(MakeScene("small heaps", MixedScene(5), threshold));
      result.push_back(MakeScene("large heaps", MixedScene(120), threshold));
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 7});
}

// Reverses boxes so that box i runs clockwise if clockwise(i).
std::vector<float> WithOrientation(std::vector<float> boxes,
                                   const std::function<bool(size_t)>& clockwise) {
  for (size_t i = 0; i < boxes.size() / kBoxFloats; ++i) {
    float* const box = &boxes[i * kBoxFloats];
    const Corners corners = CornersAround({box[0], box[1]}, box);
    if ((SignedArea(corners.data(), 4) < 0) != clockwise(i)) {
      std::swap(box[2], box[6]);
      std::swap(box[3], box[7]);
    }
  }
  return boxes;
}

TEST_P(PolyNmsKernel, OrientationDoesNotMatter) {
  for (const Kind kind : {Kind::kAerial, Kind::kConcave, Kind::kHeap}) {
    for (const int64_t count : {100, 400}) {
      const std::vector<float> boxes = RandomBoxes(kind, count, 11);
      Case input;
      input.iou_threshold = 0.1f;
      input.boxes = WithOrientation(boxes, [](size_t) { return true; });
      const Kept clockwise = RunOn(1, input);
      ASSERT_LT(clockwise.result_num[0], count) << "nothing was suppressed";
      ASSERT_EQ(clockwise, RunReference(input)) << NameOf(kind);
      input.boxes = WithOrientation(boxes, [](size_t) { return false; });
      ASSERT_EQ(RunOn(1, input), clockwise) << NameOf(kind);
      input.boxes = WithOrientation(boxes, [](size_t i) { return i % 3 == 0; });
      ASSERT_EQ(RunOn(1, input), clockwise) << NameOf(kind);
    }
  }
}

std::vector<int32_t> MakeGroups(int64_t count, const std::function<int32_t(int64_t)>& group) {
  std::vector<int32_t> groups;
  for (int64_t i = 0; i < count; ++i) {
    groups.push_back(group(i));
  }
  return groups;
}

TEST_P(PolyNmsKernel, GroupsDoNotSuppressEachOther) {
  static const std::vector<Scene> scenes = [] {
    constexpr int32_t kIds[] = {-5, 0, 7, INT32_MIN, INT32_MAX, -1};
    constexpr int64_t kCount = 700;
    const std::pair<const char*, std::vector<int32_t>> groupings[] = {
        {"few groups", MakeGroups(kCount, [&](int64_t i) { return kIds[i * i % 13 % 6]; })},
        {"one box each", MakeGroups(kCount, [](int64_t i) { return static_cast<int32_t>(-i); })},
        {"a large one and small ones",
         MakeGroups(kCount,
                    [](int64_t i) { return i % 3 != 0 ? 0 : static_cast<int32_t>(i % 60); })},
        {"small ones", MakeGroups(kCount, [](int64_t i) { return static_cast<int32_t>(i / 9); })}};
    std::vector<Scene> result;
    for (const Kind kind : {Kind::kAerial, Kind::kHeap, Kind::kNormal, Kind::kExtremes}) {
      for (const auto& [name, groups] : groupings) {
        Case input;
        input.boxes = RandomBoxes(kind, kCount, 13);
        input.groups = groups;
        input.iou_threshold = 0.2f;
        result.push_back(MakeScene(std::string(NameOf(kind)) + ", " + name, input));
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2, 7});
}

TEST_P(PolyNmsKernel, OptionsCombine) {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> result;
    constexpr int64_t kCount = 180;
    const std::vector<int32_t> no_images;
    for (const Kind kind : {Kind::kAerial, Kind::kExtremes}) {
      Case input;
      input.boxes = RandomBoxes(kind, kCount, 14);
      input.iou_threshold = 0.1f;
      for (const float score : {kNaN, -kInfinity, 0.25f, 0.999f, kInfinity}) {
        input.has_score_threshold = !std::isnan(score);
        input.score_threshold = score;
        for (const int64_t max_outputs : {0, 1, 10, 1000}) {
          input.max_outputs = max_outputs;
          for (const bool sorted : {false, true}) {
            input.sort_by_score = sorted;
            for (const std::vector<int32_t>& images :
                 {no_images, {0, kCount, 0}, {50, 0, 1, 129}}) {
              input.image_counts = images;
              input.groups = max_outputs % 2 == 0
                                 ? std::vector<int32_t>()
                                 : MakeGroups(kCount, [](int64_t i) { return i % 2 - 1; });
              result.push_back(MakeScene(NameOf(kind), input));
            }
          }
        }
      }
    }
    return result;
  }();
  ExpectScenes(scenes, {1, 2});
}

}  // namespace
}  // namespace detops::poly_nms
