// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "python/arrays.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/half.h"
#include "python/call.h"

namespace detops::python {
namespace {

// What is called on every way to a result. Never freed: the interpreter may be gone before us.
struct Numpy {
  nb::object asarray;
  nb::object empty;
  nb::object zeros;
  nb::object float16;
  nb::object float32;
  nb::object float64;
  nb::object int32;
};
Numpy* numpy = nullptr;

int64_t SizeOf(Element element) {
  switch (element) {
    case Element::kBool:
    case Element::kInt8:
    case Element::kUInt8:
      return 1;
    case Element::kInt16:
    case Element::kUInt16:
    case Element::kHalf:
      return 2;
    case Element::kInt32:
    case Element::kUInt32:
    case Element::kFloat:
      return 4;
    default:
      return 8;
  }
}

std::string_view NameOf(Element element) {
  constexpr std::string_view kNames[] = {"bool",   "int8",    "int16",   "int32",
                                         "int64",  "uint8",   "uint16",  "uint32",
                                         "uint64", "float16", "float32", "float64"};
  return kNames[static_cast<int>(element)];
}

std::optional<Element> IntegerOf(bool is_signed, int64_t bytes) {
  switch (bytes) {
    case 1:
      return is_signed ? Element::kInt8 : Element::kUInt8;
    case 2:
      return is_signed ? Element::kInt16 : Element::kUInt16;
    case 4:
      return is_signed ? Element::kInt32 : Element::kUInt32;
    case 8:
      return is_signed ? Element::kInt64 : Element::kUInt64;
    default:
      return std::nullopt;
  }
}

std::optional<Element> FloatOf(int64_t bytes) {
  switch (bytes) {
    case 2:
      return Element::kHalf;
    case 4:
      return Element::kFloat;
    case 8:
      return Element::kDouble;
    default:
      return std::nullopt;
  }
}

// Of a format of the struct module in this machine's byte order. Nothing for other formats.
std::optional<Element> ElementOf(const char* format, int64_t bytes) {
  std::string_view code = format == nullptr ? "B" : format;
  constexpr char kNativeOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
  if (code.size() == 2 && (code[0] == '@' || code[0] == '=' || code[0] == kNativeOrder)) {
    code.remove_prefix(1);
  }
  if (code == "?") {
    return Element::kBool;
  }
  if (code == "e" || code == "f" || code == "d") {
    return FloatOf(bytes);
  }
  constexpr std::string_view kSigned = "bhilqn";
  constexpr std::string_view kUnsigned = "BHILQN";
  if (code.size() == 1 && kSigned.find(code[0]) != std::string_view::npos) {
    return IntegerOf(true, bytes);
  }
  if (code.size() == 1 && kUnsigned.find(code[0]) != std::string_view::npos) {
    return IntegerOf(false, bytes);
  }
  return std::nullopt;
}

std::optional<Element> ElementOf(const nb::dlpack::dtype& dtype) {
  if (dtype.lanes != 1 || dtype.bits % 8 != 0) {
    return std::nullopt;
  }
  switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
    case nb::dlpack::dtype_code::Bool:
      return dtype.bits == 8 ? std::optional(Element::kBool) : std::nullopt;
    case nb::dlpack::dtype_code::Int:
      return IntegerOf(true, dtype.bits / 8);
    case nb::dlpack::dtype_code::UInt:
      return IntegerOf(false, dtype.bits / 8);
    case nb::dlpack::dtype_code::Float:
      return FloatOf(dtype.bits / 8);
    default:
      return std::nullopt;
  }
}

std::string TypeName(nb::handle object) { return nb::type_name(object.type()).c_str(); }

std::string MessageOf(const nb::python_error& error) { return nb::str(error.value()).c_str(); }

// DLPack 1 where the object knows it.
nb::object CapsuleOf(nb::handle object) {
  const nb::object method = object.attr("__dlpack__");
  try {
    return method(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) {
      throw;
    }
  }
  return method();
}

// A later major version may lay out what the capsule holds in another way.
bool IsKnownVersion(const nb::object& capsule) {
  constexpr const char* kVersioned = "dltensor_versioned";
  if (PyCapsule_IsValid(capsule.ptr(), kVersioned) == 0) {
    return true;  // from before there were versions, or no capsule at all
  }
  constexpr uint32_t kMajor = 1;
  return *static_cast<const uint32_t*>(PyCapsule_GetPointer(capsule.ptr(), kVersioned)) <= kMajor;
}

template <class From, class To>
To Convert(From value) {
  if constexpr (std::is_same_v<From, Half>) {
    return static_cast<To>(HalfToFloat(value));
  } else {
    return static_cast<To>(value);
  }
}

// memcpy: elements may lie at any address.
template <class From, class To>
void CopyRow(const char* from, int64_t stride, int64_t count, To* to) {
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * stride, sizeof(value));
    to[i] = Convert<From, To>(value);
  }
}

