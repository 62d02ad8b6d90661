// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "python/array_memory.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "python/call.h"
#include "python/numpy.h"

namespace detops::python {
namespace {

Numpy* numpy = nullptr;  // never freed: the interpreter may be gone before this library

bool IsNumpyArray(nb::handle object) {
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(numpy->ndarray.ptr())) !=
         0;
}

// Returns the attribute, or an invalid object if there is none. Passes on what else a property
// raises.
nb::object AttributeIfAny(nb::handle object, PyObject* name) {
  PyObject* const attribute = PyObject_GetAttr(object.ptr(), name);
  if (attribute == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) {
      nb::raise_python_error();
    }
    PyErr_Clear();
  }
  return nb::steal(attribute);
}

bool IsValidRank(int64_t rank) { return rank >= 0 && rank <= MLUOP_DIM_MAX; }

// Calls __dlpack__ without arguments, after it raised `first` when it was asked for version 1.
nb::object OldCapsuleOf(const nb::object& method, const nb::python_error& first) {
  try {
    return method();
  } catch (const nb::python_error& error) {
    // Without a traceback, it is the call that is wrong, not what the method does.
    if (error.matches(PyExc_TypeError) && !error.traceback().is_valid() &&
        first.traceback().is_valid()) {
      throw first;
    }
    throw;
  }
}

// Asks for DLPack 1; objects that are older than that version do not take the argument.
nb::object CapsuleOf(const nb::object& method) {
  try {
    // The arguments are made once: that takes longer than the call of a simple method.
    static PyObject* const version = Py_BuildValue("(II)", kDlpackMajor, 0u);
    static PyObject* const names = Py_BuildValue("(s)", "max_version");
    PyObject* const capsule = PyObject_Vectorcall(method.ptr(), &version, 0, names);
    if (capsule == nullptr) {
      nb::raise_python_error();
    }
    return nb::steal(capsule);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) {
      throw;
    }
    return OldCapsuleOf(method, error);
  }
}

}  // namespace

void LoadNumpy() {
  const nb::module_ module = nb::module_::import_("numpy");
  const nb::object dtype = module.attr("dtype");
  numpy = new Numpy{.ndarray = module.attr("ndarray"),
                    .asarray = module.attr("asarray"),
                    .empty = module.attr("empty"),
                    .zeros = module.attr("zeros"),
                    .float16 = dtype("float16"),
                    .float32 = dtype("float32"),
                    .float64 = dtype("float64"),
                    .int32 = dtype("int32")};
}

const Numpy& LoadedNumpy() { return *numpy; }

nb::object ModuleIfLoaded(const char* name) {
  return nb::borrow(PyDict_GetItemString(PyImport_GetModuleDict(), name));
}

std::string ShapeToText(const int64_t* dims, size_t rank) {
  std::string text;
  for (size_t i = 0; i < rank; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", dims[i]);
  }
  return fmt::format("({}{})", text, rank == 1 ? "," : "");
}

std::string TypeName(nb::handle object) { return nb::type_name(object.type()).c_str(); }

ArrayMemory::ArrayMemory(const char* name, nb::handle object, Access access) : name_(name) {
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    ReadBuffer(object, access);
  } else if (!TryExchange(object, access)) {
    static PyObject* const dlpack = PyUnicode_InternFromString("__dlpack__");
    const nb::object method = AttributeIfAny(object, dlpack);
    if (method.is_valid()) {
      ReadDlpack(object, method, access);
    } else {
      ReadThroughNumpy(object, access);
    }
  }
  CheckConsistent();
  CheckNotMasked(object, access);
}

void ArrayMemory::ReadBuffer(nb::handle object, Access access) {
  try {
    if (TryBuffer(object, access)) {
      return;
    }
  } catch (const nb::python_error&) {
    // NumPy has no buffers of some types, such as dates. ReadThroughNumpy reports the type.
    if (!IsNumpyArray(object)) {
      throw;
    }
  }
  ReadThroughNumpy(object, access);
}

// Returns false if NumPy must convert the elements first.
bool ArrayMemory::TryBuffer(nb::handle object, Access access) {
  buffer_.Release();
  Py_buffer& view = buffer_.view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
    nb::raise_python_error();
  }
  const std::optional<Element> element = ElementOf(view.format, view.itemsize);
  if (!element) {
    return false;
  }
  if (access == Access::kWrite && view.readonly != 0) {
    throw ValueError("{} is read-only; it must be writable", name_);
  }
  strided_.data = view.buf;
  strided_.element = *element;
  SetRank(view.ndim);
  std::copy_n(view.shape, view.ndim, strided_.dims.begin());
  std::copy_n(view.strides, view.ndim, strided_.strides.begin());
  return true;
}

// Returns false if the array must be read in another way, which also reports what is wrong with it.
bool ArrayMemory::TryExchange(nb::handle object, Access access) {
  ImportedTensor imported = ExportThroughExchange(object);
  if (!imported.is_valid() || (access == Access::kWrite && !imported.is_writable())) {
    return false;
  }
  const nb::dlpack::dltensor& tensor = imported.tensor();
  const std::optional<Element> element = ElementOf(tensor.dtype);
  if (tensor.device.device_type != nb::device::cpu::value || !element ||
      !IsValidRank(tensor.ndim)) {
    return false;
  }
  imported_ = std::move(imported);
  SetFromTensor(*element);
  return true;
}

