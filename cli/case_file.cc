// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Reads case files. case_file_write.cc writes them.

#include "cli/case_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/stubs/strutil.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/adapter.h"
#include "cli/case_schema.h"
#include "cli/one_line.h"
#include "core/half.h"

namespace detops::cli {
namespace {

namespace pb = google::protobuf;

// ---- Files --------------------------------------------------------------------------------------

// A file that is open for reading. Messages about it do not name it.
class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {
    if (file_ < 0) {
      ThrowErrno(errno);
    }
    if (fstat(file_, &status_) != 0 || S_ISDIR(status_.st_mode)) {
      const int error = S_ISDIR(status_.st_mode) ? EISDIR : errno;
      close(file_);
      ThrowErrno(error);
    }
  }
  ~InputFile() { close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int descriptor() const { return file_; }
  bool is_regular() const { return S_ISREG(status_.st_mode); }
  // Of a regular file.
  int64_t size() const { return status_.st_size; }
  bool Rewind() const { return lseek(file_, 0, SEEK_SET) == 0; }

  // False when the file ends before.
  bool Read(void* to, size_t bytes) const {
    auto* next = static_cast<char*>(to);
    while (bytes != 0) {
      const ssize_t got = read(file_, next, bytes);
      if (got < 0 && errno != EINTR) {
        ThrowErrno(errno);
      }
      if (got == 0) {
        return false;
      }
      if (got > 0) {
        next += got;
        bytes -= static_cast<size_t>(got);
      }
    }
    return true;
  }

  [[noreturn]] static void ThrowErrno(int error) {
    throw UserError(fmt::format("cannot be read: {}", std::generic_category().message(error)));
  }

 private:
  int file_;
  struct stat status_ {};
};

// ---- Bytes to a message -------------------------------------------------------------------------

// The most that protobuf can count.
constexpr int64_t kMostBytes = INT_MAX;
constexpr int kBlockBytes = 1 << 16;
// What cases need is 3. Deeper nesting is in fields that are skipped.
constexpr int kMostNesting = 100;
// Each costs another look at the file.
constexpr size_t kMostUnknownValues = 32;

// Names its file already.
class PlacedError : public UserError {
 public:
  using UserError::UserError;
};

// Keeps the first error, and is silent about what is skipped.
class FirstError : public pb::io::ErrorCollector {
 public:
  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override {
    if (message_.empty()) {
      line_ = line + 1;
      column_ = column + 1;
      message_ = message;
    }
  }
  void AddWarning(int /*line*/, pb::io::ColumnNumber /*column*/,
                  const std::string& /*message*/) override {}

  const std::string& message() const { return message_; }

  // After the file's name.
  std::string Describe() const {
    const bool is_no_text = message_.find("non ascii codepoint") != std::string::npos ||
                            message_.find("control characters") != std::string::npos;
    return fmt::format(
        ":{}:{}: {}", line_, column_,
        is_no_text ? "a byte that is no text, expected protobuf's text format in UTF-8" : message_);
  }

 private:
  int line_ = 0;
  int column_ = 0;
  std::string message_;
};

// The part of the text after `before` and up to `end`.
std::string Between(const std::string& text, std::string_view before, char end) {
  const size_t found = text.find(before);
  if (found == std::string::npos) {
    return {};
  }
  const size_t begin = found + before.size();
  return text.substr(begin, text.find(end, begin) - begin);
}

// Protobuf's text parser cannot skip values of enumerations, but it names the one that it stumbles
// over: `Unknown enumeration value of "DIFF9" for field "error_func".`
std::optional<UnknownEnumValue> UnknownValueIn(const std::string& message) {
  const std::string name = Between(message, "Unknown enumeration value of \"", '"');
  const std::string field = Between(message, "for field \"", '"');
  if (name.empty()) {
    return std::nullopt;
  }
  UnknownEnumValue value;
  value.name = name;
  value.enumeration = field == "layout"         ? "TensorLayout"
                      : field == "dtype"        ? "DataType"
                      : field == "distribution" ? "Distribution"
                                                : "EvaluationCriterion";
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) {
    value.number = number;
  }
  return value;
}

// Unknown criteria of binary files, which stand apart from the known ones, so that nobody can tell
// whose a threshold is.
std::optional<UnknownEnumValue> UnknownCriterionIn(const pb::Message& message, const char* name) {
  const int field = FieldOf(message, name)->number();
  const pb::UnknownFieldSet& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    if (unknown.field(i).number() == field &&
        unknown.field(i).type() == pb::UnknownField::TYPE_VARINT) {
      UnknownEnumValue value;
      value.enumeration = "EvaluationCriterion";
      value.number = static_cast<int>(unknown.field(i).varint());
      return value;
    }
  }
  return std::nullopt;
}

