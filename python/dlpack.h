// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Arrays of other libraries through DLPack: capsules, which __dlpack__ returns, and the C exchange
// API, a table of functions that newer libraries (PyTorch 2.10, for example) provide with the type
// of their arrays. These functions read and make arrays without a call of a Python method, which
// takes microseconds.

#ifndef DETOPS_PYTHON_DLPACK_H_
#define DETOPS_PYTHON_DLPACK_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "python/elements.h"

namespace detops::python {

namespace nb = nanobind;

// DLManagedTensorVersioned in dlpack.h.
struct ManagedTensor {
  uint32_t major;
  uint32_t minor;
  void* context;
  void (*deleter)(ManagedTensor* self);
  uint64_t flags;
  nb::dlpack::dltensor tensor;
};

// DLManagedTensor in dlpack.h: the structure before versions were negotiated.
struct UnversionedTensor {
  nb::dlpack::dltensor tensor;
  void* context;
  void (*deleter)(UnversionedTensor* self);
};

// The versions of ManagedTensor up to this one have its layout.
inline constexpr uint32_t kDlpackMajor = 1;

// A tensor that another library has exported. The destructor releases it, with the GIL.
class ImportedTensor {
 public:
  ImportedTensor() = default;
  explicit ImportedTensor(ManagedTensor* managed)
      : tensor_(&managed->tensor), flags_(managed->flags), versioned_(managed) {}
  explicit ImportedTensor(UnversionedTensor* managed)
      : tensor_(&managed->tensor), unversioned_(managed) {}
  ImportedTensor(ImportedTensor&& other) noexcept { *this = std::move(other); }
  ImportedTensor& operator=(ImportedTensor&& other) noexcept {
    std::swap(tensor_, other.tensor_);
    std::swap(flags_, other.flags_);
    std::swap(versioned_, other.versioned_);
    std::swap(unversioned_, other.unversioned_);
    return *this;
  }
  ~ImportedTensor();

  bool is_valid() const { return tensor_ != nullptr; }
  const nb::dlpack::dltensor& tensor() const { return *tensor_; }
  // Returns false if the memory must not be written, or if nobody would see what is written because
  // it is a copy.
  bool is_writable() const { return (flags_ & (kReadOnly | kIsCopy)) == 0; }

 private:
  static constexpr uint64_t kReadOnly = 1;
  static constexpr uint64_t kIsCopy = 2;

  const nb::dlpack::dltensor* tensor_ = nullptr;
  uint64_t flags_ = 0;
  ManagedTensor* versioned_ = nullptr;
  UnversionedTensor* unversioned_ = nullptr;
};

// Returns whether the object is a capsule with a tensor of a later major version, whose layout may
// differ.
bool IsLaterVersion(nb::handle capsule);

// Takes the tensor out of a capsule that __dlpack__ returned. The result is invalid if the object
// is not a capsule with a tensor of a known version.
ImportedTensor TensorOfCapsule(nb::handle capsule);

// Exports an array through the exchange API of its type. The result is invalid if the type itself
// has none (a subclass may have a __dlpack__ of its own), or if __dlpack__ must decide: it refuses
// arrays that record gradients, for example, and its exceptions are for the caller.
ImportedTensor ExportThroughExchange(nb::handle array);

// A new array in C order, with memory that this module has allocated.
struct ExchangedArray {
  nb::object array;  // invalid if the array could not be made
  Strided strided;
};

// Makes an array of the same type as `example` through that type's exchange API, filled with zeros
// or not at all. The result is invalid if the type has none, does not take the tensor or would
// never release it, and for arrays of more than a megabyte: NumPy's memory, which uses huge pages,
// is faster there.
ExchangedArray NewThroughExchange(nb::handle example, Element element,
                                  const std::vector<int64_t>& shape, bool zeros);

}  // namespace detops::python

#endif  // DETOPS_PYTHON_DLPACK_H_
