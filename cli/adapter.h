// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the command knows of an operator. Each operator has one adapter, in its command.cc; nothing
// in this folder names an operator.

#ifndef DETOPS_CLI_ADAPTER_H_
#define DETOPS_CLI_ADAPTER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/case.h"
#include "cli/invocation.h"
#include "cli/scene.h"
#include "core/operators.h"
#include "core/status.h"

namespace detops::cli {

struct TensorInfo {
  const char* name;   // as in the operator's messages
  const char* shape;  // "[N, H, W, 4C]"
  const char* types;  // "float, half"
};

enum class ParameterType { kInt, kFloat, kBool };

struct Parameter {
  const char* name;  // in case files; options have - for _
  int field;         // its number in the operator's parameter message
  ParameterType type;
  double value;  // when nothing is said; one that the type has, or files would change it
  const char* help;
};

struct Description {
  const char* c_function;          // "mluOpPolyNms"; null when there is none
  const char* parameters_name;     // of the field of a case file's Node, "poly_nms_param"
  int parameters_field;            // its number
  std::vector<TensorInfo> inputs;  // in the order of case files
  std::vector<TensorInfo> outputs;
  std::vector<Parameter> parameters;
  std::vector<const char*> limits;  // one line each
};

// What a call has to do at least.
struct Work {
  double bytes;
  double operations;
};

enum class CaseKind { kExample, kNetwork, kRandom, kNegative };
std::string_view NameOf(CaseKind kind);

// A case that is made when it is needed: suites are larger than memory.
struct Recipe {
  std::string name;  // a file name without ending
  CaseKind kind;
  std::function<Case()> make;
};

// How a demonstration looks: an SVG element and a sentence about it.
struct Picture {
  std::string svg;
  std::string caption;
};

class Adapter {
 public:
  Adapter() = default;
  virtual ~Adapter() = default;
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  virtual const Description& description() const = 0;

  // The outputs that belong to the inputs and parameters, without memory. For inputs that the
  // operator refuses any that let it say why.
  virtual std::vector<Tensor> Outputs(const Case& input) const = 0;

  // The C function, on the invocation's tensors.
  virtual mluOpStatus_t Call(Invocation& invocation) const = 0;

  // The scalar reference, from the case's inputs into its outputs, which have memory.
  virtual Status Reference(Case& input) const = 0;

  // How many elements of an output a call has written, from the first on; all when not overridden.
  virtual int64_t WrittenCount(const Case& done, size_t output) const;

  // Of a call that succeeded, with its results.
  virtual Work WorkOf(const Case& done) const = 0;

  // Values as a network makes them for an input that has none, whatever its shape.
  virtual void Fill(Case& input, size_t index, uint32_t seed) const = 0;

  // The sizes of the design documents, and what they leave out.
  virtual std::vector<Recipe> Suite() const = 0;
  // What is worth timing, the smallest first.
  virtual std::vector<Recipe> Benchmarks() const = 0;

  // The operator's part in the demonstration, where parts run in the order of their stages; none
  // when negative.
  virtual int DemoStage() const { return -1; }
  virtual Case DemoCase(const Scene& scene) const;
  // Also leaves in the scene what later stages use.
  virtual Picture DemoResult(Scene& scene, const Case& done) const;
};

// Of an operator, by its place in Operators().
const Adapter& AdapterOf(size_t index);

// An operator of that name. Throws UserError that lists those there are.
const Adapter& FindAdapter(std::string_view name);

// The operator's.
const char* NameOf(const Adapter& adapter);

// A case with the operator's default parameters.
Case MakeCase(const Adapter& adapter, std::string name, std::vector<Tensor> inputs);

// A parameter by its name, which exists.
double GetParameter(const Adapter& adapter, const Case& input, std::string_view name);
void SetParameter(const Adapter& adapter, Case& input, std::string_view name, double value);

}  // namespace detops::cli

#endif  // DETOPS_CLI_ADAPTER_H_
