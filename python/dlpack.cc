// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "python/dlpack.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/aligned_buffer.h"
#include "core/math.h"

namespace detops::python {
namespace {

// ---- Capsules ---------------------------------------------------------------------------------

constexpr const char* kVersioned = "dltensor_versioned";
constexpr const char* kUnversioned = "dltensor";

// Returns null if the object is not a capsule of this name.
template <class Tensor>
Tensor* TensorIn(nb::handle capsule, const char* name) {
  return PyCapsule_IsValid(capsule.ptr(), name) == 0
             ? nullptr
             : static_cast<Tensor*>(PyCapsule_GetPointer(capsule.ptr(), name));
}

// ---- The exchange API -------------------------------------------------------------------------

// DLPackExchangeAPIHeader in dlpack.h. `previous` is the table of an earlier major version.
struct ExchangeHeader {
  uint32_t major;
  uint32_t minor;
  const ExchangeHeader* previous;
};

// DLPackExchangeAPI in dlpack.h. Functions return 0, or another number with a Python exception.
struct ExchangeApi {
  ExchangeHeader header;
  void* allocate;
  int (*export_object)(void* object, ManagedTensor** result);
  int (*make_object)(ManagedTensor* tensor, void** result);
  void* view_object;
  void* current_stream;
};

// Returns null if the type has no such table in its own dictionary, or none of a known version.
const ExchangeApi* ExchangeApiOf(PyTypeObject* type) {
  static PyObject* const attribute = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  constexpr const char* kCapsuleName = "dlpack_exchange_api";
  PyObject* const capsule =
      type->tp_dict == nullptr ? nullptr : PyDict_GetItemWithError(type->tp_dict, attribute);
  if (capsule == nullptr || PyCapsule_IsValid(capsule, kCapsuleName) == 0) {
    return nullptr;
  }
  auto* header = static_cast<const ExchangeHeader*>(PyCapsule_GetPointer(capsule, kCapsuleName));
  while (header != nullptr && header->major != kDlpackMajor) {
    header = header->previous;
  }
  return reinterpret_cast<const ExchangeApi*>(header);
}

// Returns the truth value of an attribute, or nothing if the array does not have it.
std::optional<bool> FlagOf(nb::handle array, PyObject* attribute) {
  const nb::object value = nb::steal(PyObject_GetAttr(array.ptr(), attribute));
  const int is_true = value.is_valid() ? PyObject_IsTrue(value.ptr()) : -1;
  PyErr_Clear();
  return is_true < 0 ? std::nullopt : std::optional(is_true != 0);
}

// Returns whether operations on the array are recorded for gradients, which would end here
// silently. PyTorch's and Paddle's __dlpack__ refuse such arrays; their exchange APIs do not.
bool RecordsGradients(nb::handle array) {
  static PyObject* const requires_grad = PyUnicode_InternFromString("requires_grad");
  static PyObject* const stop_gradient = PyUnicode_InternFromString("stop_gradient");
  const std::optional<bool> is_required = FlagOf(array, requires_grad);
  return is_required ? *is_required : !FlagOf(array, stop_gradient).value_or(true);
}

// ---- New arrays -------------------------------------------------------------------------------

// Larger results are allocated by NumPy.
constexpr int64_t kLargestBytes = int64_t{1} << 20;

// A tensor in one block of memory with its numbers, which follow at kBlockHeader.
struct Block {
  ManagedTensor managed;
  int64_t dims[MLUOP_DIM_MAX];
  int64_t strides[MLUOP_DIM_MAX];  // in elements
};
constexpr auto kBlockHeader = RoundUp(static_cast<int64_t>(sizeof(Block)), kAlignment);

struct FreeBlock {
  void operator()(Block* block) const { std::free(block); }
};

nb::dlpack::dtype TypeOf(Element element) {
  using Code = nb::dlpack::dtype_code;
  const Code code = element == Element::kInt32 ? Code::Int : Code::Float;
  return {.code = static_cast<uint8_t>(code),
          .bits = static_cast<uint8_t>(8 * SizeOf(element)),
          .lanes = 1};
}

// Returns the size in bytes, or -1 if there is no such block.
int64_t BytesOf(Element element, const std::vector<int64_t>& shape) {
  int64_t bytes = SizeOf(element);
  bool overflows = shape.size() > MLUOP_DIM_MAX;
  for (const int64_t dim : shape) {
    overflows |= __builtin_mul_overflow(bytes, dim, &bytes);
  }
  return overflows || bytes > kLargestBytes ? -1 : bytes;
}

// Returns null if the array is too large or there is no memory.
std::unique_ptr<Block, FreeBlock> NewBlock(Element element, const std::vector<int64_t>& shape) {
  const int64_t bytes = BytesOf(element, shape);
  void* const memory =
      bytes < 0 ? nullptr
                : std::aligned_alloc(
                      kAlignment, static_cast<size_t>(RoundUp(kBlockHeader + bytes, kAlignment)));
  if (memory == nullptr) {
    return nullptr;
  }
  auto* const block = new (memory) Block{};
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    block->dims[i] = shape[i];
    block->strides[i] = stride;
    stride *= shape[i];
  }
  ManagedTensor& managed = block->managed;
  managed.major = kDlpackMajor;
  managed.deleter = [](ManagedTensor* self) { std::free(self); };  // the block begins with it
  managed.tensor.data = reinterpret_cast<std::byte*>(block) + kBlockHeader;
  managed.tensor.device.device_type = nb::device::cpu::value;
  managed.tensor.ndim = static_cast<int32_t>(shape.size());
  managed.tensor.dtype = TypeOf(element);
  managed.tensor.shape = block->dims;
  managed.tensor.strides = block->strides;
  return std::unique_ptr<Block, FreeBlock>(block);
}

Strided StridedOf(const Block& block, Element element) {
  const nb::dlpack::dltensor& tensor = block.managed.tensor;
  Strided strided;
  strided.data = tensor.data;
  strided.element = element;
  strided.rank = tensor.ndim;
  for (int i = 0; i < tensor.ndim; ++i) {
    strided.dims[i] = tensor.shape[i];
    strided.strides[i] = tensor.strides[i] * SizeOf(element);
  }
  return strided;
}

// Makes an array of the tensor, which the function owns from here on, even if it fails.
nb::object MakeArray(const ExchangeApi& api, ManagedTensor* tensor) {
  void* array = nullptr;
  if (api.make_object(tensor, &array) != 0) {
    PyErr_Clear();
    return {};
  }
  return nb::steal(static_cast<PyObject*>(array));
}

int64_t released_probes = 0;

// Returns whether arrays of this API release the tensor that they were made of. Those of Paddle 3.3
// never do.
bool ReleasesTensors(const ExchangeApi& api) {
  static auto* const known = new std::map<const ExchangeApi*, bool>;
  const auto found = known->find(&api);
  if (found != known->end()) {
    return found->second;
  }
  const int64_t before = released_probes;
  if (auto block = NewBlock(Element::kFloat, {1}); block != nullptr) {
    block->managed.deleter = [](ManagedTensor* self) {
      ++released_probes;
      std::free(self);
    };
    MakeArray(api, &block.release()->managed).reset();
  }
  return known->emplace(&api, released_probes != before).first->second;
}

}  // namespace

