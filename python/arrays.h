// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Arguments and results of operators as Python arrays. Arrays that support the buffer protocol or
// DLPack are used in place where their type and strides allow it.

#ifndef DETOPS_PYTHON_ARRAYS_H_
#define DETOPS_PYTHON_ARRAYS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "detops/tensor.hpp"
#include "python/array_memory.h"

namespace detops::python {

namespace nb = nanobind;

using Shape = std::vector<int64_t>;

// An array argument that the operator reads.
class Input {
 public:
  Input(const char* name, nb::handle object)
      : object_(object), memory_(name, object, ArrayMemory::Access::kRead) {}

  int rank() const { return memory_.strided().rank; }
  // Returns 0 if there is no such dimension: the library then rejects the rank.
  int64_t dim(int index) const { return index < rank() ? memory_.strided().dims[index] : 0; }
  int64_t count() const { return memory_.strided().count(); }
  bool is_half() const { return memory_.strided().element == Element::kHalf; }

  // Returns the array in place if it is contiguous and of that type, otherwise a copy. If `columns`
  // is not 0, shape (0,) is taken as (0, columns).
  ConstTensorView Floats(int64_t columns = 0);
  ConstTensorView Halves(int64_t columns = 0);
  // Throws TypeError if the elements are not integers, ValueError if one does not fit in int32.
  ConstTensorView Integers();

  nb::handle object() const { return object_; }
  const ArrayMemory& memory() const { return memory_; }
  bool is_foreign() const { return memory_.is_foreign(); }

 private:
  template <class T>
  ConstTensorView View(const void* data, int64_t columns) const;

  nb::handle object_;
  ArrayMemory memory_;
  std::unique_ptr<unsigned char[]> converted_;
};

// Two inputs of the same type: float16 if both arrays are, otherwise float32.
struct InputPair {
  ConstTensorView first;
  ConstTensorView second;
  bool halves;
};
InputPair SameType(Input& first, Input& second, int64_t columns = 0);

// A result: the caller's array, or a new one if `out` is None. The new one is of the kind of the
// first input that is not NumPy's, otherwise NumPy's.
class Output {
 public:
  enum class Fill { kNone, kZeros };

  Output(nb::handle out, const char* name, mluOpDataType_t dtype, const Shape& shape,
         std::initializer_list<const Input*> inputs, Fill fill = Fill::kNone);

  TensorView view() const;
  void* data() const { return const_cast<void*>(memory_.strided().data); }
  const ArrayMemory& memory() const { return memory_; }
  // Returns whether the caller passed the array.
  bool is_callers() const { return is_callers_; }
  // Throws ValueError if the shape differs. For calls that return without calling the library.
  void CheckShape(const Shape& shape) const;
  // Returns the array.
  nb::object Take() const;

 private:
  // Sets array_ and returns its memory.
  ArrayMemory Allocate(const char* name, const Shape& shape, Fill fill);

  const bool is_callers_;
  const mluOpDataType_t dtype_;
  nb::handle example_;  // of the kind that a NumPy array is converted to; may be invalid
  nb::object array_;
  ArrayMemory memory_;
};

// Throws ValueError if an array that the caller passed as `out` overlaps an input or another output
// in memory: a result would overwrite numbers that are still to be read. Null outputs are skipped.
void CheckSeparate(std::initializer_list<const Output*> outputs,
                   std::initializer_list<const Input*> inputs);

// Splits the argument `out` of a function. With two results it must be a tuple of two or None.
std::pair<nb::object, nb::object> SplitOut(nb::handle out, bool two);
// Returns the first result, or a tuple of both if there is a second.
nb::object OneOrTwo(const Output& first, const std::optional<Output>& second);

// Copies a result to an array of the kind that the first input that is not NumPy's has. Null inputs
// are arguments that were left out.
nb::object ToArray(const std::vector<float>& values, const Shape& shape,
                   std::initializer_list<const Input*> inputs);
nb::object ToArray(const std::vector<int32_t>& values, const Shape& shape,
                   std::initializer_list<const Input*> inputs);

}  // namespace detops::python

#endif  // DETOPS_PYTHON_ARRAYS_H_
