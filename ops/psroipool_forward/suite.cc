// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The sizes that psroipool_forward is accepted and timed with.

#include "cli/suite.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>

#include "cli/operator_parts.h"
#include "ops/psroipool_forward/cases.h"
#include "ops/psroipool_forward/op.h"

namespace detops::psroipool_forward {
namespace {

using cli::CaseKind;
using cli::Dims;
using cli::RecipeList;

struct Map {
  int64_t images, height, width;
};

struct Bins {
  int64_t group, dim;
};

constexpr Shape ShapeOf(const Map& map, const Bins& bins, int64_t rois) {
  return {.images = map.images,
          .height = map.height,
          .width = map.width,
          .group = bins.group,
          .dim = bins.dim,
          .rois = rois};
}

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;

// Returns a call on the RoIs of a network.
cli::Case Sized(const Shape& shape, float scale) {
  const Dims map = {shape.images, shape.height, shape.width, shape.group * shape.group * shape.dim};
  cli::Case made = cli::MakeCase(
      CommandAdapter(), "",
      cli::TensorList(
          cli::RandomTensor(MLUOP_DTYPE_FLOAT, map, cli::FeatureMapData(1), MLUOP_LAYOUT_NHWC),
          cli::MakeTensor(MLUOP_DTYPE_FLOAT, {shape.rois, kRoiNumbers})));
  cli::SetParameters(CommandAdapter(), made,
                     {{"spatial_scale", scale},
                      {"output_dim", shape.dim},
                      {"group_size", shape.group},
                      {"pooled_height", shape.group},
                      {"pooled_width", shape.group}});
  CommandAdapter().Fill(made, 1, 2);
  return made;
}

// Returns a call on these RoIs, and on this map unless a drawn one serves as well.
cli::Case CaseOf(const Case& numbers, bool draws_map) {
  return cli::WithValues(Sized(numbers.shape, numbers.scale),
                         {draws_map ? std::vector<float>() : numbers.input, numbers.rois});
}

void AddExamples(RecipeList& suite) {
  for (const bool has_fractions : {false, true}) {
    suite.Add(has_fractions ? "example_fractions_of_images" : "example", CaseKind::kExample, [=] {
      Case example = ExampleCase();
      if (has_fractions) {  // which the operator truncates
        example.rois[0] = -0.5f;
        example.rois[kRoiNumbers] = 1.5f;
      }
      cli::Case made = CaseOf(example, false);
      cli::SetExpected(CommandAdapter(), made,
                       {{std::begin(kExampleMeans), std::end(kExampleMeans)},
                        {std::begin(kExampleChannels), std::end(kExampleChannels)}});
      return made;
    });
  }
}

void AddSize(RecipeList& suite, CaseKind kind, const char* prefix, const Shape& shape,
             float scale) {
  suite.Add(
      fmt::format("{}{}x{}x{}x{}_{}_rois_group{}", prefix, shape.images, shape.height, shape.width,
                  shape.group * shape.group * shape.dim, shape.rois, shape.group),
      kind, [=] { return Sized(shape, scale); });
}

// Maps of unusual shapes.
constexpr Shape kMaps[] = {ShapeOf({2, 1, 1}, {3, 5}, 4),   ShapeOf({1, 1, 37}, {2, 9}, 50),
                           ShapeOf({1, 37, 1}, {2, 9}, 50), ShapeOf({1, 80, 5}, {3, 4}, 60),
                           ShapeOf({1, 8, 9}, {16, 1}, 25), ShapeOf({1, 8, 9}, {17, 4}, 25),
                           ShapeOf({1, 2, 3}, {100, 1}, 9), ShapeOf({1, 40, 50}, {2, 130}, 60),
                           ShapeOf({5, 9, 9}, {2, 3}, 4)};

// Without pixels there is nothing to do, whatever the RoIs contain.
constexpr Shape kEmpty[] = {ShapeOf({0, 4, 5}, {2, 3}, 3), ShapeOf({2, 0, 5}, {2, 3}, 3),
                            ShapeOf({2, 4, 0}, {2, 3}, 3)};

void AddDocumentSizes(RecipeList& suite) {
  AddSize(suite, CaseKind::kNetwork, "network_", ShapeOf({1, 14, 14}, {7, 8}, 320), 1);
  AddSize(suite, CaseKind::kNetwork, "network_", ShapeOf({2, 14, 14}, {3, 21}, 493), 0.0625f);
  AddSize(suite, CaseKind::kNetwork, "network_", ShapeOf({1, 38, 63}, {7, 81}, 2000), 0.0625f);
  // The second size as the design document writes it, although 3 * 3 * 21 is 189.
  suite.AddNegative({"198_channels", [](const cli::Adapter& /*adapter*/,
                                        cli::Case& call) { call.inputs[0].dims[3] = 198; }},
                    kBad, [] {
                      return Sized(ShapeOf({2, 14, 14}, {3, 21}, 493), 0.0625f);
                    });
}

// Every kind of numbers with channel counts around the widths of vectors, for few and for many
// RoIs; maps of unusual shapes. At a scale of 0.1, a fused multiply-add would move bins.
void AddSizes(RecipeList& suite) {
  constexpr float kScales[] = {1, 0.0625f, 0.1f, 0.3f};
  uint32_t seed = 0;
  for (const Kind kind : kAllKinds) {
    const bool draws_map = kind != Kind::kIntegers && kind != Kind::kExtremes;
    for (const int64_t dim : {1, 3, 4, 8, 9, 17, 33}) {
      for (const int64_t rois : {2, 30}) {
        const Shape shape = ShapeOf({2, 6, 5}, {static_cast<int64_t>(1 + seed % 3), dim}, rois);
        const float scale = kScales[seed % std::size(kScales)];
        suite.Add(fmt::format("{}_{}_channels_{}_rois", NameOf(kind), dim, rois), CaseKind::kRandom,
                  [=] { return CaseOf(RandomCase(kind, shape, scale, seed), draws_map); });
        ++seed;
      }
    }
  }
  for (const Shape& shape : kMaps) {
    AddSize(suite, CaseKind::kRandom, "map_", shape, 0.1f);
  }
  for (const Shape& shape : kEmpty) {
    AddSize(suite, CaseKind::kExample, "empty_", shape, 1);
  }
}

cli::Case ValidCall() { return Sized(ShapeOf({2, 4, 5}, {2, 3}, 3), 1); }

void AddWrongParameters(RecipeList& suite) {
  using cli::WrongParameter;
  suite.AddNegatives({{"group_size_is_not_pooled_height", WrongParameter("pooled_height", 3)},
                      {"pooled_width_is_not_pooled_height", WrongParameter("pooled_width", 1)},
                      {"pooled_is_not_group_size", WrongParameter("group_size", 1)}},
                     kBad, ValidCall);
  for (const int group : {0, -1, 3}) {
    suite.AddNegative(
        {fmt::format("group_size_{}", group),
         [=](const cli::Adapter& adapter, cli::Case& call) {
           cli::SetParameters(
               adapter, call,
               {{"group_size", group}, {"pooled_height", group}, {"pooled_width", group}});
         }},
        kBad, ValidCall);
  }
  for (const int dim : {0, -1, 4}) {
    suite.AddNegative({fmt::format("output_dim_{}", dim), WrongParameter("output_dim", dim)}, kBad,
                      ValidCall);
  }
  using Limits = std::numeric_limits<double>;
  for (const double scale : {0.0, -1.0, Limits::quiet_NaN(), Limits::infinity()}) {
    suite.AddNegative(
        {fmt::format("spatial_scale_{}", scale), WrongParameter("spatial_scale", scale)}, kBad,
        ValidCall);
  }
}

void AddWrongTypes(RecipeList& suite) {
  using cli::WrongType;
  suite.AddNegatives({{"input_half", WrongType("input", MLUOP_DTYPE_HALF)},
                      {"input_int32", WrongType("input", MLUOP_DTYPE_INT32)},
                      {"rois_half", WrongType("rois", MLUOP_DTYPE_HALF)},
                      {"output_half", WrongType("output", MLUOP_DTYPE_HALF)},
                      {"mapping_float", WrongType("mapping_channel", MLUOP_DTYPE_FLOAT)}},
                     kBad, ValidCall);
  suite.AddNegatives(
      cli::WrongLayouts({{"input", "input"}, {"output", "output"}, {"mapping_channel", "mapping"}}),
      kBad, ValidCall);
}

void AddWrongShapes(RecipeList& suite) {
  using cli::WrongShape;
  suite.AddNegatives({{"input_rank_3", WrongShape("input", {8, 5, 12})},
                      {"rois_rank_3", WrongShape("rois", {1, 3, 5})},
                      {"output_rank_3", WrongShape("output", {3, 4, 3})},
                      {"mapping_rank_2", WrongShape("mapping_channel", {3, 12})},
                      {"thirteen_channels", WrongShape("input", {2, 4, 5, 13})},
                      {"no_channels", WrongShape("input", {2, 4, 5, 0})},
                      {"four_numbers_of_a_roi", WrongShape("rois", {3, 4})},
                      {"output_of_two_rois", WrongShape("output", {2, 2, 2, 3})},
                      {"output_channels_first", WrongShape("output", {3, 3, 2, 2})},
                      {"mapping_of_two_channels", WrongShape("mapping_channel", {3, 2, 2, 2})}},
                     kBad, ValidCall);
  // The outputs have no rows either, so that only the missing RoIs are wrong.
  const cli::Spoiler no_rois = [](const cli::Adapter& adapter, cli::Case& call) {
    cli::WrongShape("rois", {0, kRoiNumbers})(adapter, call);
    call.outputs = adapter.Outputs(call);
  };
  suite.AddNegatives(
      {{"no_rois", no_rois},
       {"no_rois_and_no_images", cli::Both(WrongShape("input", {0, 4, 5, 12}), no_rois)}},
      kBad, ValidCall);
}

// Batch indices that only the data can show to be wrong.
void AddWrongImages(RecipeList& suite) {
  using Limits = std::numeric_limits<float>;
  for (const float image : {-1.0f, 2.0f, 4096.0f, Limits::quiet_NaN(), Limits::infinity()}) {
    suite.AddNegative({fmt::format("roi_of_image_{}", image),
                       [=](const cli::Adapter& /*adapter*/, cli::Case& call) {
                         call.inputs[1].as<float>()[kRoiNumbers] = image;
                       }},
                      kBad, ValidCall);
  }
}

// A call with 2 x 2 bins and tensors of which at least one is too large.
cli::Spoiler TooLargeOf(const Dims& map, int64_t rois) {
  return cli::Both(cli::WrongParameter("output_dim", static_cast<double>(map[3]) / 4),
                   cli::TooLarge({{"input", map}, {"rois", {rois, kRoiNumbers}}}));
}

void AddNotSupported(RecipeList& suite) {
  using cli::Strided;
  suite.AddNegatives(
      {{"input_strided", Strided("input", {260, 65, 13, 1})},
       {"rois_strided", Strided("rois", {6, 1})},
       {"output_strided", Strided("output", {24, 12, 6, 2})},
       {"mapping_strided", Strided("mapping_channel", {12, 2, 1, 4})},
       {"input_too_large", TooLargeOf({1, 1 << 15, 1 << 14, 4}, 3)},
       {"rois_too_large", TooLargeOf({2, 2, 3, 12}, 1 << 29)},
       {"results_too_large", TooLargeOf({2, 1, 1, 1 << 16}, 1 << 15)},
       {"results_too_large_without_images", TooLargeOf({0, 1, 1, 1 << 16}, 1 << 15)}},
      MLUOP_STATUS_NOT_SUPPORTED, ValidCall);
}

}  // namespace

void AcceptanceSuite(RecipeList& suite) {
  AddExamples(suite);
  AddDocumentSizes(suite);
  AddSizes(suite);
  AddWrongParameters(suite);
  AddWrongTypes(suite);
  AddWrongShapes(suite);
  AddWrongImages(suite);
  AddNotSupported(suite);
}

void Benchmarks(RecipeList& benchmarks) {
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({1, 7, 7}, {3, 4}, 10), 1);
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({1, 14, 14}, {7, 8}, 320), 1);
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({2, 14, 14}, {3, 21}, 493), 0.0625f);
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({1, 38, 63}, {7, 21}, 10), 0.0625f);
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({1, 38, 63}, {7, 81}, 2000), 0.0625f);
}

}  // namespace detops::psroipool_forward