ImportedTensor::~ImportedTensor() {
  if (versioned_ != nullptr && versioned_->deleter != nullptr) {
    versioned_->deleter(versioned_);
  }
  if (unversioned_ != nullptr && unversioned_->deleter != nullptr) {
    unversioned_->deleter(unversioned_);
  }
}

bool IsLaterVersion(nb::handle capsule) {
  const auto* const managed = TensorIn<ManagedTensor>(capsule, kVersioned);
  return managed != nullptr && managed->major > kDlpackMajor;
}

ImportedTensor TensorOfCapsule(nb::handle capsule) {
  // A consumer renames the capsule, so that its destructor does not release the tensor, too.
  if (auto* const managed = TensorIn<ManagedTensor>(capsule, kVersioned);
      managed != nullptr && managed->major <= kDlpackMajor) {
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    return ImportedTensor(managed);
  }
  if (auto* const managed = TensorIn<UnversionedTensor>(capsule, kUnversioned);
      managed != nullptr) {
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    return ImportedTensor(managed);
  }
  return {};
}

ImportedTensor ExportThroughExchange(nb::handle array) {
  const ExchangeApi* const api = ExchangeApiOf(Py_TYPE(array.ptr()));
  if (api == nullptr || RecordsGradients(array)) {
    return {};
  }
  ManagedTensor* managed = nullptr;
  if (api->export_object(array.ptr(), &managed) != 0) {
    PyErr_Clear();  // __dlpack__ raises what the caller sees
    return {};
  }
  ImportedTensor result(managed);
  return managed->major > kDlpackMajor ? ImportedTensor() : std::move(result);
}

ExchangedArray NewThroughExchange(nb::handle example, Element element,
                                  const std::vector<int64_t>& shape, bool zeros) {
  const ExchangeApi* const api = ExchangeApiOf(Py_TYPE(example.ptr()));
  auto block = api == nullptr || !ReleasesTensors(*api) ? nullptr : NewBlock(element, shape);
  if (block == nullptr) {
    return {};
  }
  const Strided strided = StridedOf(*block, element);
  if (zeros) {
    std::memset(block->managed.tensor.data, 0,
                static_cast<size_t>(strided.count() * SizeOf(element)));
  }
  return {.array = MakeArray(*api, &block.release()->managed), .strided = strided};
}

}  // namespace detops::python
