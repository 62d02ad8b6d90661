// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How the command describes and calls an operator. Each operator has one adapter, in its
// command.cc; nothing in this folder names an operator.

#ifndef DETOPS_CLI_ADAPTER_H_
#define DETOPS_CLI_ADAPTER_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/case.h"
#include "cli/invocation.h"
#include "core/operators.h"
#include "core/status.h"

namespace detops::cli {

struct TensorInfo {
  const char* name = "";   // as in the operator's error messages
  const char* shape = "";  // "[N, H, W, 4C]"
  const char* types = "";  // "float, half"
  // For outputs of which a call may write only the first rows: the name of the int32 output that
  // holds the number of written rows. Null when all rows are written.
  const char* rows_in = nullptr;
  // The C function takes only a pointer, so nothing but the command can check the described shape.
  bool has_descriptor = true;
};

enum class ParameterType { kInt, kFloat, kBool };

struct Parameter {
  const char* name = "";  // in case files; the command's option has - for _
  int field = 0;          // its number in the operator's parameter message
  ParameterType type = ParameterType::kInt;
  double value = 0;  // the default; must be a value of the type, or case files would change it
  const char* help = "";
};

struct Description {
  const char* name = "";  // the operator's, "poly_nms"
  // For an operator that has the name of another MLU-OPS operator: its name in case files, and what
  // distinguishes it from the other one, for the error message. Null when the name is the same in
  // case files.
  const char* case_name = nullptr;
  const char* case_title = nullptr;
  const char* c_function = nullptr;      // "mluOpPolyNms"; null when there is none
  const char* parameters_name = "";      // name of the field in a case file's Node
  int parameters_field = 0;              // number of that field
  std::vector<TensorInfo> inputs = {};   // in the order of case files
  std::vector<TensorInfo> outputs = {};  // in the order of case files
  std::vector<Parameter> parameters = {};
  std::vector<const char*> limits = {};  // one line each
};

// The least that any implementation of a call must do.
struct Work {
  double bytes;
  double operations;  // float additions and multiplications, not fused
};

class Adapter {
 public:
  explicit Adapter(Description description) : description_(std::move(description)) {}
  virtual ~Adapter() = default;
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  // ---- Describe ---------------------------------------------------------------------------------

  const Description& description() const { return description_; }
  const char* name() const { return description_.name; }
  const char* case_name() const {
    return description_.case_name == nullptr ? description_.name : description_.case_name;
  }

  // Returns the outputs that belong to the inputs and parameters, without memory. For inputs that
  // the operator refuses, any outputs that do not hide the reason.
  virtual std::vector<Tensor> Outputs(const Case& input) const = 0;

  // Returns the minimal work of a call that succeeded, given its results.
  virtual Work WorkOf(const Case& done) const = 0;

  // Gives an input of any shape values like those a network produces.
  virtual void Fill(Case& input, size_t index, uint32_t seed) const = 0;

  // ---- Call and reference -----------------------------------------------------------------------

  // Calls the C function on the invocation's tensors.
  virtual mluOpStatus_t Call(Invocation& invocation) const = 0;

  // Runs the scalar reference on the case's inputs. Its outputs have memory.
  virtual Status Reference(Case& input) const = 0;

 private:
  Description description_;
};

// Returns the adapter of the operator at that place in Operators().
const Adapter& AdapterOf(size_t index);

// Returns the adapter of the operator of that name. Throws UserError, which lists the operators.
const Adapter& FindAdapter(std::string_view name);

// Returns the adapter of the operator that has this name in case files. Throws UserError, which
// lists the operators, or which explains that the name belongs to another MLU-OPS operator.
const Adapter& FindCaseAdapter(std::string_view case_name);

// ---- Cases of an adapter ------------------------------------------------------------------------

// Returns a case with the operator's default parameters.
Case MakeCase(const Adapter& adapter, std::string name, std::vector<Tensor> inputs);

// Reads or writes a parameter. The operator must have one of that name.
double GetParameter(const Adapter& adapter, const Case& input, std::string_view name);
void SetParameter(const Adapter& adapter, Case& input, std::string_view name, double value);
void SetParameters(const Adapter& adapter, Case& input,
                   std::initializer_list<std::pair<std::string_view, double>> values);

// Returns the number of elements at the start of an output that a successful call has written.
int64_t WrittenCount(const Adapter& adapter, const Case& done, size_t output);

// Throws UserError when the case describes an output for which the C function takes only a pointer
// in any other way than the function writes it.
void CheckPointerOutputs(const Adapter& adapter, const Case& input);

// ---- What several adapters need -----------------------------------------------------------------

// Returns the tensors in a vector. (Tensors cannot be copied, so initializer lists do not work.)
template <class... Tensors>
std::vector<Tensor> TensorList(Tensors... tensors) {
  std::vector<Tensor> list;
  list.reserve(sizeof...(tensors));
  (list.push_back(std::move(tensors)), ...);
  return list;
}

// Returns the first dimension, 0 when there is none.
inline int64_t RowsOf(const Tensor& tensor) { return tensor.dims.empty() ? 0 : tensor.dims[0]; }

// Returns the number of bytes of all inputs and outputs.
double BytesOf(const Case& done);

// Fills a tensor of any shape with the numbers of random_rows(n), which returns n rows of
// `row_size` numbers; n is large enough.
void FillRows(Tensor& tensor, int64_t row_size,
              const std::function<std::vector<float>(int64_t)>& random_rows);

// Runs an operator's reference on the arguments that args_of(input, args) makes of a case.
template <class Args, class Result>
Status RunReference(const Case& input, Status (*args_of)(const Case&, Args&),
                    Result (*reference)(const Args&)) {
  Args args;
  DETOPS_RETURN_IF_ERROR(args_of(input, args));
  if constexpr (std::is_void_v<Result>) {
    reference(args);
    return {};
  } else {
    return reference(args);
  }
}

// The values of feature maps: uniformly distributed between -1 and 1.
RandomData FeatureMapData(uint32_t seed);

}  // namespace detops::cli

#endif  // DETOPS_CLI_ADAPTER_H_
