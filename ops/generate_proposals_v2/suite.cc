// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The sizes that generate_proposals_v2 is accepted and timed with.

#include "cli/suite.h"

#include <fmt/format.h>

#include <limits>

#include "cli/operator_parts.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {
namespace {

using cli::CaseKind;
using cli::RecipeList;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;

// What a case has besides its shape.
struct Variant {
  int pre_nms_top_n = 6000;
  int post_nms_top_n = 1000;
  float nms_thresh = 0.5f;
  float min_size = 0.1f;
  bool pixel_offset = false;
  double variance = 1;
};

// Sets the parameters of a Variant or of a Case.
template <class Settings>
void SetParametersOf(const Settings& settings, cli::Case& made) {
  cli::SetParameters(CommandAdapter(), made,
                     {{"pre_nms_top_n", settings.pre_nms_top_n},
                      {"post_nms_top_n", settings.post_nms_top_n},
                      {"nms_thresh", settings.nms_thresh},
                      {"min_size", settings.min_size},
                      {"pixel_offset", settings.pixel_offset ? 1 : 0}});
}

// Returns the input of a network. The smallest anchors have `size` strides.
Case NetworkCase(Kind kind, const Shape& shape, float size, uint32_t seed) {
  const float stride = StrideOf(shape.height);
  return RandomCase(kind, shape, stride, size * stride, seed);
}

// Returns a call on these numbers.
cli::Case CaseOf(const Case& input) {
  const int64_t n = input.images;
  const int64_t h = input.height;
  const int64_t w = input.width;
  const int64_t a = input.anchors_per_position;
  constexpr mluOpDataType_t kFloat = MLUOP_DTYPE_FLOAT;
  cli::Case made =
      cli::MakeCase(CommandAdapter(), "",
                    cli::TensorList(cli::TensorOf(kFloat, {n, h, w, a}, input.scores),
                                    cli::TensorOf(kFloat, {n, h, w, kBoxFloats * a}, input.deltas),
                                    cli::TensorOf(kFloat, {h, w, a, kBoxFloats}, input.anchors),
                                    cli::TensorOf(kFloat, {h, w, a, kBoxFloats}, input.variances),
                                    cli::TensorOf(kFloat, {n, 2}, input.im_shape)));
  SetParametersOf(input, made);
  return made;
}

cli::Tensor Drawn(cli::Dims dims, const cli::RandomData& random) {
  return cli::RandomTensor(MLUOP_DTYPE_FLOAT, std::move(dims), random);
}

// Returns a call whose scores, deltas and variances are drawn when it runs, so that its file is
// small.
cli::Case Sized(const Shape& shape, const Variant& variant) {
  const auto& [n, h, w, a] = shape;
  const cli::RandomData deltas{
      .distribution = cli::RandomData::Distribution::kGaussian, .seed = 2, .sigma = 0.2};
  cli::Case made = cli::MakeCase(
      CommandAdapter(), "",
      cli::TensorList(
          Drawn({n, h, w, a}, cli::UniformData(1, 0, 1)), Drawn({n, h, w, kBoxFloats * a}, deltas),
          cli::MakeTensor(MLUOP_DTYPE_FLOAT, {h, w, a, kBoxFloats}),
          Drawn({h, w, a, kBoxFloats}, cli::UniformData(3, variant.variance, variant.variance)),
          cli::MakeTensor(MLUOP_DTYPE_FLOAT, {n, 2})));
  CommandAdapter().Fill(made, 2, 4);
  CommandAdapter().Fill(made, 4, 5);
  SetParametersOf(variant, made);
  return made;
}

std::string NameOf(const char* prefix, const Shape& shape) {
  return fmt::format("{}_{}x{}x{}x{}", prefix, shape.images, shape.height, shape.width,
                     shape.anchors_per_position);
}

void AddSized(RecipeList& suite, const std::string& name, CaseKind kind, const Shape& shape,
              const Variant& variant) {
  suite.Add(name, kind, [=] { return Sized(shape, variant); });
}

void AddExamples(RecipeList& suite) {
  suite.Add("document_nan", CaseKind::kExample, [] {
    cli::Case made = CaseOf({.images = 2,
                             .height = 1,
                             .width = 2,
                             .anchors_per_position = 1,
                             .scores = {0.2f, kNaN, 0.5f, -kInfinity},
                             .deltas = {0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2},
                             .im_shape = {5, 5, 5, 5},
                             .anchors = {1, 1, 3, 3, 1, 1, 3, 3},
                             .variances = {1, 1, 3, 3, 1, 1, 3, 3},
                             .pre_nms_top_n = 2000});
    const std::vector<float> rois{0, 0, 5, 5, 0, 0, 5, 5};
    const std::vector<float> probabilities{kNaN, 0.5f};
    cli::SetExpected(CommandAdapter(), made, {rois, probabilities, {1, 1}, {2}});
    return made;
  });
  // All values are random, in images that are smaller than most proposals.
  suite.Add("document_small_images", CaseKind::kExample, [] {
    cli::Case made = Sized({2, 54, 40, 15}, {.pre_nms_top_n = 2000, .min_size = 0});
    made.inputs[1].random = cli::UniformData(2, 0, 1);
    made.inputs[2] = Drawn({54, 40, 15, 4}, cli::UniformData(4, 0, 1));
    made.inputs[3].random = cli::UniformData(3, 0, 1);
    made.inputs[4] = cli::TensorOf(MLUOP_DTYPE_FLOAT, {2, 2}, {10, 10, 5, 5});
    return made;
  });
}

void AddShapes(RecipeList& suite) {
  for (const Shape& shape : NetworkShapes()) {
    AddSized(suite, NameOf("network", shape), CaseKind::kNetwork, shape,
             {.pre_nms_top_n = 12000, .post_nms_top_n = 2000});
  }
  constexpr Shape kShapes[] = {{1, 1, 1, 1},   {3, 1, 1, 1},    {1, 1, 64, 9},   {1, 65, 1, 2},
                               {2, 7, 5, 3},   {2, 54, 40, 15}, {4, 16, 16, 12}, {5, 33, 17, 1},
                               {8, 25, 34, 3}, {9, 10, 14, 3},  {16, 11, 11, 3}, {1, 31, 33, 100}};
  for (const Shape& shape : kShapes) {
    AddSized(suite, NameOf("random", shape), CaseKind::kRandom, shape, {});
  }
  for (const Kind kind : kAllKinds) {
    suite.Add(fmt::format("{}_3x25x34x3", NameOf(kind)), CaseKind::kRandom, [=] {
      return CaseOf(NetworkCase(kind, {3, 25, 34, 3}, 8, 1));
    });
  }
}

// Parameters, on two maps of 612 anchors.
void AddVariants(RecipeList& suite) {
  const std::pair<const char*, Variant> variants[] = {
      {"pre_all", {.pre_nms_top_n = 0}},
      {"pre_negative", {.pre_nms_top_n = -1}},
      {"pre_1", {.pre_nms_top_n = 1}},
      {"pre_as_many_as_there_are", {.pre_nms_top_n = 612}},
      {"pre_one_less", {.pre_nms_top_n = 611}},
      {"post_1", {.post_nms_top_n = 1}},
      {"post_7", {.post_nms_top_n = 7}},
      {"thresh_0.01", {.nms_thresh = 0.01f}},
      {"thresh_0.7", {.nms_thresh = 0.7f}},
      {"thresh_1", {.nms_thresh = 1}},
      {"min_size_300", {.min_size = 300}},
      {"nothing_large_enough", {.min_size = 1e6f}},
      {"pixel_offset", {.pixel_offset = true}},
      {"variance_0.1", {.variance = 0.1}}};
  for (const auto& [name, variant] : variants) {
    AddSized(suite, fmt::format("parameters_{}", name), CaseKind::kRandom, {2, 12, 17, 3}, variant);
  }
}

void AddEmpty(RecipeList& suite) {
  AddSized(suite, "no_images", CaseKind::kExample, {0, 3, 4, 3}, {});
  constexpr Shape kShapes[] = {{1, 0, 4, 3}, {1, 3, 0, 3}, {1, 3, 4, 0}, {1, 0, 0, 0},
                               {0, 0, 4, 3}, {0, 3, 0, 3}, {0, 3, 4, 0}};
  for (const Shape& shape : kShapes) {
    suite.AddNegative({NameOf("empty", shape), {}}, kBad, [=] { return Sized(shape, {}); });
  }
}

cli::Case ValidCall() { return Sized({2, 3, 4, 5}, {.post_nms_top_n = 10}); }

void AddNegativeParameters(RecipeList& suite) {
  using cli::WrongParameter;
  constexpr double kNot = std::numeric_limits<double>::quiet_NaN();
  suite.AddNegatives({{"post_0", WrongParameter("post_nms_top_n", 0)},
                      {"post_minus_1", WrongParameter("post_nms_top_n", -1)},
                      {"thresh_0", WrongParameter("nms_thresh", 0)},
                      {"thresh_negative", WrongParameter("nms_thresh", -0.5)},
                      {"thresh_nan", WrongParameter("nms_thresh", kNot)},
                      {"min_size_nan", WrongParameter("min_size", kNot)},
                      {"eta_below_1", WrongParameter("eta", double{0.9f})},
                      {"eta_nan", WrongParameter("eta", kNot)}},
                     kBad, ValidCall);
}

void AddNegativeInputs(RecipeList& suite) {
  using cli::WrongShape;
  using cli::WrongType;
  suite.AddNegatives({{"scores_half", WrongType("scores", MLUOP_DTYPE_HALF)},
                      {"scores_rank_3", WrongShape("scores", {2, 3, 20})},
                      {"deltas_half", WrongType("bbox_deltas", MLUOP_DTYPE_HALF)},
                      {"deltas_rank_5", WrongShape("bbox_deltas", {2, 3, 4, 5, 4})},
                      {"deltas_of_another_map", WrongShape("bbox_deltas", {2, 4, 3, 20})},
                      {"deltas_of_fewer_anchors", WrongShape("bbox_deltas", {2, 3, 4, 16})},
                      {"deltas_of_one_image", WrongShape("bbox_deltas", {1, 3, 4, 20})},
                      {"anchors_half", WrongType("anchors", MLUOP_DTYPE_HALF)},
                      {"anchors_rank_2", WrongShape("anchors", {60, 4})},
                      {"anchors_of_five_numbers", WrongShape("anchors", {3, 4, 5, 5})},
                      {"anchors_of_another_map", WrongShape("anchors", {4, 3, 5, 4})},
                      {"variances_int32", WrongType("variances", MLUOP_DTYPE_INT32)},
                      {"variances_rank_1", WrongShape("variances", {4})},
                      {"variances_of_another_map", WrongShape("variances", {3, 4, 4, 4})},
                      {"im_shape_int32", WrongType("im_shape", MLUOP_DTYPE_INT32)},
                      {"im_shape_rank_1", WrongShape("im_shape", {2})},
                      {"im_shape_of_three_numbers", WrongShape("im_shape", {2, 3})},
                      {"im_shape_of_one_image", WrongShape("im_shape", {1, 2})}},
                     kBad, ValidCall);
}

void AddNegativeOutputs(RecipeList& suite) {
  using cli::WrongShape;
  using cli::WrongType;
  suite.AddNegatives({{"rois_half", WrongType("rpn_rois", MLUOP_DTYPE_HALF)},
                      {"rois_short", WrongShape("rpn_rois", {19, 4})},
                      {"rois_rank_3", WrongShape("rpn_rois", {2, 10, 4})},
                      {"probabilities_half", WrongType("rpn_roi_probs", MLUOP_DTYPE_HALF)},
                      {"probabilities_rank_1", WrongShape("rpn_roi_probs", {20})},
                      {"probabilities_long", WrongShape("rpn_roi_probs", {21, 1})},
                      {"counts_float", WrongType("rpn_rois_num", MLUOP_DTYPE_FLOAT)},
                      {"counts_of_three_images", WrongShape("rpn_rois_num", {3})}},
                     kBad, ValidCall);
}

void AddNotSupported(RecipeList& suite) {
  using cli::Strided;
  constexpr int64_t kThousand = 1 << 10;
  suite.AddNegatives(
      {{"scores_strided", Strided("scores", {60, 20, 5, 2})},
       {"deltas_strided", Strided("bbox_deltas", {480, 80, 20, 1})},
       {"anchors_strided", Strided("anchors", {80, 20, 4, 2})},
       {"variances_strided", Strided("variances", {120, 20, 4, 1})},
       {"im_shape_strided", Strided("im_shape", {4, 1})},
       {"too_many_elements",
        cli::TooLarge({{"scores", {2, kThousand, kThousand, kThousand}},
                       {"bbox_deltas", {2, kThousand, kThousand, kBoxFloats * kThousand}},
                       {"anchors", {kThousand, kThousand, kThousand, kBoxFloats}},
                       {"variances", {kThousand, kThousand, kThousand, kBoxFloats}}})}},
      MLUOP_STATUS_NOT_SUPPORTED, ValidCall);
}

struct Setting {
  const char* name;
  Shape shape;
  float anchor_size;  // in strides; yields as many proposals as trained networks do
  int post_nms_top_n = 2000;
  int pre_nms_top_n = 12000;
};

}  // namespace

