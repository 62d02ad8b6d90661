// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/stubs/strutil.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "cli/case_fields.h"
#include "cli/case_schema.h"
#include "cli/input_file.h"
#include "core/half.h"

namespace detops::cli {
namespace {

namespace pb = google::protobuf;

// ---- Values -------------------------------------------------------------------------------------

// The library refuses tensors with this many elements.
constexpr int64_t kTooManyElements = int64_t{1} << 31;

template <class From>
bool Convert(From from, float& to) {
  to = static_cast<float>(from);
  return true;
}

template <class From>
bool Convert(From from, Half& to) {
  to = FloatToHalf(static_cast<float>(from));
  return true;
}

template <class From>
bool Convert(From from, int32_t& to) {
  if constexpr (std::is_floating_point_v<From>) {
    if (!(from >= -0x1p31f && from < 0x1p31f) || from != std::trunc(from)) {
      return false;
    }
    to = static_cast<int32_t>(from);
    return true;
  } else {
    return !__builtin_add_overflow(from, From{0}, &to);
  }
}

// Converts a bit pattern in hexadecimal digits, with or without 0x.
template <class To>
bool ConvertBits(const std::string& from, To& to) {
  const bool is_prefixed = from.size() > 2 && from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
  const char* const begin = from.data() + (is_prefixed ? 2 : 0);
  const char* const end = from.data() + from.size();
  uint64_t bits = 0;
  const auto [stop, error] = std::from_chars(begin, end, bits, 16);
  if (error != std::errc() || stop != end || end - begin > ptrdiff_t{2 * sizeof(To)}) {
    return false;
  }
  std::memcpy(&to, &bits, sizeof(to));
  return true;
}

// Returns the memory of numbers that are not read again to the system, so that a long list is not
// in memory twice while it moves. Only whole pages within the range are released.
template <class Number>
void DropPages(const Number* begin, const Number* end) {
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto* const bytes = reinterpret_cast<const char*>(begin);
  const auto before = static_cast<ptrdiff_t>(-reinterpret_cast<uintptr_t>(begin) % page);
  const auto after = static_cast<ptrdiff_t>(reinterpret_cast<uintptr_t>(end) % page);
  const ptrdiff_t length = reinterpret_cast<const char*>(end) - bytes - before - after;
  if (length > 0) {
    madvise(const_cast<char*>(bytes + before), static_cast<size_t>(length), MADV_DONTNEED);
  }
}

template <class To, class From>
void MoveAs(const pb::RepeatedField<From>& numbers, const Tensor& tensor) {
  constexpr int kStep = 1 << 20;
  To* const to = tensor.as<To>();
  for (int begin = 0; begin < numbers.size(); begin += kStep) {
    const int end = std::min(numbers.size() - begin, kStep) + begin;
    for (int i = begin; i < end; ++i) {
      if (!Convert(numbers[i], to[i])) {
        throw UserError(
            fmt::format("has value {} at index {}; it must be a 32-bit integer", numbers[i], i));
      }
    }
    DropPages(numbers.data() + begin, numbers.data() + end);
  }
}

template <class To>
void MoveAs(const pb::RepeatedPtrField<std::string>& texts, const Tensor& tensor) {
  for (int i = 0; i < texts.size(); ++i) {
    if (!ConvertBits(texts[i], tensor.as<To>()[i])) {
      throw UserError(
          fmt::format("has value_h '{}' at index {}; it must be 1 to {} hexadecimal digits",
                      pb::CEscape(texts[i]), i, 2 * sizeof(To)));
    }
  }
}

// Moves the numbers into the tensor. The list must not be read afterwards.
template <class Numbers>
void MoveValues(const Numbers& numbers, Tensor& tensor) {
  if (numbers.size() != tensor.count()) {
    throw UserError(fmt::format("has {} values; dims [{}] need {}", numbers.size(),
                                fmt::join(tensor.dims, ","), tensor.count()));
  }
  tensor.values = AlignedBuffer(tensor.bytes());
  switch (tensor.dtype) {
    case MLUOP_DTYPE_FLOAT:
      return MoveAs<float>(numbers, tensor);
    case MLUOP_DTYPE_HALF:
      return MoveAs<Half>(numbers, tensor);
    default:
      return MoveAs<int32_t>(numbers, tensor);
  }
}

void MoveValues(const pb::Message& message, const pb::FieldDescriptor* field, Tensor& tensor) {
  switch (field->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
      return MoveValues(NumbersIn<float>(message, field), tensor);
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return MoveValues(NumbersIn<int32_t>(message, field), tensor);
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return MoveValues(NumbersIn<int64_t>(message, field), tensor);
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      return MoveValues(NumbersIn<uint32_t>(message, field), tensor);
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return MoveValues(NumbersIn<uint64_t>(message, field), tensor);
    default:
      return MoveValues(TextsIn(message, field), tensor);
  }
}

void ReadRawFile(const std::string& path, Tensor& tensor) {
  try {
    std::error_code ignored;
    if (std::filesystem::is_other(path, ignored)) {  // opening a pipe would wait for its writer
      throw UserError("is not a regular file");
    }
    const InputFile file(path);
    if (static_cast<size_t>(file.size()) != tensor.bytes()) {
      throw UserError(
          fmt::format("has {} bytes; {} needs {}", file.size(), tensor.ToString(), tensor.bytes()));
    }
    AlignedBuffer values(tensor.bytes());
    if (!file.Read(values.data(), values.size())) {
      throw UserError("became shorter while it was read");
    }
    tensor.values = std::move(values);
  } catch (const UserError& error) {
    throw UserError(fmt::format("names the raw file {}, which {}", path, error.what()));
  }
}

// Returns the field that holds the values; null when there is none.
const pb::FieldDescriptor* ValueField(const pb::Message& message) {
  const pb::FieldDescriptor* found = nullptr;
  for (const char* name : {"value_f", "value_i", "value_h", "value_l", "value_ui", "value_ul"}) {
    if (CountOf(message, name) == 0) {
      continue;
    }
    if (found != nullptr) {
      throw UserError(
          fmt::format("has both {} and {}; only one of them may be given", found->name(), name));
    }
    found = FieldOf(message, name);
  }
  return found;
}

void ReadValues(const pb::Message& message, const std::filesystem::path& folder, Tensor& tensor) {
  const pb::FieldDescriptor* const field = ValueField(message);
  const std::string path = TextIn(message, "path");
  if (field == nullptr && path.empty()) {
    return;
  }
  if (tensor.count() >= kTooManyElements) {
    throw UserError(
        fmt::format("has values for {} elements; a tensor with values must have fewer than 2^31",
                    tensor.count()));
  }
  if (field != nullptr) {
    MoveValues(message, field, tensor);
  } else {
    ReadRawFile((folder / path).string(), tensor);
  }
}

// ---- Random data --------------------------------------------------------------------------------

// Returns the field NAME_double, else NAME, else `absent`.
double RealIn(const pb::Message& message, const std::string& name, double absent) {
  const pb::Reflection& reflection = *message.GetReflection();
  const pb::FieldDescriptor* const precise = FieldOf(message, name + "_double");
  const pb::FieldDescriptor* const field = FieldOf(message, name);
  const double value = reflection.HasField(message, precise)
                           ? reflection.GetDouble(message, precise)
                       : reflection.HasField(message, field)
                           ? static_cast<double>(reflection.GetFloat(message, field))
                           : absent;
  if (!std::isfinite(value)) {
    throw UserError(fmt::format("has random_data with {} {}; it must be finite", name, value));
  }
  return value;
}

void RequireInt32(double value) {
  if (!(value >= -0x1p31 && value < 0x1p31)) {
    throw UserError(
        fmt::format("has random_data that reaches {}; int32 ends at -2^31 and 2^31 - 1", value));
  }
}

RandomData ReadRandom(const pb::Message& message, int index, mluOpDataType_t dtype) {
  constexpr int kGaussian = 2;  // the number in files
  RandomData random;
  random.seed = Has(message, "seed")
                    ? message.GetReflection()->GetInt32(message, FieldOf(message, "seed"))
                    : index;
  if (EnumIn(message, "distribution") == kGaussian) {
    random.distribution = RandomData::Distribution::kGaussian;
  }
  random.lower_bound = RealIn(message, "lower_bound", random.lower_bound);
  random.upper_bound = RealIn(message, "upper_bound", random.upper_bound);
  random.mu = RealIn(message, "mu", random.mu);
  random.sigma = RealIn(message, "sigma", random.sigma);
  if (dtype == MLUOP_DTYPE_INT32) {
    if (random.distribution == RandomData::Distribution::kGaussian) {
      // In standard deviations: normal numbers made of 32 random bits stay within this distance.
      constexpr double kFarthest = 7;
      RequireInt32(random.mu - kFarthest * std::fabs(random.sigma));
      RequireInt32(random.mu + kFarthest * std::fabs(random.sigma));
    } else {
      RequireInt32(random.lower_bound);
      RequireInt32(random.upper_bound);
    }
  }
  return random;
}

// ---- Tensors ------------------------------------------------------------------------------------

template <class Meaning, size_t kCount>
Meaning RequireMeaning(const pb::Message& message, const char* name,
                       const FileNumber<Meaning> (&numbers)[kCount]) {
  const std::optional<int> number = EnumIn(message, name);
  if (!number) {
    throw UserError(fmt::format("has no known {}; set one, for example {}", name,
                                FieldOf(message, name)->enum_type()->value(0)->name()));
  }
  const std::optional<Meaning> meaning = MeaningOf(numbers, *number);
  if (!meaning) {
    const pb::FieldDescriptor* const field = FieldOf(message, name);
    throw UserError(fmt::format("has {} {}, which is not supported", name,
                                field->enum_type()->FindValueByNumber(*number)->name()));
  }
  return *meaning;
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t product = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = product;
    product *= std::max<int64_t>(dims[i], 1);
  }
  return strides;
}

void ReadShape(const pb::Message& message, Tensor& tensor) {
  tensor.dims = IntegersIn(message, "dims");
  if (tensor.dims.size() > MLUOP_DIM_MAX) {
    throw UserError(fmt::format("has {} dimensions; at most {} are supported", tensor.dims.size(),
                                MLUOP_DIM_MAX));
  }
  tensor.strides = IntegersIn(message, "dim_stride");
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.dims.size()) {
    throw UserError(fmt::format("has {} dim_stride for {} dims; there must be one per dimension",
                                tensor.strides.size(), tensor.dims.size()));
  }
}