// A message with the schema that it needs.
struct Parsed {
  std::unique_ptr<CaseSchema> schema;
  std::unique_ptr<pb::Message> node;
};

// Returns a value that is to be made known before another attempt.
std::optional<UnknownEnumValue> ParseText(const std::string& path, pb::io::FileInputStream& stream,
                                          pb::Message& node) {
  FirstError error;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.SetRecursionLimit(kMostNesting);
  const bool is_good = parser.Parse(&stream, &node);
  if (stream.GetErrno() != 0) {
    InputFile::ThrowErrno(stream.GetErrno());
  }
  if (is_good) {
    return std::nullopt;
  }
  std::optional<UnknownEnumValue> value = UnknownValueIn(error.message());
  if (!value) {
    throw PlacedError(path + OneLine(error.Describe()));
  }
  return value;
}

std::optional<UnknownEnumValue> ParseBinary(pb::io::FileInputStream& stream, pb::Message& node) {
  const bool is_good = node.ParseFromZeroCopyStream(&stream);
  if (stream.GetErrno() != 0) {
    InputFile::ThrowErrno(stream.GetErrno());
  }
  if (!is_good) {
    throw UserError("is truncated or damaged, expected a binary case");
  }
  if (std::optional<UnknownEnumValue> value = UnknownCriterionIn(node, "evaluation_criterion")) {
    return value;
  }
  const pb::FieldDescriptor* const field = FieldOf(node, "test_param");
  return node.GetReflection()->HasField(node, field)
             ? UnknownCriterionIn(node.GetReflection()->GetMessage(node, field), "error_func")
             : std::nullopt;
}

// By its ending, or else by what it begins with: binary cases have control characters there, the
// tags of their fields.
bool IsText(const std::string& path, pb::io::ZeroCopyInputStream& stream) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".prototxt" || ending == ".pbtxt" || ending == ".txt") {
    return true;
  }
  const void* block = nullptr;
  int bytes = 0;
  if (ending == ".pb" || !stream.Next(&block, &bytes)) {
    return false;
  }
  const std::string_view text(static_cast<const char*>(block), static_cast<size_t>(bytes));
  const bool is_text = std::none_of(text.begin(), text.end(), [](char character) {
    const auto byte = static_cast<unsigned char>(character);
    return byte < ' ' && !(byte >= '\t' && byte <= '\r');
  });
  stream.BackUp(bytes);
  return is_text;
}

Parsed ParseFile(const std::string& path, const InputFile& file) {
  const pb::LogSilencer silence;
  std::vector<UnknownEnumValue> extra;
  for (;;) {
    Parsed parsed;
    parsed.schema = std::make_unique<CaseSchema>(extra);
    parsed.node = parsed.schema->NewNode();
    pb::io::FileInputStream stream(file.descriptor(), kBlockBytes);
    const std::optional<UnknownEnumValue> value = IsText(path, stream)
                                                      ? ParseText(path, stream, *parsed.node)
                                                      : ParseBinary(stream, *parsed.node);
    if (!value) {
      return parsed;
    }
    if (extra.size() == kMostUnknownValues || !file.Rewind() ||
        parsed.schema->HasName(value->name)) {
      throw UserError(fmt::format("has unknown values of {}, such as {}", value->enumeration,
                                  value->number ? fmt::format("{}", *value->number) : value->name));
    }
    extra.push_back(*value);
  }
}

// ---- Fields -------------------------------------------------------------------------------------

bool Has(const pb::Message& message, const char* name) {
  return message.GetReflection()->HasField(message, FieldOf(message, name));
}

int CountOf(const pb::Message& message, const char* name) {
  return message.GetReflection()->FieldSize(message, FieldOf(message, name));
}

const pb::Message& MessageIn(const pb::Message& message, const char* name) {
  return message.GetReflection()->GetMessage(message, FieldOf(message, name));
}

// Nothing when the field is absent.
std::optional<int> EnumIn(const pb::Message& message, const char* name) {
  return Has(message, name)
             ? std::optional(message.GetReflection()->GetEnumValue(message, FieldOf(message, name)))
             : std::nullopt;
}