void ArrayMemory::ReadDlpack(nb::handle object, const nb::object& method, Access access) {
  CheckStatedDevice(object);
  const nb::object capsule = CapsuleOf(method);
  if (IsLaterVersion(capsule)) {
    throw TypeError("{} uses a later major version of DLPack; it must use version 1 or older",
                    name_);
  }
  imported_ = TensorOfCapsule(capsule);
  if (!imported_.is_valid() || (access == Access::kWrite && !imported_.is_writable())) {
    throw TypeError("{} cannot be {} through DLPack", name_,
                    access == Access::kRead ? "read" : "written");
  }
  const nb::dlpack::dltensor& tensor = imported_.tensor();
  CheckOnCpu(tensor.device.device_type);  // may differ from what __dlpack_device__ returned
  const std::optional<Element> element = ElementOf(tensor.dtype);
  if (!element) {
    throw TypeError(
        "{} has elements of DLPack type {} with {} bits; they must be real numbers of up to 64 "
        "bits",
        name_, tensor.dtype.code, tensor.dtype.bits);
  }
  SetFromTensor(*element);
}

void ArrayMemory::CheckStatedDevice(nb::handle object) const {
  static PyObject* const name = PyUnicode_InternFromString("__dlpack_device__");
  const nb::object method = AttributeIfAny(object, name);
  if (!method.is_valid()) {
    throw TypeError("{} has __dlpack__ but no __dlpack_device__; it must have both", name_);
  }
  const nb::object device = method();
  const nb::object type = nb::steal(PySequence_GetItem(device.ptr(), 0));
  const int64_t number = type.is_valid() ? PyLong_AsLongLong(type.ptr()) : -1;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw TypeError("{}.__dlpack_device__() is {}; it must be a tuple of two integers", name_,
                    nb::repr(device).c_str());
  }
  CheckOnCpu(number);
}

void ArrayMemory::CheckOnCpu(int64_t device) const {
  if (device != nb::device::cpu::value) {
    throw TypeError("{} is on DLPack device {}; it must be in CPU memory", name_, device);
  }
}

void ArrayMemory::SetFromTensor(Element element) {
  const nb::dlpack::dltensor& tensor = imported_.tensor();
  is_foreign_ = true;
  strided_.element = element;
  SetRank(tensor.ndim);
  // Unsigned, because the products of an inconsistent description may overflow.
  auto in_c_order = static_cast<uint64_t>(SizeOf(element));
  for (int i = strided_.rank - 1; i >= 0; --i) {
    const auto dim = static_cast<uint64_t>(tensor.shape[i]);
    const auto size = static_cast<uint64_t>(SizeOf(element));
    strided_.dims[i] = tensor.shape[i];
    strided_.strides[i] = static_cast<int64_t>(
        tensor.strides == nullptr ? in_c_order : static_cast<uint64_t>(tensor.strides[i]) * size);
    in_c_order *= dim;
  }
  strided_.data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
}

void ArrayMemory::ReadThroughNumpy(nb::handle object, Access access) {
  if (access == Access::kWrite) {
    throw TypeError("{} is a {}; it must be an array of numbers", name_, TypeName(object));
  }
  nb::object array = LoadedNumpy().asarray(object);
  const nb::object dtype = array.attr("dtype");
  const std::string kind = nb::cast<std::string>(dtype.attr("kind"));
  if (kind != "f" && kind != "i" && kind != "u" && kind != "b") {
    if (nb::hasattr(object, "dtype")) {
      throw TypeError("{} has elements of type {}; they must be real numbers", name_,
                      nb::str(dtype).c_str());
    }
    throw TypeError("{} is a {}; it must be an array of numbers", name_, TypeName(object));
  }
  if (!TryBuffer(array, access)) {
    array = LoadedNumpy().asarray(array, dtype.attr("newbyteorder")("="));
    if (!TryBuffer(array, access)) {  // elements of more than 64 bits
      TryBuffer(LoadedNumpy().asarray(array, LoadedNumpy().float64), access);
    }
  }
}

void ArrayMemory::SetRank(int64_t rank) {
  if (!IsValidRank(rank)) {
    throw ValueError("{} has {} dimensions; it must have at most {}", name_, rank, MLUOP_DIM_MAX);
  }
  strided_.rank = static_cast<int>(rank);
}

// Objects of other packages may describe their memory wrongly.
void ArrayMemory::CheckConsistent() const {
  int64_t count = 1;
  bool overflows = false;
  bool is_negative = false;
  for (int i = 0; i < strided_.rank; ++i) {
    is_negative |= strided_.dims[i] < 0;
    overflows |= __builtin_mul_overflow(count, std::max<int64_t>(strided_.dims[i], 1), &count);
  }
  if (is_negative || overflows || count > std::numeric_limits<int64_t>::max() / 8) {
    throw ValueError(
        "{} has shape {}; dimensions must not be negative and the size must fit in int64", name_,
        ShapeToText(strided_.dims.data(), static_cast<size_t>(strided_.rank)));
  }
  if (strided_.data == nullptr && strided_.count() != 0) {
    throw ValueError("{} has {} elements and a null pointer; it must have memory", name_,
                     strided_.count());
  }
}

void ArrayMemory::CheckNotMasked(nb::handle object, Access access) const {
  if (object.type().is(LoadedNumpy().ndarray) || !IsNumpyArray(object)) {
    return;
  }
  const nb::object masked = ModuleIfLoaded("numpy.ma");
  if (!masked.is_valid() || !nb::isinstance(object, masked.attr("MaskedArray"))) {
    return;
  }
  const auto count = nb::cast<int64_t>(masked.attr("count_masked")(object));
  if (count != 0 && access == Access::kRead) {
    throw ValueError(
        "{0} is a masked array with {1} masked elements; it must have none: pass {0}.filled(value) "
        "or, to drop rows, numpy.ma.compress_rows({0})",
        name_, count);
  }
  if (count != 0) {
    throw ValueError(
        "{0} is a masked array with {1} masked elements, which would hide results; it must have "
        "none: pass {0}.data",
        name_, count);
  }
}

}  // namespace detops::python