template <class From, class To>
To* CopyDimensions(const Strided& array, int dimension, const char* from, To* to) {
  if (dimension >= array.rank - 1) {
    const bool is_scalar = array.rank == 0;
    const int64_t count = is_scalar ? 1 : array.dims[dimension];
    CopyRow<From, To>(from, is_scalar ? 0 : array.strides[dimension], count, to);
    return to + count;
  }
  for (int64_t i = 0; i < array.dims[dimension]; ++i) {
    to = CopyDimensions<From, To>(array, dimension + 1, from + i * array.strides[dimension], to);
  }
  return to;
}

// One after the other, whatever the strides.
template <class To>
void CopyElements(const Strided& array, To* to) {
  const char* const from = static_cast<const char*>(array.data);
  switch (array.element) {
    case Element::kBool:
    case Element::kUInt8:
      CopyDimensions<uint8_t>(array, 0, from, to);
      return;
    case Element::kInt8:
      CopyDimensions<int8_t>(array, 0, from, to);
      return;
    case Element::kInt16:
      CopyDimensions<int16_t>(array, 0, from, to);
      return;
    case Element::kInt32:
      CopyDimensions<int32_t>(array, 0, from, to);
      return;
    case Element::kInt64:
      CopyDimensions<int64_t>(array, 0, from, to);
      return;
    case Element::kUInt16:
      CopyDimensions<uint16_t>(array, 0, from, to);
      return;
    case Element::kUInt32:
      CopyDimensions<uint32_t>(array, 0, from, to);
      return;
    case Element::kUInt64:
      CopyDimensions<uint64_t>(array, 0, from, to);
      return;
    case Element::kHalf:
      CopyDimensions<Half>(array, 0, from, to);
      return;
    case Element::kFloat:
      CopyDimensions<float>(array, 0, from, to);
      return;
    case Element::kDouble:
      CopyDimensions<double>(array, 0, from, to);
      return;
  }
}

// Halves as they are.
void CopyBits(const Strided& array, Half* to) {
  Strided bits = array;
  bits.element = Element::kUInt16;
  CopyElements(bits, reinterpret_cast<uint16_t*>(to));
}

template <class T>
T* NewElements(std::unique_ptr<unsigned char[]>& memory, int64_t count) {
  memory.reset(new unsigned char[static_cast<size_t>(count) * sizeof(T)]);
  return reinterpret_cast<T*>(memory.get());
}

std::string ToText(const int64_t* dims, size_t rank) {
  std::string text;
  for (size_t i = 0; i < rank; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", dims[i]);
  }
  return fmt::format("({}{})", text, rank == 1 ? "," : "");
}

nb::object NewArray(const Shape& shape, mluOpDataType_t dtype, Output::Fill fill) {
  const nb::object type = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t i = 0; i < shape.size(); ++i) {
    PyTuple_SET_ITEM(type.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
  }
  const nb::object& element = dtype == MLUOP_DTYPE_FLOAT  ? numpy->float32
                              : dtype == MLUOP_DTYPE_HALF ? numpy->float16
                                                          : numpy->int32;
  return (fill == Output::Fill::kZeros ? numpy->zeros : numpy->empty)(type, element);
}

nb::object ModuleIfLoaded(const char* name) {
  return nb::borrow(PyDict_GetItemString(PyImport_GetModuleDict(), name));
}

// NumPy's array as the kind of array that `example` is, sharing its memory where that kind can.
nb::object ToKindOf(nb::handle example, const nb::object& array) {
  const nb::object torch = ModuleIfLoaded("torch");
  if (torch.is_valid() && nb::isinstance(example, torch.attr("Tensor"))) {
    return torch.attr("from_numpy")(array);
  }
  if (nb::hasattr(example, "__array_namespace__")) {
    return example.attr("__array_namespace__")().attr("from_dlpack")(array);
  }
  const std::string module = nb::cast<std::string>(nb::str(example.type().attr("__module__")));
  const nb::object package = ModuleIfLoaded(module.substr(0, module.find('.')).c_str());
  return package.is_valid() && nb::hasattr(package, "from_dlpack")
             ? package.attr("from_dlpack")(array)
             : array;
}

nb::object ToKindOf(std::initializer_list<const Input*> inputs, const nb::object& array) {
  for (const Input* const input : inputs) {
    if (input->is_foreign()) {
      return ToKindOf(input->object(), array);
    }
  }
  return array;
}