bool IsUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto byte = [&](size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
    };
    const unsigned first = byte(i);
    const size_t length = first < 0x80    ? 1
                          : first < 0xC2  ? 0
                          : first < 0xE0  ? 2
                          : first < 0xF0  ? 3
                          : first <= 0xF4 ? 4
                                          : 0;
    if (length == 0) {
      return false;
    }
    for (size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) {
        return false;
      }
    }
    const bool is_long_form =
        (first == 0xE0 && byte(i + 1) < 0xA0) || (first == 0xF0 && byte(i + 1) < 0x90);
    const bool is_no_character =
        (first == 0xED && byte(i + 1) >= 0xA0) || (first == 0xF4 && byte(i + 1) >= 0x90);
    if (is_long_form || is_no_character) {
      return false;
    }
    i += length;
  }
  return true;
}

std::string TextIn(const pb::Message& message, const char* name) {
  std::string text = message.GetReflection()->GetString(message, FieldOf(message, name));
  if (!IsUtf8(text)) {
    throw UserError(fmt::format("has text in {} that is not UTF-8", name));
  }
  return text;
}

// Protobuf would rather hand out elements one by one; then nobody knows where they are.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class Number>
const pb::RepeatedField<Number>& NumbersIn(const pb::Message& message,
                                           const pb::FieldDescriptor* field) {
  return message.GetReflection()->GetRepeatedField<Number>(message, field);
}

const pb::RepeatedPtrField<std::string>& TextsIn(const pb::Message& message,
                                                 const pb::FieldDescriptor* field) {
  return message.GetReflection()->GetRepeatedPtrField<std::string>(message, field);
}
#pragma GCC diagnostic pop

std::vector<int64_t> IntegersIn(const pb::Message& message, const char* name) {
  const auto& integers = NumbersIn<int64_t>(message, FieldOf(message, name));
  return {integers.begin(), integers.end()};
}

// ---- Values -------------------------------------------------------------------------------------

// The library takes none of that many elements.
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

// Hexadecimal digits, with or without 0x.
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

// Gives back the memory of numbers that nobody reads again, so that a long list is there once and
// not twice while it moves. Only pages that hold nothing else.
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
        throw UserError(fmt::format("has the value {} at {}, expected a whole number of 32 bits",
                                    numbers[i], i));
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
          fmt::format("has the value_h '{}' at {}, expected up to {} hexadecimal digits",
                      pb::CEscape(texts[i]), i, 2 * sizeof(To)));
    }
  }
}

// The numbers are gone afterwards.
template <class Numbers>
void MoveValues(const Numbers& numbers, Tensor& tensor) {
  if (numbers.size() != tensor.count()) {
    throw UserError(fmt::format("has {} values for dims [{}], expected {}", numbers.size(),
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
    if (std::filesystem::is_other(path, ignored)) {  // a pipe would wait for its writer
      throw UserError("is no file");
    }
    const InputFile file(path);
    if (static_cast<size_t>(file.size()) != tensor.bytes()) {
      throw UserError(fmt::format("has {} bytes, expected {} for {}", file.size(), tensor.bytes(),
                                  tensor.ToString()));
    }
    AlignedBuffer values(tensor.bytes());
    if (!file.Read(values.data(), values.size())) {
      throw UserError("got shorter while it was read");
    }
    tensor.values = std::move(values);
  } catch (const UserError& error) {
    throw UserError(fmt::format("has the raw file {}, which {}", path, error.what()));
  }
}

// The one field that has values; null when there is none.
const pb::FieldDescriptor* ValueField(const pb::Message& message) {
  const pb::FieldDescriptor* found = nullptr;
  for (const char* name : {"value_f", "value_i", "value_h", "value_l", "value_ui", "value_ul"}) {
    if (CountOf(message, name) == 0) {
      continue;
    }
    if (found != nullptr) {
      throw UserError(fmt::format("has {} and {}, expected one of them", found->name(), name));
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
        fmt::format("has values for {} elements, expected fewer than 2^31", tensor.count()));
  }
  if (field != nullptr) {
    MoveValues(message, field, tensor);
  } else {
    ReadRawFile((folder / path).string(), tensor);
  }
}

// ---- Random data --------------------------------------------------------------------------------

// NAME_double, else NAME, else `absent`.
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
    throw UserError(
        fmt::format("has random_data whose {} is {}, expected a finite number", name, value));
  }
  return value;
}

