// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls of the C API for a case.

#ifndef DETOPS_CLI_INVOCATION_H_
#define DETOPS_CLI_INVOCATION_H_

#include <cstddef>
#include <vector>

#include "cli/case.h"
#include "core/aligned_buffer.h"
#include "core/operand.h"
#include "mlu_op.h"

namespace detops::cli {

// Tensor descriptors and the workspace for a case, reused by repeated calls. The case must outlive
// the invocation and must not move.
class Invocation {
 public:
  // Throws UserError when the library refuses a tensor descriptor.
  Invocation(mluOpHandle_t handle, const Case& input);
  ~Invocation();
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  mluOpHandle_t handle() const { return handle_; }
  const Case& call() const { return case_; }

  mluOpTensorDescriptor_t input_desc(size_t index) const { return inputs_[index]; }
  const void* input(size_t index) const { return case_.inputs[index].values.data(); }
  mluOpTensorDescriptor_t output_desc(size_t index) const { return outputs_[index]; }
  void* output(size_t index) const { return case_.outputs[index].values.data(); }

  float float_parameter(size_t index) const { return static_cast<float>(case_.parameters[index]); }
  int int_parameter(size_t index) const { return static_cast<int>(case_.parameters[index]); }
  bool bool_parameter(size_t index) const { return case_.parameters[index] != 0; }

  // Returns at least this many bytes. Calls of the same size get the same memory.
  void* Workspace(size_t bytes);

 private:
  void DestroyDescriptors();

  mluOpHandle_t handle_;
  const Case& case_;
  std::vector<mluOpTensorDescriptor_t> inputs_;
  std::vector<mluOpTensorDescriptor_t> outputs_;
  AlignedBuffer workspace_;
};

// A tensor as an operand of an operator's MakeArgs, for calls of the reference.
class TensorOperand {
 public:
  TensorOperand(const char* name, const Tensor& tensor);

  // NOLINTNEXTLINE(google-explicit-constructor): operands are filled from tensors by field name.
  operator Operand() const { return {.name = name_, .shape = &shape_, .data = data_}; }

 private:
  const char* name_;
  TensorShape shape_;
  void* data_;
};

}  // namespace detops::cli

#endif  // DETOPS_CLI_INVOCATION_H_