template <class T>
nb::object CopyToArray(const std::vector<T>& values, const Shape& shape,
                       std::initializer_list<const Input*> inputs) {
  const Output output(nb::none(), "out", DataTypeOf<T>(), shape);
  std::copy(values.begin(), values.end(), static_cast<T*>(output.data()));
  return output.Take(inputs);
}

}  // namespace

void LoadNumpy() {
  const nb::module_ module = nb::module_::import_("numpy");
  numpy = new Numpy{module.attr("asarray"),
                    module.attr("empty"),
                    module.attr("zeros"),
                    module.attr("dtype")("float16"),
                    module.attr("dtype")("float32"),
                    module.attr("dtype")("float64"),
                    module.attr("dtype")("int32")};
}

int64_t Strided::count() const {
  int64_t product = 1;
  for (int i = 0; i < rank; ++i) {
    product *= dims[i];
  }
  return product;
}

bool Strided::IsContiguous() const {
  if (count() == 0) {
    return true;
  }
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(SizeOf(element)) != 0) {
    return false;
  }
  int64_t expected = SizeOf(element);
  for (int i = rank - 1; i >= 0; --i) {
    if (dims[i] != 1 && strides[i] != expected) {
      return false;
    }
    expected *= dims[i];
  }
  return true;
}

// ---- ArrayMemory ------------------------------------------------------------------------------

ArrayMemory::ArrayMemory(const char* name, nb::handle object, Access access) : name_(name) {
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    if (!TryBuffer(object, access)) {
      ReadThroughNumpy(object, access);
    }
  } else if (nb::hasattr(object, "__dlpack__")) {
    ReadDlpack(object, access);
  } else {
    ReadThroughNumpy(object, access);
  }
  CheckConsistent();
}

// False when NumPy has to convert the elements first.
bool ArrayMemory::TryBuffer(nb::handle object, Access access) {
  buffer_.Release();
  Py_buffer& view = buffer_.view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return false;
  }
  const std::optional<Element> element = ElementOf(view.format, view.itemsize);
  if (!element) {
    return false;
  }
  if (access == Access::kWrite && view.readonly != 0) {
    throw ValueError("{} is read-only, expected an array that can be written", name_);
  }
  strided_.data = view.buf;
  strided_.element = *element;
  SetRank(view.ndim);
  std::copy_n(view.shape, view.ndim, strided_.dims.begin());
  std::copy_n(view.strides, view.ndim, strided_.strides.begin());
  return true;
}

void ArrayMemory::ReadDlpack(nb::handle object, Access access) {
  nb::object capsule;
  try {
    CheckOnCpu(nb::cast<int>(nb::int_(object.attr("__dlpack_device__")()[0])));
    capsule = CapsuleOf(object);
  } catch (const nb::python_error& error) {
    throw TypeError("{} cannot be read: {}", name_, MessageOf(error));
  }
  if (!IsKnownVersion(capsule)) {
    throw TypeError("{} speaks a later version of DLPack, expected 1", name_);
  }
  bool imported = false;
  if (access == Access::kRead) {
    imported = nb::try_cast(capsule, dlpack_);
  } else {
    nb::ndarray<> writable;
    imported = nb::try_cast(capsule, writable);
    dlpack_ = nb::ndarray<nb::ro>(writable);
  }
  if (!imported) {
    throw TypeError("{} cannot be {} through DLPack", name_,
                    access == Access::kRead ? "read" : "written");
  }
  CheckOnCpu(dlpack_.device_type());  // what it holds need not be what it said before
  SetFromDlpack();
}

void ArrayMemory::CheckOnCpu(int device) const {
  if (device != nb::device::cpu::value) {
    throw TypeError(
        "{} is not in the memory of the CPU (its DLPack device is {}), expected a CPU array", name_,
        device);
  }
}

void ArrayMemory::SetFromDlpack() {
  const nb::dlpack::dtype dtype = dlpack_.dtype();
  const std::optional<Element> element = ElementOf(dtype);
  if (!element) {
    throw TypeError(
        "{} has elements of DLPack type {} with {} bits, expected real numbers of up to 64 bits",
        name_, dtype.code, dtype.bits);
  }
  is_foreign_ = true;
  strided_.element = *element;
  SetRank(static_cast<int64_t>(dlpack_.ndim()));
  for (int i = 0; i < strided_.rank; ++i) {
    strided_.dims[i] = dlpack_.shape_ptr()[i];
    strided_.strides[i] = dlpack_.stride_ptr()[i] * SizeOf(*element);
  }
  strided_.data = dlpack_.data();
}

