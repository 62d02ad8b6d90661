// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/half.h"
#include "measure/random_floats.h"

namespace detops::cli {
namespace {

constexpr double kTwoPi = 6.283185307179586;

// Calls use(element) for each element of a tensor of Ts.
template <class T, class Use>
void ForEach(const Tensor& tensor, const Use& use) {
  T* const elements = tensor.as<T>();
  const int64_t count = tensor.count();
  for (int64_t i = 0; i < count; ++i) {
    use(elements[i]);
  }
}

// Rounds toward 0 and saturates. NaN gives 0.
int32_t ToInteger(double number) {
  constexpr double kLeast = std::numeric_limits<int32_t>::min();
  constexpr double kMost = std::numeric_limits<int32_t>::max();
  return std::isnan(number) ? 0 : static_cast<int32_t>(std::clamp(number, kLeast, kMost));
}

// Stores next(), converted to the tensor's type, in every element.
template <class Next>
void Store(const Tensor& tensor, const Next& next) {
  switch (tensor.dtype) {
    case MLUOP_DTYPE_FLOAT:
      return ForEach<float>(tensor, [&](float& to) { to = static_cast<float>(next()); });
    case MLUOP_DTYPE_HALF:
      return ForEach<Half>(tensor, [&](Half& to) { to = FloatToHalf(static_cast<float>(next())); });
    case MLUOP_DTYPE_INT32:
      return ForEach<int32_t>(tensor, [&](int32_t& to) { to = ToInteger(next()); });
    default:
      throw UserError(fmt::format("{} cannot have values; its type must be float, half or int32",
                                  tensor.ToString()));
  }
}

// Returns a multiple of 2^-32 in [0, 1).
double Fraction(Random& random) { return static_cast<double>(random()) * 0x1p-32; }

double Normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - Fraction(random)));
  return radius * std::cos(kTwoPi * Fraction(random));
}

}  // namespace

RandomData UniformData(uint32_t seed, double lower, double upper) {
  RandomData data;
  data.seed = static_cast<int32_t>(seed);
  data.lower_bound = lower;
  data.upper_bound = upper;
  return data;
}

int64_t Tensor::count() const {
  int64_t count = 1;
  bool is_zero = false;
  for (const int64_t dim : dims) {
    if (dim < 0) {
      throw UserError(
          fmt::format("{} has a negative dimension; dimensions must be 0 or more", ToString()));
    }
    if (dim == 0) {
      is_zero = true;
    } else if (__builtin_mul_overflow(count, dim, &count) ||
               count > std::numeric_limits<int64_t>::max() / 16) {
      throw UserError(fmt::format("{} is larger than any memory", ToString()));
    }
  }
  return is_zero ? 0 : count;
}

size_t Tensor::bytes() const { return static_cast<size_t>(count()) * DataTypeSize(dtype); }

std::string Tensor::ToString() const {
  return fmt::format("{}[{}]", DataTypeName(dtype).value_or("?"), fmt::join(dims, ","));
}

Tensor MakeTensor(mluOpDataType_t dtype, std::vector<int64_t> dims, mluOpTensorLayout_t layout) {
  Tensor tensor;
  tensor.layout = layout;
  tensor.dtype = dtype;
  tensor.dims = std::move(dims);
  return tensor;
}

Tensor TensorOf(mluOpDataType_t dtype, std::vector<int64_t> dims, const std::vector<float>& numbers,
                mluOpTensorLayout_t layout) {
  Tensor tensor = MakeTensor(dtype, std::move(dims), layout);
  SetNumbers(tensor, numbers);
  return tensor;
}

Tensor ZeroTensor(mluOpDataType_t dtype, std::vector<int64_t> dims, mluOpTensorLayout_t layout) {
  Tensor tensor = MakeTensor(dtype, std::move(dims), layout);
  Allocate(tensor, 0);
  return tensor;
}

void SetNumbers(Tensor& tensor, const std::vector<float>& numbers) {
  if (static_cast<size_t>(tensor.count()) != numbers.size()) {
    throw std::logic_error(
        fmt::format("{} cannot hold {} numbers", tensor.ToString(), numbers.size()));
  }
  tensor.random.reset();
  Allocate(tensor, 0);
  const float* next = numbers.data();
  Store(tensor, [&] { return *next++; });
}

void Allocate(Tensor& tensor, int fill) {
  tensor.values = AlignedBuffer(tensor.bytes());
  if (tensor.values.size() != 0) {
    std::memset(tensor.values.data(), fill, tensor.values.size());
  }
}

void DrawValues(Tensor& tensor) {
  Allocate(tensor, 0);
  const RandomData data = tensor.random.value_or(RandomData());
  Random random(static_cast<uint32_t>(data.seed));
  if (data.distribution == RandomData::Distribution::kGaussian) {
    Store(tensor, [&] { return data.mu + data.sigma * Normal(random); });
  } else {
    Store(tensor, [&] {
      return data.lower_bound + (data.upper_bound - data.lower_bound) * Fraction(random);
    });
  }
}

double Numbers::operator[](size_t index) const {
  switch (dtype_) {
    case MLUOP_DTYPE_FLOAT:
      return static_cast<double>(static_cast<const float*>(values_)[index]);
    case MLUOP_DTYPE_HALF:
      return static_cast<double>(HalfToFloat(static_cast<const Half*>(values_)[index]));
    default:
      return static_cast<const int32_t*>(values_)[index];
  }
}

}  // namespace detops::cli
