// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The cases an operator is accepted and timed with, and what the operators' suite.cc files use to
// list them.

#ifndef DETOPS_CLI_SUITE_H_
#define DETOPS_CLI_SUITE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/adapter.h"

namespace detops::cli {

enum class CaseKind { kExample, kNetwork, kRandom, kNegative };

// A case that is made when it is needed, because a whole suite does not fit in memory.
struct Recipe {
  std::string name;  // the file name, without its extension
  CaseKind kind;
  std::function<Case()> make;
};

// Returns the sizes of the operator's design document, and further ones that it omits.
std::vector<Recipe> AcceptanceSuiteOf(const Adapter& adapter);

// Returns what is worth timing, the smallest first.
std::vector<Recipe> BenchmarksOf(const Adapter& adapter);

// ---- Negative cases -----------------------------------------------------------------------------

// Makes one thing wrong in a call that would succeed.
using Spoiler = std::function<void(const Adapter&, Case&)>;

struct Negative {
  std::string name;
  Spoiler spoil;  // empty when the call that it belongs to is wrong as a whole
};

using Dims = std::vector<int64_t>;

// Spoilers. Tensors and parameters go by their names in the operator's description; the values of
// an input that changes its type or shape become 0.
Spoiler WrongParameter(const char* name, double value);
Spoiler WrongType(const char* tensor, mluOpDataType_t dtype);
Spoiler WrongShape(const char* tensor, Dims dims);
Spoiler WrongTypeAndShape(const char* tensor, mluOpDataType_t dtype, Dims dims);
Spoiler WrongLayout(const char* tensor, mluOpTensorLayout_t layout);
Spoiler Strided(const char* tensor, Dims strides);
// Gives inputs these shapes, of which at least one has too many elements, and the outputs theirs.
Spoiler TooLarge(std::vector<std::pair<const char*, Dims>> inputs);
// Applies both, in this order.
Spoiler Both(const Spoiler& first, const Spoiler& second);

// Returns the negatives of all these tensors with the layouts NCHW and ARRAY instead of NHWC:
// "<label>_nchw" and "<label>_array".
struct LabeledTensor {
  const char* tensor;
  const char* label;
};
std::vector<Negative> WrongLayouts(const std::vector<LabeledTensor>& tensors);

// ---- Lists of recipes ---------------------------------------------------------------------------

// Collects the recipes of one operator.
class RecipeList {
 public:
  explicit RecipeList(const Adapter& adapter) : adapter_(adapter) {}

  // Adds a case. What `make` returns gets the recipe's name.
  void Add(const std::string& name, CaseKind kind, std::function<Case()> make);

  // Adds the case "negative_<name>": the valid call with the outputs that belong to it, spoiled,
  // which must return `status`.
  void AddNegative(const Negative& negative, mluOpStatus_t status,
                   const std::function<Case()>& valid);
  void AddNegatives(const std::vector<Negative>& negatives, mluOpStatus_t status,
                    const std::function<Case()>& valid);

  std::vector<Recipe> Take() { return std::move(recipes_); }

 private:
  const Adapter& adapter_;
  std::vector<Recipe> recipes_;
};

// Returns the case with these values in its inputs. An input with an empty list stays as it is.
Case WithValues(Case call, const std::vector<std::vector<float>>& inputs);

// Gives a case its outputs, with these expected values for each. An output that is longer than its
// list ends with `padding`, which is never compared.
void SetExpected(const Adapter& adapter, Case& call, std::vector<std::vector<float>> outputs,
                 float padding = 0);

// Returns "_half" or "", which end the names of cases.
inline const char* HalfSuffix(bool half) { return half ? "_half" : ""; }

inline mluOpDataType_t FloatOrHalf(bool half) {
  return half ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT;
}

// Returns a tensor whose values are drawn when the case runs, so that its file stays small.
Tensor RandomTensor(mluOpDataType_t dtype, Dims dims, const RandomData& random,
                    mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);

}  // namespace detops::cli

#endif  // DETOPS_CLI_SUITE_H_
