// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The element types of Python arrays, and copies of arrays with any strides.

#ifndef DETOPS_PYTHON_ELEMENTS_H_
#define DETOPS_PYTHON_ELEMENTS_H_

#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/half.h"
#include "mlu_op.h"

namespace detops::python {

namespace nb = nanobind;

enum class Element {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kHalf,
  kFloat,
  kDouble
};

// Returns the size in bytes.
int64_t SizeOf(Element element);

// Returns NumPy's name of the type.
std::string_view NameOf(Element element);

// Returns the type that a format of Python's struct module describes, or nothing if the format is
// not a single number in this machine's byte order.
std::optional<Element> ElementOf(const char* format, int64_t bytes);

// Returns nothing for types that Element does not have, such as complex numbers and bfloat16.
std::optional<Element> ElementOf(const nb::dlpack::dtype& dtype);

// An array in memory, as its owner describes it. If the array has no elements, only the shape is
// meaningful.
struct Strided {
  const void* data = nullptr;
  Element element = Element::kFloat;
  int rank = 0;
  std::array<int64_t, MLUOP_DIM_MAX> dims{};
  std::array<int64_t, MLUOP_DIM_MAX> strides{};  // in bytes

  int64_t count() const;
  // Returns whether the elements lie in C order without gaps, each aligned to its size.
  bool IsContiguous() const;
};

// Returns whether the arrays have a byte in common. `contiguous` must be contiguous.
bool Overlap(const Strided& contiguous, const Strided& array);

// Copies the elements in C order, converted to another type.
void CopyElements(const Strided& array, float* to);
void CopyElements(const Strided& array, int64_t* to);

// Copies the bits of float16 elements in C order.
void CopyHalves(const Strided& array, Half* to);

}  // namespace detops::python

#endif  // DETOPS_PYTHON_ELEMENTS_H_
