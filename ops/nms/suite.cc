// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The sizes that nms is accepted and timed with.

#include "cli/suite.h"

#include <fmt/format.h>

#include <limits>

#include "cli/operator_parts.h"
#include "ops/nms/cases.h"
#include "ops/nms/op.h"

namespace detops::nms {
namespace {

using cli::CaseKind;
using cli::RecipeList;

struct Variant {
  Kind kind = Kind::kScene;
  float iou_threshold = 0.5f;
  int offset = 0;
  bool sort_by_score = true;
  int max_outputs = 0;
};

cli::Case Sized(int64_t count, const Variant& variant) {
  cli::Case made = cli::MakeCase(
      CommandAdapter(), "",
      cli::TensorList(cli::TensorOf(MLUOP_DTYPE_FLOAT, {count, kBoxFloats},
                                    RandomBoxes(variant.kind, count, 1)),
                      cli::RandomTensor(MLUOP_DTYPE_FLOAT, {count}, cli::UniformData(2, 0, 1))));
  cli::SetParameters(CommandAdapter(), made,
                     {{"iou_threshold", variant.iou_threshold},
                      {"offset", variant.offset},
                      {"sort_by_score", variant.sort_by_score ? 1 : 0},
                      {"max_outputs", variant.max_outputs}});
  return made;
}

struct Example {
  const char* name;
  float iou_threshold;
  std::vector<float> boxes;
  std::vector<float> scores;
  std::vector<float> kept;
};

void AddExamples(RecipeList& suite) {
  static const std::vector<Example> examples = {
      {.name = "heap_and_one_apart",
       .iou_threshold = 0.5f,
       .boxes = {0, 0, 10, 10, 1, 1, 11, 11, 20, 20, 30, 30},
       .scores = {0.5f, 0.9f, 0.7f},
       .kept = {1, 2}},
      // The comparison is in float, where 0.7 does not exceed 0.7.
      {.name = "overlap_of_the_threshold",
       .iou_threshold = 0.7f,
       .boxes = {0, 0, 10, 10, 0, 0, 10, 7},
       .scores = {1, 2},
       .kept = {1, 0}},
      {.name = "empty", .iou_threshold = 0.5f, .boxes = {}, .scores = {}, .kept = {}},
  };
  for (const Example& example : examples) {
    suite.Add(example.name, CaseKind::kExample, [&example] {
      const auto count = static_cast<int64_t>(example.scores.size());
      cli::Case made = cli::MakeCase(
          CommandAdapter(), "",
          cli::TensorList(cli::TensorOf(MLUOP_DTYPE_FLOAT, {count, kBoxFloats}, example.boxes),
                          cli::TensorOf(MLUOP_DTYPE_FLOAT, {count}, example.scores)));
      cli::SetParameter(CommandAdapter(), made, "iou_threshold",
                        static_cast<double>(example.iou_threshold));
      cli::SetExpected(CommandAdapter(), made,
                       {example.kept, {static_cast<float>(example.kept.size())}}, -1);
      return made;
    });
  }
}

void AddSize(RecipeList& suite, CaseKind case_kind, Kind kind, int64_t count) {
  suite.Add(fmt::format("{}_{}", NameOf(kind), count), case_kind,
            [=] { return Sized(count, {.kind = kind}); });
}

// Counts around the widths of vectors, and some larger ones.
void AddSizes(RecipeList& suite) {
  for (const int64_t count : {1, 2, 7, 8, 9, 16, 33, 100, 257, 1000, 5000}) {
    for (const Kind kind : {Kind::kScene, Kind::kImage}) {
      AddSize(suite, CaseKind::kRandom, kind, count);
    }
  }
}

void AddVariants(RecipeList& suite) {
  for (const Kind kind : kAllKinds) {
    const Variant variants[] = {
        {.kind = kind, .iou_threshold = 0},
        {.kind = kind, .iou_threshold = 0.3f, .offset = 1},
        {.kind = kind, .iou_threshold = 0.7f, .sort_by_score = false},
        {.kind = kind, .max_outputs = 10},
        {.kind = kind, .iou_threshold = 1, .max_outputs = -1},
    };
    for (const Variant& variant : variants) {
      suite.Add(
          fmt::format(
              "{}_300_threshold_{:g}_offset_{}_{}_{}", NameOf(kind), variant.iou_threshold,
              variant.offset, variant.sort_by_score ? "by_score" : "by_index",
              variant.max_outputs > 0 ? fmt::format("at_most_{}", variant.max_outputs) : "all"),
          CaseKind::kRandom, [=] { return Sized(300, variant); });
    }
  }
}

void AddNegatives(RecipeList& suite) {
  using cli::WrongParameter;
  using cli::WrongShape;
  using cli::WrongType;
  const auto valid = [] { return Sized(5, {}); };
  suite.AddNegatives(
      {{"threshold_negative", WrongParameter("iou_threshold", -0.1)},
       {"threshold_nan", WrongParameter("iou_threshold", std::numeric_limits<double>::quiet_NaN())},
       {"offset", WrongParameter("offset", 2)},
       {"boxes_half", WrongType("boxes", MLUOP_DTYPE_HALF)},
       {"boxes_rank_1", WrongShape("boxes", {20})},
       {"five_coordinates", WrongShape("boxes", {5, 5})},
       {"scores_int32", WrongType("scores", MLUOP_DTYPE_INT32)},
       {"scores_rank_2", WrongShape("scores", {5, 1})},
       {"four_scores", WrongShape("scores", {4})},
       {"output_float", WrongType("output", MLUOP_DTYPE_FLOAT)},
       {"output_short", WrongShape("output", {4})},
       {"two_result_nums", WrongShape("result_num", {2})}},
      MLUOP_STATUS_BAD_PARAM, valid);
  constexpr int64_t kTooMany = int64_t{1} << 31;
  suite.AddNegatives({{"strided", cli::Strided("boxes", {8, 1})},
                      {"too_many_elements",
                       cli::TooLarge({{"boxes", {kTooMany, kBoxFloats}}, {"scores", {kTooMany}}})}},
                     MLUOP_STATUS_NOT_SUPPORTED, valid);
}

}  // namespace

void AcceptanceSuite(RecipeList& suite) {
  AddExamples(suite);
  AddSizes(suite);
  AddVariants(suite);
  AddNegatives(suite);
}

void Benchmarks(RecipeList& benchmarks) {
  for (const int64_t count : {100, 1000, 10'000}) {
    for (const Kind kind : {Kind::kImage, Kind::kScene}) {
      AddSize(benchmarks, CaseKind::kNetwork, kind, count);
    }
  }
}

}  // namespace detops::nms
