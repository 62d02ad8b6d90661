// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Access to the memory of Python arrays through the buffer protocol, DLPack or NumPy.

#ifndef DETOPS_PYTHON_ARRAY_MEMORY_H_
#define DETOPS_PYTHON_ARRAY_MEMORY_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "python/dlpack.h"
#include "python/elements.h"

namespace detops::python {

namespace nb = nanobind;

// Keeps an array alive and gives access to its memory. Must be created and destroyed with the GIL.
class ArrayMemory {
 public:
  enum class Access { kRead, kWrite };

  // `name` is the argument's name, for messages. Throws TypeError if the object is not an array of
  // real numbers in host memory, and ValueError if its description of itself is inconsistent or it
  // has masked elements. Exceptions that the object's own methods raise stay as they are. With
  // kRead, lists and other sequences are converted by NumPy.
  ArrayMemory(const char* name, nb::handle object, Access access);
  // An array that this module has made, which must outlive the instance.
  ArrayMemory(const char* name, const Strided& strided) : name_(name), strided_(strided) {}

  const char* name() const { return name_; }
  const Strided& strided() const { return strided_; }
  // Returns whether the array was read through DLPack: it is neither NumPy's nor a sequence.
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

  void ReadBuffer(nb::handle object, Access access);
  bool TryBuffer(nb::handle object, Access access);
  bool TryExchange(nb::handle object, Access access);
  void ReadDlpack(nb::handle object, const nb::object& method, Access access);
  void ReadThroughNumpy(nb::handle object, Access access);
  void CheckStatedDevice(nb::handle object) const;
  void CheckOnCpu(int64_t device) const;
  void SetFromTensor(Element element);
  void SetRank(int64_t rank);
  void CheckConsistent() const;
  void CheckNotMasked(nb::handle object, Access access) const;

  const char* name_;
  Strided strided_;
  bool is_foreign_ = false;
  Buffer buffer_;
  ImportedTensor imported_;
};

// Returns a shape as Python writes it, such as "(3, 4)".
std::string ShapeToText(const int64_t* dims, size_t rank);

// Returns the name of the object's type.
std::string TypeName(nb::handle object);

}  // namespace detops::python

#endif  // DETOPS_PYTHON_ARRAY_MEMORY_H_