void AcceptanceSuite(RecipeList& suite) {
  AddExamples(suite);
  AddShapes(suite);
  AddVariants(suite);
  AddEmpty(suite);
  AddNegativeParameters(suite);
  AddNegativeInputs(suite);
  AddNegativeOutputs(suite);
  AddNotSupported(suite);
}

void Benchmarks(RecipeList& benchmarks) {
  constexpr Setting kSettings[] = {
      {.name = "11x11x3", .shape = {1, 11, 11, 3}, .anchor_size = 8},
      {.name = "50x68x3", .shape = {1, 50, 68, 3}, .anchor_size = 7.3f},
      {.name = "54x40x15", .shape = {1, 54, 40, 15}, .anchor_size = 4.4f},
      {.name = "168x256x3_small_boxes", .shape = {1, 168, 256, 3}, .anchor_size = 2},
      {.name = "200x304x3_to_1000",
       .shape = {1, 200, 304, 3},
       .anchor_size = 2,
       .post_nms_top_n = 1000,
       .pre_nms_top_n = 2000},
      {.name = "200x304x3_small_boxes", .shape = {1, 200, 304, 3}, .anchor_size = 2},
      {.name = "200x304x3_large_boxes", .shape = {1, 200, 304, 3}, .anchor_size = 16}};
  for (const Setting& setting : kSettings) {
    for (const Kind kind : {Kind::kTrained, Kind::kUniform}) {
      benchmarks.Add(fmt::format("{}_{}", setting.name, NameOf(kind)), CaseKind::kNetwork, [=] {
        Case input = NetworkCase(kind, setting.shape, setting.anchor_size, 1);
        input.pre_nms_top_n = setting.pre_nms_top_n;
        input.post_nms_top_n = setting.post_nms_top_n;
        return CaseOf(input);
      });
    }
  }
}

}  // namespace detops::generate_proposals_v2