void ArrayMemory::ReadThroughNumpy(nb::handle object, Access access) {
  if (access == Access::kWrite) {
    throw TypeError("{} is a {}, expected an array of numbers", name_, TypeName(object));
  }
  nb::object array = numpy->asarray(object);
  const nb::object dtype = array.attr("dtype");
  const std::string kind = nb::cast<std::string>(dtype.attr("kind"));
  if (kind != "f" && kind != "i" && kind != "u" && kind != "b") {
    if (nb::hasattr(object, "dtype")) {
      throw TypeError("{} has elements of type {}, expected real numbers", name_,
                      nb::str(dtype).c_str());
    }
    throw TypeError("{} is a {}, expected an array of numbers", name_, TypeName(object));
  }
  if (!TryBuffer(array, access)) {
    array = numpy->asarray(array, dtype.attr("newbyteorder")("="));
    if (!TryBuffer(array, access)) {  // more than 64 bits
      TryBuffer(numpy->asarray(array, numpy->float64), access);
    }
  }
}

void ArrayMemory::SetRank(int64_t rank) {
  if (rank > MLUOP_DIM_MAX) {
    throw ValueError("{} has {} dimensions, expected at most {}", name_, rank, MLUOP_DIM_MAX);
  }
  strided_.rank = static_cast<int>(rank);
}

// What other programs tell of their memory need not be true.
void ArrayMemory::CheckConsistent() const {
  int64_t count = 1;
  bool overflows = false;
  bool is_negative = false;
  for (int i = 0; i < strided_.rank; ++i) {
    is_negative |= strided_.dims[i] < 0;
    overflows |= __builtin_mul_overflow(count, std::max<int64_t>(strided_.dims[i], 1), &count);
  }
  if (is_negative || overflows || count > std::numeric_limits<int64_t>::max() / 8) {
    throw ValueError("{} has shape {}, which no array can have", name_,
                     ToText(strided_.dims.data(), static_cast<size_t>(strided_.rank)));
  }
  if (strided_.data == nullptr && strided_.count() != 0) {
    throw ValueError("{} has {} elements and no memory", name_, strided_.count());
  }
}

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
  CopyBits(array, halves);
  return View<Half>(halves, columns);
}

ConstTensorView Input::Integers() {
  const Strided& array = memory_.strided();
  const bool is_float = array.element == Element::kHalf || array.element == Element::kFloat ||
                        array.element == Element::kDouble;
  if (is_float && array.count() != 0) {  // NumPy makes an array of floats from []
    throw TypeError("{} has elements of type {}, expected whole numbers", memory_.name(),
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
      throw ValueError("{} has an element of {}, expected numbers that int32 holds", memory_.name(),
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
               Fill fill)
    : array_(out.is_none() ? NewArray(shape, dtype, fill) : nb::borrow(out)),
      is_callers_(!out.is_none()),
      dtype_(dtype),
      memory_(name, array_, ArrayMemory::Access::kWrite) {
  const Strided& array = memory_.strided();
  const Element expected = dtype == MLUOP_DTYPE_FLOAT  ? Element::kFloat
                           : dtype == MLUOP_DTYPE_HALF ? Element::kHalf
                                                       : Element::kInt32;
  if (array.element != expected) {
    throw TypeError("{} has elements of type {}, expected {}", name, NameOf(array.element),
                    NameOf(expected));
  }
  if (!array.IsContiguous()) {
    throw ValueError("{} is not contiguous, expected an array in C order", name);
  }
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
    throw ValueError("{} has shape {}, expected {}", memory_.name(),
                     ToText(array.dims.data(), static_cast<size_t>(array.rank)),
                     ToText(shape.data(), shape.size()));
  }
}

nb::object Output::Take(std::initializer_list<const Input*> inputs) const {
  return is_callers_ ? array_ : ToKindOf(inputs, array_);
}

std::pair<nb::object, nb::object> SplitOut(nb::handle out, bool two) {
  if (!two || out.is_none()) {
    return {nb::borrow(out), nb::none()};
  }
  if (!nb::isinstance<nb::tuple>(out) || nb::len(out) != 2) {
    throw TypeError("out is a {}, expected a tuple of two arrays, one for each result",
                    TypeName(out));
  }
  return {out[0], out[1]};
}

nb::object OneOrTwo(const Output& first, const std::optional<Output>& second,
                    std::initializer_list<const Input*> inputs) {
  nb::object taken = first.Take(inputs);
  return second ? nb::make_tuple(taken, second->Take(inputs)) : taken;
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
