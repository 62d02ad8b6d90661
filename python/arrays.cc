// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "python/arrays.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>

#include "python/call.h"
#include "python/numpy.h"

namespace detops::python {
namespace {

template <class T>
T* NewElements(std::unique_ptr<unsigned char[]>& memory, int64_t count) {
  memory.reset(new unsigned char[static_cast<size_t>(count) * sizeof(T)]);
  return reinterpret_cast<T*>(memory.get());
}

nb::object NewArray(const Shape& shape, mluOpDataType_t dtype, Output::Fill fill) {
  const Numpy& numpy = LoadedNumpy();
  const nb::object dims = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t i = 0; i < shape.size(); ++i) {
    PyTuple_SET_ITEM(dims.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
  }
  const nb::object& element = dtype == MLUOP_DTYPE_FLOAT  ? numpy.float32
                              : dtype == MLUOP_DTYPE_HALF ? numpy.float16
                                                          : numpy.int32;
  return (fill == Output::Fill::kZeros ? numpy.zeros : numpy.empty)(dims, element);
}

// Returns the name of the package that defines the type of an array.
std::string PackageOf(nb::handle array) {
  std::string module = nb::cast<std::string>(nb::str(array.type().attr("__module__")));
  module.resize(std::min(module.find('.'), module.size()));
  return module;
}

// Makes an uninitialized Paddle tensor. The result is invalid if Paddle's internal function, which
// takes a fifth of the time of paddle.from_dlpack, is missing or has changed.
nb::object NewPaddleTensor(const Shape& shape, mluOpDataType_t dtype) {
  try {
    const nb::object paddle = ModuleIfLoaded("paddle");
    nb::list dims;
    for (const int64_t dim : shape) {
      dims.append(dim);
    }
    const char* const element = dtype == MLUOP_DTYPE_FLOAT  ? "float32"
                                : dtype == MLUOP_DTYPE_HALF ? "float16"
                                                            : "int32";
    return paddle.attr("_C_ops").attr("empty")(dims, paddle.attr(element),
                                               paddle.attr("CPUPlace")());
  } catch (const nb::python_error&) {
    return {};
  }
}

// Converts a NumPy array to the kind of array that `example` is. They share memory if that kind
// can.
nb::object ToKindOf(nb::handle example, const nb::object& array) {
  const nb::object torch = ModuleIfLoaded("torch");
  if (torch.is_valid() && nb::isinstance(example, torch.attr("Tensor"))) {
    return torch.attr("from_numpy")(array);
  }
  const std::string name = PackageOf(example);
  const nb::object package = ModuleIfLoaded(name.c_str());
  if (name == "paddle" && package.is_valid()) {
    // The function takes capsules, too: that saves half of its time, the negotiation in Python.
    return package.attr("from_dlpack")(array.attr("__dlpack__")());
  }
  if (nb::hasattr(example, "__array_namespace__")) {
    return example.attr("__array_namespace__")().attr("from_dlpack")(array);
  }
  return package.is_valid() && nb::hasattr(package, "from_dlpack")
             ? package.attr("from_dlpack")(array)
             : array;
}

// Returns the first input that is not NumPy's, or an invalid handle.
nb::handle FirstForeign(std::initializer_list<const Input*> inputs) {
  for (const Input* const input : inputs) {
    if (input != nullptr && input->is_foreign()) {
      return input->object();
    }
  }
  return {};
}

Element ElementOf(mluOpDataType_t dtype) {
  return dtype == MLUOP_DTYPE_FLOAT  ? Element::kFloat
         : dtype == MLUOP_DTYPE_HALF ? Element::kHalf
                                     : Element::kInt32;
}

template <class T>
nb::object CopyToArray(const std::vector<T>& values, const Shape& shape,
                       std::initializer_list<const Input*> inputs) {
  const Output output(nb::none(), "out", DataTypeOf<T>(), shape, inputs);
  std::copy(values.begin(), values.end(), static_cast<T*>(output.data()));
  return output.Take();
}

}  // namespace

// ---- Input ------------------------------------------------------------------------------------

template <class T>
ConstTensorView Input::View(const void* data, int64_t columns) const {
  const Strided& array = memory_.strided();
  const T* const elements = static_cast<const T*>(data);
  if (columns != 0 && array.rank == 1 && array.dims[0] == 0) {
    return {elements, {0, columns}};
  }
  return {elements, array.dims.data(), array.rank};
}

ConstTensorView Input::Floats(int64_t columns) {
  const Strided& array = memory_.strided();
  if (array.element == Element::kFloat && array.IsContiguous()) {
    return View<float>(array.data, columns);
  }
  float* const floats = NewElements<float>(converted_, array.count());
  CopyElements(array, floats);
  return View<float>(floats, columns);
}

ConstTensorView Input::Halves(int64_t columns) {
  const Strided& array = memory_.strided();
  if (array.IsContiguous()) {
    return View<Half>(array.data, columns);
  }
  Half* const halves = NewElements<Half>(converted_, array.count());
  CopyHalves(array, halves);
  return View<Half>(halves, columns);
}

ConstTensorView Input::Integers() {
  const Strided& array = memory_.strided();
  const bool is_float = array.element == Element::kHalf || array.element == Element::kFloat ||
                        array.element == Element::kDouble;
  if (is_float && array.count() != 0) {  // NumPy makes a float array of []
    throw TypeError("{} has elements of type {}; they must be integers", memory_.name(),
                    NameOf(array.element));
  }
  if (array.element == Element::kInt32 && array.IsContiguous()) {
    return View<int32_t>(array.data, 0);
  }
  int32_t* const integers = NewElements<int32_t>(converted_, array.count());
  std::vector<int64_t> wide(static_cast<size_t>(array.count()));
  CopyElements(array, wide.data());
  for (size_t i = 0; i < wide.size(); ++i) {
    integers[i] = static_cast<int32_t>(wide[i]);
    if (integers[i] != wide[i] || (array.element == Element::kUInt64 && wide[i] < 0)) {
      throw ValueError("{} has the element {}; it must fit in int32", memory_.name(),
                       array.element == Element::kUInt64
                           ? fmt::format("{}", static_cast<uint64_t>(wide[i]))
                           : fmt::format("{}", wide[i]));
    }
  }
  return View<int32_t>(integers, 0);
}

InputPair SameType(Input& first, Input& second, int64_t columns) {
  const bool halves = first.is_half() && second.is_half();
  return {halves ? first.Halves(columns) : first.Floats(columns),
          halves ? second.Halves(columns) : second.Floats(columns), halves};
}

// ---- Output -----------------------------------------------------------------------------------

Output::Output(nb::handle out, const char* name, mluOpDataType_t dtype, const Shape& shape,
               std::initializer_list<const Input*> inputs, Fill fill)
    : is_callers_(!out.is_none()),
      dtype_(dtype),
      example_(is_callers_ ? nb::handle() : FirstForeign(inputs)),
      array_(is_callers_ ? nb::borrow(out) : nb::object()),
      memory_(Allocate(name, shape, fill)) {
  const Strided& array = memory_.strided();
  const Element expected = ElementOf(dtype);
  if (array.element != expected) {
    throw TypeError("{} has elements of type {}; they must be {}", name, NameOf(array.element),
                    NameOf(expected));
  }
  if (!array.IsContiguous()) {
    throw ValueError("{} is not contiguous; it must be an aligned array in C order", name);
  }
}

ArrayMemory Output::Allocate(const char* name, const Shape& shape, Fill fill) {
  if (example_.is_valid()) {
    ExchangedArray made =
        NewThroughExchange(example_, ElementOf(dtype_), shape, fill == Fill::kZeros);
    if (made.array.is_valid()) {
      array_ = std::move(made.array);
      example_ = {};
      return ArrayMemory(name, made.strided);
    }
  }
  if (example_.is_valid() && fill == Fill::kNone && PackageOf(example_) == "paddle") {
    array_ = NewPaddleTensor(shape, dtype_);
  }
  if (array_.is_valid()) {
    example_ = {};
  } else {
    array_ = NewArray(shape, dtype_, fill);
  }
  return ArrayMemory(name, array_, ArrayMemory::Access::kWrite);
}

TensorView Output::view() const {
  const Strided& array = memory_.strided();
  switch (dtype_) {
    case MLUOP_DTYPE_FLOAT:
      return {static_cast<float*>(data()), array.dims.data(), array.rank};
    case MLUOP_DTYPE_HALF:
      return {static_cast<Half*>(data()), array.dims.data(), array.rank};
    default:
      return {static_cast<int32_t*>(data()), array.dims.data(), array.rank};
  }
}

void Output::CheckShape(const Shape& shape) const {
  const Strided& array = memory_.strided();
  if (!std::equal(shape.begin(), shape.end(), array.dims.begin(),
                  array.dims.begin() + array.rank)) {
    throw ValueError("{} has shape {}; it must be {}", memory_.name(),
                     ShapeToText(array.dims.data(), static_cast<size_t>(array.rank)),
                     ShapeToText(shape.data(), shape.size()));
  }
}

nb::object Output::Take() const {
  return example_.is_valid() ? ToKindOf(example_, array_) : array_;
}

void CheckSeparate(std::initializer_list<const Output*> outputs,
                   std::initializer_list<const Input*> inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (*output == nullptr || !(*output)->is_callers()) {
      continue;
    }
    const ArrayMemory& memory = (*output)->memory();
    for (const Input* const input : inputs) {
      if (Overlap(memory.strided(), input->memory().strided())) {
        throw ValueError("{} overlaps {} in memory; it must have memory of its own", memory.name(),
                         input->memory().name());
      }
    }
    for (auto other = output + 1; other != outputs.end(); ++other) {
      if (*other != nullptr && Overlap(memory.strided(), (*other)->memory().strided())) {
        throw ValueError("{} overlaps {} in memory; each must have memory of its own",
                         memory.name(), (*other)->memory().name());
      }
    }
  }
}

std::pair<nb::object, nb::object> SplitOut(nb::handle out, bool two) {
  if (!two || out.is_none()) {
    return {nb::borrow(out), nb::none()};
  }
  if (!nb::isinstance<nb::tuple>(out) || nb::len(out) != 2) {
    throw TypeError("out is a {}; it must be a tuple of two arrays, one for each result",
                    TypeName(out));
  }
  return {out[0], out[1]};
}

nb::object OneOrTwo(const Output& first, const std::optional<Output>& second) {
  nb::object taken = first.Take();
  return second ? nb::make_tuple(taken, second->Take()) : taken;
}

nb::object ToArray(const std::vector<float>& values, const Shape& shape,
                   std::initializer_list<const Input*> inputs) {
  return CopyToArray(values, shape, inputs);
}

nb::object ToArray(const std::vector<int32_t>& values, const Shape& shape,
                   std::initializer_list<const Input*> inputs) {
  return CopyToArray(values, shape, inputs);
}

}  // namespace detops::python
