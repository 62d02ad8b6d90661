// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A call of an operator: tensors that own their memory, parameters, and the expected results. Case
// files, NumPy files, generators and benchmarks all use it.

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

// An error that the user can correct, in one line. The command prints it and exits with status 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How the values of a tensor are drawn.
struct RandomData {
  enum class Distribution { kUniform, kGaussian };

  Distribution distribution = Distribution::kUniform;
  int32_t seed = 0;
  // For kUniform: numbers in [lower_bound, upper_bound); when both are equal, that number.
  double lower_bound = 0;
  double upper_bound = 1;
  // For kGaussian.
  double mu = 0;
  double sigma = 1;
};

// Uniform numbers in [lower, upper).
RandomData UniformData(uint32_t seed, double lower, double upper);

// An error measure and its limit.
struct Criterion {
  Measure measure;
  double threshold;
};

struct Tensor {
  std::string id;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;      // empty: contiguous
  std::optional<RandomData> random;  // how to draw values when there are none
  AlignedBuffer values;              // empty: no values yet
  std::vector<Criterion> criteria;   // of this output alone; empty: those of the case

  // Returns the product of the dimensions. Throws UserError when a dimension is negative or when
  // the size in bytes exceeds 63 bits.
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

// Returns a tensor without values.
Tensor MakeTensor(mluOpDataType_t dtype, std::vector<int64_t> dims,
                  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);

// Returns a tensor with these numbers, converted to its type.
Tensor TensorOf(mluOpDataType_t dtype, std::vector<int64_t> dims, const std::vector<float>& numbers,
                mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);

// Returns a tensor of zeros.
Tensor ZeroTensor(mluOpDataType_t dtype, std::vector<int64_t> dims,
                  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);

// Replaces the values of a tensor. There must be one number per element.
void SetNumbers(Tensor& tensor, const std::vector<float>& numbers);

// Allocates memory for all elements and sets every byte to `fill`.
void Allocate(Tensor& tensor, int fill);

// Draws the values of a tensor as its `random` describes, uniform from 0 to 1 when that is empty.
// The numbers are the same on every machine.
void DrawValues(Tensor& tensor);

// A view of the first elements of a float, half or int32 tensor as double.
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

struct Case {
  std::string name;  // of the file, or of the case in a suite
  std::string op;
  std::vector<Tensor> inputs;
  // Empty, or in the operator's order. Values in them are expected results.
  std::vector<Tensor> outputs;
  std::vector<double> parameters;   // in the operator's order
  std::vector<Criterion> criteria;  // empty: the default limits
  mluOpStatus_t expected_status = MLUOP_STATUS_SUCCESS;
};

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_H_