void RequireInt32(double value) {
  if (!(value >= -0x1p31 && value < 0x1p31)) {
    throw UserError(
        fmt::format("has random_data that reaches {}, expected what int32 holds", value));
  }
}

RandomData ReadRandom(const pb::Message& message, int index, mluOpDataType_t dtype) {
  constexpr int kGaussian = 2;  // in files
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
      // A normal number of 32 random bits is not farther away.
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
    throw UserError(fmt::format("has no {} that is known, expected one", name));
  }
  const std::optional<Meaning> meaning = MeaningOf(numbers, *number);
  if (!meaning) {
    const pb::FieldDescriptor* const field = FieldOf(message, name);
    throw UserError(fmt::format("has the {} {}, which is not supported", name,
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
    throw UserError(
        fmt::format("has {} dimensions, expected at most {}", tensor.dims.size(), MLUOP_DIM_MAX));
  }
  tensor.strides = IntegersIn(message, "dim_stride");
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.dims.size()) {
    throw UserError(fmt::format("has {} of dim_stride, expected as many as its {} dims",
                                tensor.strides.size(), tensor.dims.size()));
  }
}

void ReadTensorFields(const pb::Message& message, int index, const std::filesystem::path& folder,
                      Tensor& tensor) {
  tensor.layout = RequireMeaning(message, "layout", kLayoutNumbers);
  tensor.dtype = RequireMeaning(message, "dtype", kDataTypeNumbers);
  ReadShape(MessageIn(message, "shape"), tensor);
  if (std::any_of(tensor.dims.begin(), tensor.dims.end(), [](int64_t dim) { return dim < 0; })) {
    throw UserError(fmt::format("has dims [{}], expected 0 or more", fmt::join(tensor.dims, ",")));
  }
  try {
    tensor.count();
  } catch (const UserError&) {
    throw UserError(fmt::format("has dims [{}], whose product is larger than any memory",
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

// Takes them out of the message from the last on, so that no tensor is there twice.
std::vector<Tensor> TakeTensors(pb::Message& node, const char* role,
                                const std::filesystem::path& folder, size_t expected,
                                bool may_be_none) {
  const auto count = static_cast<size_t>(CountOf(node, role));
  if (count != expected && !(may_be_none && count == 0)) {
    throw UserError(fmt::format("has {} {}s, expected {}", count, role, expected));
  }
  std::vector<Tensor> tensors(count);
  for (size_t i = count; i-- > 0;) {
    const std::unique_ptr<pb::Message> message(
        node.GetReflection()->ReleaseLast(&node, FieldOf(node, role)));
    tensors[i] = ReadTensor(*message, role, static_cast<int>(i), folder);
  }
  return tensors;
}

// ---- The rest of a case -------------------------------------------------------------------------

// Criteria that are not known are skipped, with their thresholds.
std::vector<Criterion> ReadCriteria(const pb::Message& message, const char* criteria_name,
                                    const char* thresholds_name) {
  const pb::Reflection& reflection = *message.GetReflection();
  const pb::FieldDescriptor* const criteria = FieldOf(message, criteria_name);
  const pb::FieldDescriptor* const thresholds = FieldOf(message, thresholds_name);
  const int count = reflection.FieldSize(message, criteria);
  if (reflection.FieldSize(message, thresholds) != count) {
    throw UserError(fmt::format("has {} of {} and {} of {}, expected as many", count, criteria_name,
                                reflection.FieldSize(message, thresholds), thresholds_name));
  }
  std::vector<Criterion> read;
  for (int i = 0; i < count; ++i) {
    const double threshold = reflection.GetRepeatedDouble(message, thresholds, i);
    if (!(threshold >= 0)) {
      throw UserError(
          fmt::format("{} {} is {}, expected 0 or more", thresholds_name, i, threshold));
    }
    const std::optional<Measure> measure =
        MeaningOf(kMeasureNumbers, reflection.GetRepeatedEnumValue(message, criteria, i));
    if (measure) {
      read.push_back({*measure, threshold});
    }
  }
  return read;
}

std::vector<Criterion> ReadAllCriteria(const pb::Message& node) {
  std::vector<Criterion> criteria =
      ReadCriteria(node, "evaluation_criterion", "evaluation_threshold");
  if (CountOf(node, "evaluation_criterion") == 0 && Has(node, "test_param")) {
    criteria = ReadCriteria(MessageIn(node, "test_param"), "error_func", "error_threshold");
  }
  return criteria;
}

std::vector<double> ReadParameters(const pb::Message& node, const Description& description) {
  const pb::Message& message = MessageIn(node, description.parameters_name);
  const pb::Reflection& reflection = *message.GetReflection();
  std::vector<double> values;
  for (const Parameter& parameter : description.parameters) {
    const pb::FieldDescriptor* const field = FieldOf(message, parameter.name);
    if (!reflection.HasField(message, field)) {
      values.push_back(parameter.value);
    } else if (parameter.type == ParameterType::kInt) {
      values.push_back(reflection.GetInt32(message, field));
    } else if (parameter.type == ParameterType::kFloat) {
      values.push_back(static_cast<double>(reflection.GetFloat(message, field)));
    } else {
      values.push_back(reflection.GetBool(message, field) ? 1 : 0);
    }
  }
  return values;
}

mluOpStatus_t ReadExpectedStatus(const pb::Message& node) {
  const int status = node.GetReflection()->GetInt32(node, FieldOf(node, "expected_status"));
  if (status < MLUOP_STATUS_SUCCESS || status > MLUOP_STATUS_NUMERICAL_OVERFLOW) {
    throw UserError(fmt::format("expected_status is {}, expected 0 to {}", status,
                                static_cast<int>(MLUOP_STATUS_NUMERICAL_OVERFLOW)));
  }
  return static_cast<mluOpStatus_t>(status);
}

std::string ReadOperator(const pb::Message& node) {
  std::string name = TextIn(node, "op_name");
  if (name.empty()) {
    name = TextIn(node, "api_name");
  }
  if (name.empty()) {
    throw UserError("has neither op_name nor api_name, expected the name of an operator");
  }
  return name;
}

Case ReadNode(pb::Message& node, const std::filesystem::path& path) {
  Case read;
  read.name = path.stem().string();
  read.op = ReadOperator(node);
  const Description& description = FindAdapter(read.op).description();
  read.parameters = ReadParameters(node, description);
  read.criteria = ReadAllCriteria(node);
  read.expected_status = ReadExpectedStatus(node);
  const std::filesystem::path folder = path.parent_path();
  read.inputs = TakeTensors(node, "input", folder, description.inputs.size(), false);
  read.outputs = TakeTensors(node, "output", folder, description.outputs.size(), true);
  return read;
}

// ---- Finding files ------------------------------------------------------------------------------

bool IsCaseFile(const std::filesystem::directory_entry& entry) {
  const std::filesystem::path ending = entry.path().extension();
  return (ending == EndingOf(CaseFormat::kText) || ending == EndingOf(CaseFormat::kBinary)) &&
         entry.is_regular_file();
}

std::vector<std::string> CaseFilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  try {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (IsCaseFile(entry)) {
        files.push_back(entry.path().string());
      }
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw UserError(
        fmt::format("{}: cannot be read: {}", error.path1().string(), error.code().message()));
  }
  if (files.empty()) {
    throw UserError(fmt::format("{}: has no case, expected files that end in {} or {}", folder,
                                EndingOf(CaseFormat::kText), EndingOf(CaseFormat::kBinary)));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Case ReadCase(const std::string& path) {
  try {
    const InputFile file(path);
    if (file.is_regular() && file.size() > kMostBytes) {
      throw UserError(fmt::format("has {} bytes, expected at most {}", file.size(), kMostBytes));
    }
    const Parsed parsed = ParseFile(path, file);
    return ReadNode(*parsed.node, path);
  } catch (const PlacedError&) {
    throw;
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", path, OneLine(error.what())));
  } catch (const std::bad_alloc&) {
    throw UserError(fmt::format("{}: is larger than the memory", path));
  }
}

std::vector<std::string> FindCaseFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> found;
  std::set<std::filesystem::path> seen;
  const auto add = [&](const std::string& file) {
    if (seen.insert(std::filesystem::weakly_canonical(file)).second) {
      found.push_back(file);
    }
  };
  for (const std::string& path : paths) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::directory) {
      const std::vector<std::string> files = CaseFilesBelow(path);
      std::for_each(files.begin(), files.end(), add);
    } else if (std::filesystem::exists(status)) {
      add(path);
    } else {
      throw UserError(fmt::format("{}: cannot be read: {}", path, error.message()));
    }
  }
  return found;
}

const char* EndingOf(CaseFormat format) {
  return format == CaseFormat::kText ? ".prototxt" : ".pb";
}

}  // namespace detops::cli
