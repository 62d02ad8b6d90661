// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Arrays of Python as tensors: NumPy's and those of everything that speaks the buffer protocol or
// DLPack are read and written where they lie.

#ifndef DETOPS_PYTHON_ARRAYS_H_
#define DETOPS_PYTHON_ARRAYS_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "detops/tensor.hpp"

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

using Shape = std::vector<int64_t>;

// What an array says about itself. Of an array without elements nothing but the shape counts.
struct Strided {
  const void* data = nullptr;
  Element element = Element::kFloat;
  int rank = 0;
  std::array<int64_t, MLUOP_DIM_MAX> dims{};
  std::array<int64_t, MLUOP_DIM_MAX> strides{};  // in bytes

  int64_t count() const;
  bool IsContiguous() const;  // aligned to its elements, too
};

// The memory of an array, kept alive. Needs the GIL to be made and destroyed.
class ArrayMemory {
 public:
  enum class Access { kRead, kWrite };

  // `name` is the argument's, for messages. Throws TypeError for what is no array of numbers in the
  // memory of the host, ValueError for one that contradicts itself. Lists become arrays, when they
  // are read.
  ArrayMemory(const char* name, nb::handle object, Access access);

  const char* name() const { return name_; }
  const Strided& strided() const { return strided_; }
  // Whether it is neither NumPy's nor a list, but came through DLPack.
  bool is_foreign() const { return is_foreign_; }

 private:
  struct Buffer {
    Py_buffer view{};
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { Release(); }
    void Release() { PyBuffer_Release(&view); }
  };

  bool TryBuffer(nb::handle object, Access access);
  void ReadDlpack(nb::handle object, Access access);
  void ReadThroughNumpy(nb::handle object, Access access);
  void CheckOnCpu(int device) const;
  void SetFromDlpack();
  void SetRank(int64_t rank);
  void CheckConsistent() const;

  const char* name_;
  Strided strided_;
  bool is_foreign_ = false;
  Buffer buffer_;
  nb::ndarray<nb::ro> dlpack_;
};

// An argument that is read.
class Input {
 public:
  Input(const char* name, nb::handle object)
      : object_(object), memory_(name, object, ArrayMemory::Access::kRead) {}

  int rank() const { return memory_.strided().rank; }
  // 0 for a dimension that there is not: the library then refuses the rank.
  int64_t dim(int index) const { return index < rank() ? memory_.strided().dims[index] : 0; }
  int64_t count() const { return memory_.strided().count(); }
  bool is_half() const { return memory_.strided().element == Element::kHalf; }

  // Without a copy when it is contiguous and of that type. `columns`: a shape of (0,) counts as
  // (0, columns).
  ConstTensorView Floats(int64_t columns = 0);
  ConstTensorView Halves(int64_t columns = 0);
  // Throws TypeError when its elements are not whole numbers, ValueError for one that does not fit.
  ConstTensorView Integers();

  nb::handle object() const { return object_; }
  bool is_foreign() const { return memory_.is_foreign(); }

 private:
  template <class T>
  ConstTensorView View(const void* data, int64_t columns) const;

  nb::handle object_;
  ArrayMemory memory_;
  std::unique_ptr<unsigned char[]> converted_;
};

// Both as halves when both are, else as floats.
struct InputPair {
  ConstTensorView first;
  ConstTensorView second;
  bool halves;
};
InputPair SameType(Input& first, Input& second, int64_t columns = 0);

// A result: the caller's array when there is one (not None), else a new array of NumPy's.
class Output {
 public:
  enum class Fill { kNone, kZeros };

  Output(nb::handle out, const char* name, mluOpDataType_t dtype, const Shape& shape,
         Fill fill = Fill::kNone);

  TensorView view() const;
  void* data() const { return const_cast<void*>(memory_.strided().data); }
  // For calls that have nothing to compute, so that the library does not see the shape.
  void CheckShape(const Shape& shape) const;
  // The caller's array, or the new one as the kind of array that the inputs are.
  nb::object Take(std::initializer_list<const Input*> inputs) const;

 private:
  nb::object array_;
  bool is_callers_;
  mluOpDataType_t dtype_;
  ArrayMemory memory_;
};

// The argument `out` of a function of one result, or of two: then a tuple, or None.
std::pair<nb::object, nb::object> SplitOut(nb::handle out, bool two);
// The result, or a tuple of both.
nb::object OneOrTwo(const Output& first, const std::optional<Output>& second,
                    std::initializer_list<const Input*> inputs);

// A copy of a result as the kind of array that the inputs are.
nb::object ToArray(const std::vector<float>& values, const Shape& shape,
                   std::initializer_list<const Input*> inputs);
nb::object ToArray(const std::vector<int32_t>& values, const Shape& shape,
                   std::initializer_list<const Input*> inputs);

// What importing NumPy and the like costs is paid once, when the module is loaded.
void LoadNumpy();

}  // namespace detops::python

#endif  // DETOPS_PYTHON_ARRAYS_H_
