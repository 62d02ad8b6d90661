// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The sizes that bbox_overlaps is accepted and timed with.

#include "cli/suite.h"

#include <fmt/format.h>

#include <utility>

#include "cli/operator_parts.h"

namespace detops::bbox_overlaps {
namespace {

using cli::CaseKind;
using cli::RecipeList;

struct Variant {
  bool aligned = false;
  bool half = false;
  int mode = 0;
  int offset = 0;
};

// Returns a call on the boxes of an image.
cli::Case Sized(int64_t rows, int64_t columns, const Variant& variant) {
  const mluOpDataType_t dtype = cli::FloatOrHalf(variant.half);
  cli::Case made = cli::MakeCase(
      CommandAdapter(), "",
      cli::TensorList(cli::MakeTensor(dtype, {rows, 4}), cli::MakeTensor(dtype, {columns, 4})));
  cli::SetParameters(
      CommandAdapter(), made,
      {{"mode", variant.mode}, {"aligned", variant.aligned ? 1 : 0}, {"offset", variant.offset}});
  CommandAdapter().Fill(made, 0, 1);
  CommandAdapter().Fill(made, 1, 2);
  return made;
}

void AddExamples(RecipeList& suite) {
  suite.Add("document_example", CaseKind::kExample, [] {
    cli::Case made = cli::MakeCase(
        CommandAdapter(), "",
        cli::TensorList(cli::TensorOf(MLUOP_DTYPE_FLOAT, {3, 4},
                                      {0, 0, 10, 10, 10, 10, 20, 20, 32, 32, 38, 42}),
                        cli::TensorOf(MLUOP_DTYPE_FLOAT, {3, 4},
                                      {0, 0, 10, 20, 0, 10, 10, 19, 10, 10, 20, 20})));
    cli::SetExpected(CommandAdapter(), made, {{0.5f, 0, 0, 0, 0, 1, 0, 0, 0}});
    return made;
  });
  for (const auto& [rows, columns] : {std::pair(0, 1), std::pair(1, 0), std::pair(0, 0)}) {
    suite.Add(fmt::format("empty_{}x{}", rows, columns), CaseKind::kExample,
              [m = rows, n = columns] { return Sized(m, n, {}); });
  }
}

// The design document names no sizes. These are around the widths of vectors, in every variant.
void AddSizes(RecipeList& suite) {
  constexpr std::pair<int64_t, int64_t> kSizes[] = {{1, 1}, {3, 5}, {17, 33}, {128, 257}};
  for (const auto& [rows, columns] : kSizes) {
    for (int bits = 0; bits < 16; ++bits) {
      const Variant variant{.aligned = (bits & 1) != 0,
                            .half = (bits & 2) != 0,
                            .mode = (bits >> 2) & 1,
                            .offset = (bits >> 3) & 1};
      suite.Add(fmt::format("{}_{}{}_mode{}_offset{}", rows,
                            variant.aligned ? "aligned" : fmt::format("{}", columns),
                            cli::HalfSuffix(variant.half), variant.mode, variant.offset),
                CaseKind::kRandom, [m = rows, n = variant.aligned ? rows : columns, variant] {
                  return Sized(m, n, variant);
                });
    }
  }
}

// The sizes that detectors use.
void AddNetwork(RecipeList& suite, const char* prefix, int64_t rows, int64_t columns,
                const Variant& variant = {}) {
  suite.Add(fmt::format("{}{}x{}{}{}", prefix, rows, columns, variant.aligned ? "_aligned" : "",
                        cli::HalfSuffix(variant.half)),
            CaseKind::kNetwork, [=] { return Sized(rows, columns, variant); });
}

void AddNegatives(RecipeList& suite) {
  using cli::WrongParameter;
  using cli::WrongShape;
  using cli::WrongType;
  const auto valid = [] { return Sized(3, 5, {}); };
  suite.AddNegatives({{"mode", WrongParameter("mode", 2)},
                      {"offset", WrongParameter("offset", -1)},
                      {"five_coordinates", WrongShape("bbox1", {3, 5})},
                      {"rank_3", WrongShape("bbox2", {1, 5, 4})},
                      {"int32", WrongType("bbox1", MLUOP_DTYPE_INT32)},
                      {"two_types", WrongType("bbox2", MLUOP_DTYPE_HALF)},
                      {"aligned_3_and_5", WrongParameter("aligned", 1)},
                      {"result_shape", WrongShape("ious", {5, 3})}},
                     MLUOP_STATUS_BAD_PARAM, valid);
  suite.AddNegatives({{"strided", cli::Strided("bbox1", {8, 1})},
                      {"too_many_elements", cli::TooLarge({{"bbox1", {int64_t{1} << 29, 4}}})}},
                     MLUOP_STATUS_NOT_SUPPORTED, valid);
}

}  // namespace

void AcceptanceSuite(RecipeList& suite) {
  AddExamples(suite);
  AddSizes(suite);
  AddNetwork(suite, "network_", 1000, 1000);
  AddNetwork(suite, "network_", 10'000, 1000);
  AddNetwork(suite, "network_", 100'000, 100'000, {.aligned = true});
  AddNegatives(suite);
}

void Benchmarks(RecipeList& benchmarks) {
  AddNetwork(benchmarks, "", 8, 8);
  AddNetwork(benchmarks, "", 100, 100);
  AddNetwork(benchmarks, "", 1000, 1000);
  AddNetwork(benchmarks, "", 1000, 1000, {.half = true});
  AddNetwork(benchmarks, "", 1'000'000, 1'000'000, {.aligned = true});
  AddNetwork(benchmarks, "", 10'000, 1000);
}

}  // namespace detops::bbox_overlaps
