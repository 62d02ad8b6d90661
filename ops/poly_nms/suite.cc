// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The sizes that poly_nms is accepted and timed with.

#include "cli/suite.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "cli/operator_parts.h"
#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/op.h"

namespace detops::poly_nms {
namespace {

using cli::CaseKind;
using cli::RecipeList;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

cli::Case CaseOf(cli::Tensor boxes, float threshold) {
  cli::Case made = cli::MakeCase(CommandAdapter(), "", cli::TensorList(std::move(boxes)));
  cli::SetParameter(CommandAdapter(), made, "iou_threshold", static_cast<double>(threshold));
  return made;
}

cli::Case CaseOf(const std::vector<float>& boxes, float threshold) {
  const auto count = static_cast<int64_t>(boxes.size()) / kBoxFloats;
  return CaseOf(cli::TensorOf(MLUOP_DTYPE_FLOAT, {count, kBoxFloats}, boxes), threshold);
}

using Row = std::array<float, kBoxFloats>;

struct Example {
  const char* name;
  float iou_threshold;
  std::vector<Row> boxes;
  std::vector<float> kept;

  std::vector<float> Numbers() const {
    std::vector<float> numbers;
    for (const Row& row : boxes) {
      numbers.insert(numbers.end(), row.begin(), row.end());
    }
    return numbers;
  }
};

// The examples of the design document. In the last six, the boxes that meet have an IoU of 0.0526,
// so the threshold must be lower.
const std::vector<Example>& Examples() {
  constexpr Row kBeside = {1.5f, 1.5f, 2.5f, 1.5f, 2.5f, 2.5f, 1.5f, 2.5f, 1};
  constexpr Row kApart = {0, 0, -0.5f, 0, -0.5f, -0.5f, 0, -0.5f, 3};
  constexpr Row kApartLast = {0, 0, -0.5f, 0, -0.5f, -0.5f, 0, -0.5f, 1};
  constexpr Row kUnit = {0, 0, 1, 0, 1, 1, 0, 1, 3};
  constexpr Row kUnitLast = {0, 0, 1, 0, 1, 1, 0, 1, 1};
  constexpr Row kShifted = {0.5f, 0.5f, 1.5f, 0.5f, 1.5f, 1.5f, 0.5f, 1.5f, 2};
  constexpr Row kQuarter = {0, 0, 0.5f, 0, 0.5f, 0.5f, 0, 0.5f, 1};
  static const std::vector<Example> examples = {
      {"one_box", 0.1f, {kUnit}, {0}},
      {"second_and_third", 0.1f, {kUnitLast, kShifted, kApart}, {1, 2}},
      {"first_of_three", 0.1f, {kUnit, kShifted, kQuarter}, {0}},
      {"first_and_third", 0.1f, {kUnit, kShifted, kApartLast}, {0, 2}},
      {"score_infinity", 0.05f, {{0, 0, 2, 0, 2, 2, 0, 2, kInfinity}, kBeside, kApart}, {0, 2}},
      {"score_minus_infinity",
       0.05f,
       {{0, 0, 2, 0, 2, 2, 0, 2, -kInfinity}, kBeside, kApart},
       {1, 2}},
      {"score_nan", 0.05f, {{0, 0, 2, 0, 2, 2, 0, 2, kNaN}, kBeside, kApart}, {0, 2}},
      {"infinite_side",
       0.05f,
       {{kInfinity, 0, 2, 0, 2, 2, kInfinity, 2, 2}, kBeside, kApart},
       {0, 1, 2}},
      {"infinite_corners",
       0.05f,
       {{0, 0, kInfinity, kInfinity, 2, 2, 0, 2, 2},
        {1.5f, 1.5f, kInfinity, kInfinity, 2.5f, 2.5f, 1.5f, 2.5f, 1},
        kApart},
       {0, 1, 2}},
      {"nan_corner", 0.05f, {{0, 0, 2, 0, 2, 2, 0, kNaN, 2}, kBeside, kApart}, {0, 1, 2}},
  };
  return examples;
}

// Returns the same boxes, all with the same orientation. The y axis points down.
std::vector<float> Turned(std::vector<float> boxes, bool clockwise) {
  for (size_t box = 0; box < boxes.size(); box += kBoxFloats) {
    float* const corner = &boxes[box];
    float area = 0;
    for (size_t i = 0; i < 8; i += 2) {
      const size_t next = (i + 2) % 8;
      area += (corner[i] - corner[0]) * (corner[next + 1] - corner[1]) -
              (corner[next] - corner[0]) * (corner[i + 1] - corner[1]);
    }
    if ((area > 0) != clockwise) {
      std::swap(corner[2], corner[6]);
      std::swap(corner[3], corner[7]);
    }
  }
  return boxes;
}

void AddExamples(RecipeList& suite) {
  for (const Example& example : Examples()) {
    suite.Add(fmt::format("document_{}", example.name), CaseKind::kExample, [&example] {
      cli::Case made = CaseOf(example.Numbers(), example.iou_threshold);
      cli::SetExpected(CommandAdapter(), made,
                       {example.kept, {static_cast<float>(example.kept.size())}}, -1);
      return made;
    });
  }
  suite.Add("empty", CaseKind::kExample, [] { return CaseOf(std::vector<float>(), 0.1f); });
}

// Normally distributed numbers, as the design document measures them.
void AddDocumentSizes(RecipeList& suite) {
  for (const int64_t count : {70, 119, 500, 1000, 2000}) {
    for (const float threshold : {0.1f, 0.5f, 1.0f}) {
      suite.Add(fmt::format("network_{}_threshold_{:g}", count, threshold), CaseKind::kNetwork,
                [=] {
                  return CaseOf(
                      cli::RandomTensor(MLUOP_DTYPE_FLOAT, {count, kBoxFloats},
                                        {.distribution = cli::RandomData::Distribution::kGaussian,
                                         .seed = static_cast<int32_t>(count)}),
                      threshold);
                });
    }
  }
}

void AddRandom(RecipeList& suite) {
  for (const int64_t count : {1, 2, 7, 8, 9, 16, 33, 64, 160, 257, 1000, 9770}) {
    suite.Add(fmt::format("aerial_{}", count), CaseKind::kRandom,
              [=] { return CaseOf(RandomBoxes(Kind::kAerial, count, 1), 0.1f); });
  }
  for (const bool clockwise : {true, false}) {
    for (const int64_t count : {70, 500}) {
      suite.Add(
          fmt::format("{}_{}", clockwise ? "clockwise" : "anticlockwise", count), CaseKind::kRandom,
          [=] { return CaseOf(Turned(RandomBoxes(Kind::kAerial, count, 2), clockwise), 0.1f); });
    }
  }
  constexpr std::pair<const char*, Kind> kKinds[] = {{"far_from_origin", Kind::kFar},
                                                     {"convex", Kind::kConvex},
                                                     {"concave", Kind::kConcave},
                                                     {"thin", Kind::kThin},
                                                     {"near_identical", Kind::kNearIdentical},
                                                     {"sharing_edges", Kind::kSharing},
                                                     {"integers", Kind::kIntegers},
                                                     {"sizes", Kind::kSizes},
                                                     {"heap", Kind::kHeap},
                                                     {"extremes", Kind::kExtremes}};
  for (const auto& [name, kind] : kKinds) {
    for (const float threshold : {0.0f, 0.3f, 0.7f}) {
      suite.Add(fmt::format("{}_300_threshold_{:g}", name, threshold), CaseKind::kRandom,
                [kind = kind, threshold] { return CaseOf(RandomBoxes(kind, 300, 3), threshold); });
    }
  }
}

void AddNegatives(RecipeList& suite) {
  using cli::WrongParameter;
  using cli::WrongShape;
  using cli::WrongType;
  const auto valid = [] { return CaseOf(RandomBoxes(Kind::kAerial, 5, 1), 0.1f); };
  suite.AddNegatives({{"threshold_negative", WrongParameter("iou_threshold", double{-0.1f})},
                      {"threshold_nan", WrongParameter("iou_threshold", double{kNaN})},
                      {"half", WrongType("boxes", MLUOP_DTYPE_HALF)},
                      {"int32", WrongType("boxes", MLUOP_DTYPE_INT32)},
                      {"rank_1", WrongShape("boxes", {45})},
                      {"rank_3", WrongShape("boxes", {1, 5, 9})},
                      {"eight_numbers", WrongShape("boxes", {5, 8})},
                      {"ten_numbers", WrongShape("boxes", {5, 10})},
                      {"no_numbers", WrongShape("boxes", {5, 0})},
                      {"output_float", WrongType("output", MLUOP_DTYPE_FLOAT)},
                      {"output_rank_2", WrongShape("output", {5, 1})},
                      {"output_short", WrongShape("output", {4})}},
                     MLUOP_STATUS_BAD_PARAM, valid);
  suite.AddNegatives(
      {{"strided", cli::Strided("boxes", {18, 1})},
       {"too_many_elements", cli::TooLarge({{"boxes", {int64_t{1} << 31, kBoxFloats}}})}},
      MLUOP_STATUS_NOT_SUPPORTED, valid);
}

}  // namespace

void AcceptanceSuite(RecipeList& suite) {
  AddExamples(suite);
  AddDocumentSizes(suite);
  AddRandom(suite);
  AddNegatives(suite);
}

void Benchmarks(RecipeList& benchmarks) {
  const auto add = [&](Kind kind, int64_t count, float threshold) {
    benchmarks.Add(fmt::format("{}_{}_{:g}", NameOf(kind), count, threshold), CaseKind::kNetwork,
                   [=] { return CaseOf(RandomBoxes(kind, count, 1), threshold); });
  };
  for (const int64_t count : {70, 119, 500, 1000, 2000}) {
    add(Kind::kNormal, count, 1.0f);
    add(Kind::kNormal, count, 0.99f);
    if (count == 70 || count == 500 || count == 2000) {
      add(Kind::kAerial, count, 0.1f);
    }
  }
  add(Kind::kNormal, 2000, 0.5f);
  add(Kind::kAerial, 9770, 0.1f);
}

}  // namespace detops::poly_nms
