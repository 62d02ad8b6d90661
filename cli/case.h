// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A call of an operator as the command handles it: tensors that own their memory, parameters, and
// what is expected of the results. Case files, NumPy files, generators and benchmarks all meet
// here.

#ifndef DETOPS_CLI_CASE_H_
#define DETOPS_CLI_CASE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/tensor.h"
#include "measure/diff.h"
#include "mlu_op.h"

namespace detops::cli {

// What a user did wrong, in one line that names it. The command prints it and exits with 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How the values of a tensor are drawn.
struct RandomData {
  enum class Distribution { kUniform, kGaussian };

  Distribution distribution = Distribution::kUniform;
  int32_t seed = 0;
  double lower_bound = 0;  // of kUniform, which gives numbers from here up to, not including, the
  double upper_bound = 1;  // other; both the same give that one
  double mu = 0;           // of kGaussian
  double sigma = 1;
};

// From `lower` up to, not including, `upper`.
RandomData UniformData(uint32_t seed, double lower, double upper);

struct Tensor {
  std::string id;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;      // empty: contiguous
  std::optional<RandomData> random;  // how to make values when there are none
  AlignedBuffer values;              // empty: none yet

  // The product of the dimensions. Throws UserError when it, or its bytes, do not fit 63 bits, or
  // when a dimension is negative.
  int64_t count() const;
  size_t bytes() const;
  bool has_values() const { return values.size() != 0 || count() == 0; }
  template <class T>
  T* as() const {
    return static_cast<T*>(values.data());
  }
  // "float[2,3,4]".
  std::string ToString() const;
};

Tensor MakeTensor(mluOpDataType_t dtype, std::vector<int64_t> dims,
                  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);

// The same with memory that holds these numbers, converted to its type.
Tensor TensorOf(mluOpDataType_t dtype, std::vector<int64_t> dims, const std::vector<float>& numbers,
                mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);

// The same with zeros.
Tensor ZeroTensor(mluOpDataType_t dtype, std::vector<int64_t> dims,
                  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);

// Gives a tensor these numbers, as many as it has elements, instead of what it had.
void SetNumbers(Tensor& tensor, const std::vector<float>& numbers);

// Memory for all elements, every byte of it `fill`.
void Allocate(Tensor& tensor, int fill);

// Gives a tensor without values those that `random` says, from 0 to 1 when it says nothing. The
// same numbers on every machine.
void DrawValues(Tensor& tensor);

// The first elements of a tensor of float, half or int32 as numbers, where they lie.
class Numbers {
 public:
  Numbers(const Tensor& tensor, int64_t count)
      : dtype_(tensor.dtype), values_(tensor.values.data()), count_(count) {}

  size_t size() const { return static_cast<size_t>(count_); }
  double operator[](size_t index) const;

 private:
  mluOpDataType_t dtype_;
  const void* values_;
  int64_t count_;
};

// An error measure and the most that is allowed of it.
struct Criterion {
  Measure measure;
  double threshold;
};

struct Case {
  std::string name;  // the file's, or that of a suite
  std::string op;
  std::vector<Tensor> inputs;
  // Empty, or in the operator's order. Values in them are the expected ones.
  std::vector<Tensor> outputs;
  std::vector<double> parameters;   // in the operator's order
  std::vector<Criterion> criteria;  // empty: the contract's own limits
  mluOpStatus_t expected_status = MLUOP_STATUS_SUCCESS;
};

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_H_
