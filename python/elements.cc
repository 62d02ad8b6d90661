// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "python/elements.h"

#include <cstring>
#include <type_traits>

namespace detops::python {
namespace {

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

template <class From, class To>
To Convert(From value) {
  if constexpr (std::is_same_v<From, Half>) {
    return static_cast<To>(HalfToFloat(value));
  } else {
    return static_cast<To>(value);
  }
}

// Uses memcpy because elements may be misaligned.
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

template <class To>
void CopyAs(const Strided& array, To* to) {
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

// A range of addresses, without the last one.
struct Range {
  int64_t begin;
  int64_t end;

  bool Overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
};

// Returns the range from the first to the last element of the dimensions from `dimension` on. The
// element with index 0 is at `address`.
Range RangeOf(const Strided& array, int dimension, int64_t address) {
  Range range{address, address + SizeOf(array.element)};
  for (int i = dimension; i < array.rank; ++i) {
    const int64_t extent = (array.dims[i] - 1) * array.strides[i];
    (extent < 0 ? range.begin : range.end) += extent;
  }
  return range;
}

// Returns whether an element of the dimensions from `dimension` on has a byte in `range`.
bool Touches(const Strided& array, int dimension, int64_t address, const Range& range) {
  if (!RangeOf(array, dimension, address).Overlaps(range)) {
    return false;
  }
  if (dimension == array.rank) {
    return true;
  }
  for (int64_t i = 0; i < array.dims[dimension]; ++i) {
    if (Touches(array, dimension + 1, address + i * array.strides[dimension], range)) {
      return true;
    }
  }
  return false;
}

int64_t AddressOf(const Strided& array) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(array.data));
}

}  // namespace

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

bool Overlap(const Strided& contiguous, const Strided& array) {
  if (contiguous.count() == 0 || array.count() == 0) {
    return false;
  }
  const Range written = RangeOf(contiguous, 0, AddressOf(contiguous));
  const int64_t address = AddressOf(array);
  return array.IsContiguous() ? RangeOf(array, 0, address).Overlaps(written)
                              : Touches(array, 0, address, written);
}

void CopyElements(const Strided& array, float* to) { CopyAs(array, to); }

void CopyElements(const Strided& array, int64_t* to) { CopyAs(array, to); }

void CopyHalves(const Strided& array, Half* to) {
  Strided bits = array;
  bits.element = Element::kUInt16;
  CopyAs(bits, reinterpret_cast<uint16_t*>(to));
}

}  // namespace detops::python
