// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The sizes that border_align_forward is accepted and timed with.

#include "cli/suite.h"

#include <fmt/format.h>

#include "cli/operator_parts.h"
#include "ops/border_align_forward/cases.h"
#include "ops/border_align_forward/op.h"

namespace detops::border_align_forward {
namespace {

using cli::CaseKind;
using cli::Dims;
using cli::RecipeList;

struct Map {
  int64_t images, height, width, channels;  // channels of one border
};

constexpr Shape ShapeOf(const Map& map, int64_t boxes_per_image, int32_t pool_size) {
  return {.images = map.images,
          .height = map.height,
          .width = map.width,
          .channels = map.channels,
          .boxes_per_image = boxes_per_image,
          .pool_size = pool_size};
}

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;

// Returns a call on a map and boxes of any shapes, valid or not.
cli::Case Sized(const Dims& map, const Dims& boxes, int pool_size, bool half) {
  const mluOpDataType_t dtype = cli::FloatOrHalf(half);
  cli::Case made = cli::MakeCase(
      CommandAdapter(), "",
      cli::TensorList(cli::RandomTensor(dtype, map, cli::FeatureMapData(1), MLUOP_LAYOUT_NHWC),
                      cli::MakeTensor(dtype, boxes)));
  cli::SetParameter(CommandAdapter(), made, "pool_size", pool_size);
  CommandAdapter().Fill(made, 1, 2);
  return made;
}

cli::Case Sized(const Shape& shape, bool half) {
  return Sized({shape.images, shape.height, shape.width, kBorders * shape.channels},
               {shape.images, shape.boxes_per_image, kBoxNumbers}, shape.pool_size, half);
}

// Returns a call on these boxes, and on this map unless a drawn one serves as well.
cli::Case CaseOf(const Case& numbers, bool draws_map) {
  return cli::WithValues(Sized(numbers.shape, numbers.half),
                         {draws_map ? std::vector<float>() : numbers.input, numbers.boxes});
}

void AddExamples(RecipeList& suite) {
  for (const bool half : {false, true}) {
    suite.Add(fmt::format("document_example{}", cli::HalfSuffix(half)), CaseKind::kExample, [=] {
      Case example = SeedsExample();
      example.half = half;
      cli::Case made = CaseOf(example, false);
      const Result result = SeedsResult();
      cli::SetExpected(CommandAdapter(), made,
                       {result.values, {result.samples.begin(), result.samples.end()}});
      return made;
    });
  }
}

void AddSize(RecipeList& suite, CaseKind kind, const char* prefix, const Shape& shape, bool half) {
  suite.Add(fmt::format("{}{}x{}x{}x{}_{}_boxes_pool{}{}", prefix, shape.images, shape.height,
                        shape.width, kBorders * shape.channels, shape.boxes_per_image,
                        shape.pool_size, cli::HalfSuffix(half)),
            kind, [=] { return Sized(shape, half); });
}

// The networks of the design document.
constexpr Shape kNetworks[] = {ShapeOf({2, 7, 10, 256}, 70, 10), ShapeOf({2, 25, 38, 256}, 950, 10),
                               ShapeOf({2, 10, 7, 128}, 70, 10)};

// Its random sizes. The last two are what the invalid ones of its list may have meant.
constexpr Shape kRandom[] = {ShapeOf({3, 10, 10, 1}, 5, 8), ShapeOf({3, 8, 10, 102}, 80, 2),
                             ShapeOf({3, 8, 100, 2}, 800, 1)};

// Maps of unusual shapes.
constexpr Shape kMaps[] = {ShapeOf({1, 1, 1, 5}, 3, 4),   ShapeOf({1, 1, 40, 8}, 9, 10),
                           ShapeOf({2, 40, 1, 8}, 9, 10), ShapeOf({1, 12, 16, 20}, 1, 1000),
                           ShapeOf({5, 4, 4, 300}, 2, 3), ShapeOf({1, 200, 304, 16}, 4, 10)};

void AddDocumentSizes(RecipeList& suite) {
  for (const bool half : {false, true}) {
    for (const Shape& shape : kNetworks) {
      AddSize(suite, CaseKind::kNetwork, "network_", shape, half);
    }
    for (const Shape& shape : kRandom) {
      AddSize(suite, CaseKind::kRandom, "random_", shape, half);
    }
  }
}

// Every kind of numbers with channel counts around the widths of vectors, and unusual maps.
void AddSizes(RecipeList& suite) {
  uint32_t seed = 0;
  for (const bool half : {false, true}) {
    for (const Kind kind : kAllKinds) {
      const bool draws_map = kind != Kind::kIntegers && kind != Kind::kExtremes;
      for (const int64_t channels : {1, 7, 8, 9, 17, 33, 65}) {
        const Shape shape = ShapeOf({2, 3, 5, channels}, 6, static_cast<int32_t>(1 + seed % 12));
        suite.Add(fmt::format("{}_{}_channels{}", NameOf(kind), channels, cli::HalfSuffix(half)),
                  CaseKind::kRandom, [=] {
                    Case numbers = RandomCase(kind, shape, seed);
                    numbers.half = half;
                    return CaseOf(numbers, draws_map);
                  });
        ++seed;
      }
    }
    for (const Shape& shape : kMaps) {
      AddSize(suite, CaseKind::kRandom, "map_", shape, half);
    }
  }
}

// The negative cases of the design document, and those of its random sizes that break its rules.
void AddDocumentNegatives(RecipeList& suite) {
  struct Invalid {
    const char* name;
    Dims map, boxes;
    int pool_size;
  };
  const Invalid list[] = {
      {"410_channels", {10, 8, 10, 410}, {3, 80, 4}, 2},
      {"boxes_of_3_of_10_images", {10, 8, 100, 8}, {3, 800, 4}, 1},
      {"map_of_rank_5", {3, 1, 2, 1, 256}, {3, 5, 4}, 5},
      {"boxes_of_rank_2", {3, 9, 2, 10}, {3, 4}, 10},
      {"map_without_columns", {3, 1, 0, 1}, {13, 5, 3}, 6},
  };
  for (const Invalid& one : list) {
    for (const bool half : {false, true}) {
      suite.AddNegative({fmt::format("{}{}", one.name, cli::HalfSuffix(half)), {}}, kBad,
                        [=] { return Sized(one.map, one.boxes, one.pool_size, half); });
    }
  }
}

cli::Case ValidCall() { return Sized(ShapeOf({2, 5, 6, 3}, 4, 2), false); }

void AddWrongTypes(RecipeList& suite) {
  using cli::WrongType;
  suite.AddNegatives({{"input_int32", WrongType("input", MLUOP_DTYPE_INT32)},
                      {"input_int8", WrongType("input", MLUOP_DTYPE_INT8)},
                      {"input_half_boxes_float", WrongType("input", MLUOP_DTYPE_HALF)},
                      {"boxes_half", WrongType("boxes", MLUOP_DTYPE_HALF)},
                      {"output_half", WrongType("output", MLUOP_DTYPE_HALF)},
                      {"argmax_float", WrongType("argmax_idx", MLUOP_DTYPE_FLOAT)}},
                     kBad, ValidCall);
  suite.AddNegatives(
      cli::WrongLayouts({{"input", "input"}, {"output", "output"}, {"argmax_idx", "argmax"}}), kBad,
      ValidCall);
  for (const int pool_size : {0, -1}) {
    suite.AddNegative(
        {fmt::format("pool_size_{}", pool_size), cli::WrongParameter("pool_size", pool_size)}, kBad,
        ValidCall);
  }
}

void AddWrongShapes(RecipeList& suite) {
  using cli::WrongShape;
  suite.AddNegatives({{"input_rank_2", WrongShape("input", {60, 12})},
                      {"boxes_rank_4", WrongShape("boxes", {2, 2, 2, 4})},
                      {"output_rank_1", WrongShape("output", {96})},
                      {"argmax_rank_3", WrongShape("argmax_idx", {8, 4, 3})},
                      {"no_images", WrongShape("input", {0, 5, 6, 12})},
                      {"no_channels", WrongShape("input", {2, 5, 6, 0})},
                      {"no_boxes", WrongShape("boxes", {2, 0, 4})},
                      {"no_output", WrongShape("output", {2, 4, 4, 0})},
                      {"no_argmax", WrongShape("argmax_idx", {2, 0, 4, 3})},
                      {"ten_channels", WrongShape("input", {2, 5, 6, 10})},
                      {"boxes_of_one_image", WrongShape("boxes", {1, 4, 4})},
                      {"five_coordinates", WrongShape("boxes", {2, 4, 5})},
                      {"output_of_one_image", WrongShape("output", {1, 4, 4, 3})},
                      {"output_of_three_boxes", WrongShape("output", {2, 3, 4, 3})},
                      {"output_channels_first", WrongShape("output", {2, 3, 4, 4})},
                      {"argmax_of_two_channels", WrongShape("argmax_idx", {2, 4, 4, 2})}},
                     kBad, ValidCall);
}

void AddNotSupported(RecipeList& suite) {
  using cli::Strided;
  using cli::TooLarge;
  suite.AddNegatives(
      {{"input_strided", Strided("input", {390, 78, 13, 1})},
       {"boxes_strided", Strided("boxes", {16, 1, 4})},
       {"output_strided", Strided("output", {96, 24, 6, 2})},
       {"argmax_strided", Strided("argmax_idx", {48, 12, 1, 4})},
       {"input_too_large", TooLarge({{"input", {1, 1 << 15, 1 << 14, 4}}, {"boxes", {1, 12, 4}}})},
       {"boxes_too_large", TooLarge({{"input", {1, 3, 4, 4}}, {"boxes", {1, 1 << 29, 4}}})},
       {"results_too_large",
        TooLarge({{"input", {1, 1, 1, 1 << 16}}, {"boxes", {1, 1 << 15, 4}}})}},
      MLUOP_STATUS_NOT_SUPPORTED, ValidCall);
}

}  // namespace

void AcceptanceSuite(RecipeList& suite) {
  AddExamples(suite);
  AddDocumentSizes(suite);
  AddSizes(suite);
  AddDocumentNegatives(suite);
  AddWrongTypes(suite);
  AddWrongShapes(suite);
  AddNotSupported(suite);
}

void Benchmarks(RecipeList& benchmarks) {
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({3, 10, 10, 1}, 5, 8), false);
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({2, 10, 7, 128}, 70, 10), false);
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({2, 7, 10, 256}, 70, 10), false);
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({2, 25, 38, 256}, 950, 10), true);
  AddSize(benchmarks, CaseKind::kNetwork, "", ShapeOf({2, 25, 38, 256}, 950, 10), false);
}

}  // namespace detops::border_align_forward