void ReadTensorFields(const pb::Message& message, int index, const std::filesystem::path& folder,
                      Tensor& tensor) {
  tensor.layout = RequireMeaning(message, "layout", kLayoutNumbers);
  tensor.dtype = RequireMeaning(message, "dtype", kDataTypeNumbers);
  ReadShape(MessageIn(message, "shape"), tensor);
  if (std::any_of(tensor.dims.begin(), tensor.dims.end(), [](int64_t dim) { return dim < 0; })) {
    throw UserError(
        fmt::format("has dims [{}]; they must be 0 or more", fmt::join(tensor.dims, ",")));
  }
  try {
    tensor.count();
  } catch (const UserError&) {
    throw UserError(fmt::format("has dims [{}]; such a tensor is larger than any memory",
                                fmt::join(tensor.dims, ",")));
  }
  if (tensor.strides == ContiguousStrides(tensor.dims)) {
    tensor.strides.clear();
  }
  if (!CanHaveValues(tensor.dtype)) {
    return;
  }
  ReadValues(message, folder, tensor);
  if (!tensor.has_values() && Has(message, "random_data")) {
    tensor.random = ReadRandom(MessageIn(message, "random_data"), index, tensor.dtype);
  }
}

Tensor ReadTensor(const pb::Message& message, const char* role, int index,
                  const std::filesystem::path& folder) {
  Tensor tensor;
  try {
    tensor.id = TextIn(message, "id");
    ReadTensorFields(message, index, folder, tensor);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{} {} '{}' {}", role, index, tensor.id, error.what()));
  }
  return tensor;
}

}  // namespace

std::vector<Tensor> TakeTensors(pb::Message& node, const char* role,
                                const std::filesystem::path& folder) {
  std::vector<Tensor> tensors(static_cast<size_t>(CountOf(node, role)));
  for (size_t i = tensors.size(); i-- > 0;) {
    const std::unique_ptr<pb::Message> message(
        node.GetReflection()->ReleaseLast(&node, FieldOf(node, role)));
    tensors[i] = ReadTensor(*message, role, static_cast<int>(i), folder);
  }
  return tensors;
}

}  // namespace detops::cli
