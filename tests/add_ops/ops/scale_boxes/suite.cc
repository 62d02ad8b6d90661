// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The sizes that scale_boxes is accepted and timed with.

#include "cli/suite.h"

#include <fmt/format.h>

#include "cli/operator_parts.h"

namespace detops::scale_boxes {
namespace {

void AddSizes(cli::RecipeList& recipes, std::initializer_list<int64_t> counts) {
  for (const int64_t count : counts) {
    recipes.Add(fmt::format("boxes_{}", count), cli::CaseKind::kRandom, [=] {
      cli::Case made = cli::MakeCase(
          CommandAdapter(), "", cli::TensorList(cli::MakeTensor(MLUOP_DTYPE_FLOAT, {count, 4})));
      CommandAdapter().Fill(made, 0, 1);
      return made;
    });
  }
}

}  // namespace

void AcceptanceSuite(cli::RecipeList& suite) { AddSizes(suite, {1, 7, 1000}); }

void Benchmarks(cli::RecipeList& benchmarks) { AddSizes(benchmarks, {1000}); }

}  // namespace detops::scale_boxes
