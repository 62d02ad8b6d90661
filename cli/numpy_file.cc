// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/numpy_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/one_line.h"
#include "cli/output_file.h"

namespace detops::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kArrayEnding = ".npy";
constexpr std::string_view kArchiveEnding = ".npz";
// NumPy's own limit.
constexpr size_t kMostHeaderBytes = 10'000;
// What a header is padded to, with all that stands before it.
constexpr size_t kHeaderAlignment = 64;
// So that the first dimension can grow in place.
constexpr size_t kFirstDimensionDigits = 21;
constexpr int64_t kTooManyElements = int64_t{1} << 31;

struct FileType {
  mluOpDataType_t dtype;
  std::string_view code;  // after the byte order
};
constexpr FileType kTypes[] = {
    {MLUOP_DTYPE_FLOAT, "f4"}, {MLUOP_DTYPE_HALF, "f2"}, {MLUOP_DTYPE_INT32, "i4"}};

bool EndsWith(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

// ---- Where bytes come from ----------------------------------------------------------------------

class Source {
 public:
  virtual ~Source() = default;
  // How many of them there were. Throws UserError.
  virtual size_t Read(void* to, size_t bytes) = 0;
  // The most that can still come.
  virtual uint64_t MostBytes() const = 0;
};

class FileSource : public Source {
 public:
  explicit FileSource(const std::string& path) : file_(std::fopen(path.c_str(), "rbe")) {
    struct stat status {};
    if (file_ == nullptr || fstat(fileno(file_.get()), &status) != 0) {
      ThrowErrno(errno);
    }
    if (!S_ISREG(status.st_mode)) {
      ThrowErrno(S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
    }
    most_bytes_ = static_cast<uint64_t>(status.st_size);
  }

  size_t Read(void* to, size_t bytes) override {
    const size_t got = std::fread(to, 1, bytes, file_.get());
    if (got != bytes && std::ferror(file_.get()) != 0) {
      ThrowErrno(errno);
    }
    return got;
  }
  uint64_t MostBytes() const override { return most_bytes_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] static void ThrowErrno(int error) {
    throw UserError(fmt::format("cannot be read: {}", std::generic_category().message(error)));
  }

  std::unique_ptr<std::FILE, Close> file_;
  uint64_t most_bytes_ = 0;
};

struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;

class MemberSource : public Source {
 public:
  // `archive_bytes` is the size of the archive's file.
  MemberSource(zip_t* archive, zip_uint64_t index, uint64_t archive_bytes)
      : member_(zip_fopen_index(archive, index, 0)) {
    zip_stat_t status;
    if (member_ == nullptr || zip_stat_index(archive, index, 0, &status) != 0) {
      throw UserError(fmt::format("cannot be read: {}", zip_strerror(archive)));
    }
    if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE) {
      throw UserError(fmt::format("is compressed by method {}, expected stored or deflated data",
                                  status.comp_method));
    }
    // A byte of deflated data does not give more than 1,032.
    const uint64_t most_per_byte = status.comp_method == ZIP_CM_STORE ? 1 : 1032;
    most_bytes_ = std::min<uint64_t>(status.comp_size, archive_bytes) * most_per_byte;
  }

  size_t Read(void* to, size_t bytes) override {
    size_t total = 0;
    while (total < bytes) {
      const zip_int64_t got =
          zip_fread(member_.get(), static_cast<char*>(to) + total, bytes - total);
      if (got < 0) {
        throw UserError(fmt::format("cannot be read: {}",
                                    zip_error_strerror(zip_file_get_error(member_.get()))));
      }
      if (got == 0) {
        break;
      }
      total += static_cast<size_t>(got);
    }
    return total;
  }
  uint64_t MostBytes() const override { return most_bytes_; }

 private:
  std::unique_ptr<zip_file_t, CloseMember> member_;
  uint64_t most_bytes_ = 0;
};

// ---- The header ---------------------------------------------------------------------------------

struct Header {
  std::string type;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// A dictionary as Python prints it.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Header Parse() {
    Header header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    Expect('{');
    while (!Accept('}')) {
      const std::string key = TakeText();
      Expect(':');
      if (key == "descr" && !std::exchange(has_type, true)) {
        header.type = TakeType();
      } else if (key == "fortran_order" && !std::exchange(has_order, true)) {
        header.fortran_order = TakeBool();
      } else if (key == "shape" && !std::exchange(has_shape, true)) {
        header.shape = TakeShape();
      } else {
        Fail();
      }
      if (!Accept(',')) {
        Expect('}');
        break;
      }
    }
    SkipSpace();
    if (!text_.empty() || !has_type || !has_order || !has_shape) {
      Fail();
    }
    return header;
  }

 private:
  [[noreturn]] void Fail() const {
    throw UserError(
        "has a header that is no dictionary of descr, fortran_order and shape, expected a NumPy "
        "array");
  }

  void SkipSpace() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
  }

  bool Accept(char character) {
    SkipSpace();
    const bool is_next = !text_.empty() && text_[0] == character;
    text_.remove_prefix(is_next ? 1 : 0);
    return is_next;
  }

  bool AcceptWord(std::string_view word) {
    SkipSpace();
    const bool is_next = text_.substr(0, word.size()) == word;
    text_.remove_prefix(is_next ? word.size() : 0);
    return is_next;
  }

  void Expect(char character) {
    if (!Accept(character)) {
      Fail();
    }
  }

  std::string TakeText() {
    const char quote = Accept('\'') ? '\'' : '"';
    if (quote == '"') {
      Expect('"');
    }
    const size_t end = text_.find(quote);
    if (end == std::string_view::npos ||
        text_.substr(0, end).find('\\') != std::string_view::npos) {
      Fail();
    }
    std::string text(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return text;
  }

  std::string TakeType() {
    if (Accept('[')) {
      throw UserError("has records, expected an array of float32, float16 or int32");
    }
    return TakeText();
  }

  bool TakeBool() {
    if (AcceptWord("True")) {
      return true;
    }
    if (!AcceptWord("False")) {
      Fail();
    }
    return false;
  }

  std::vector<int64_t> TakeShape() {
    std::vector<int64_t> shape;
    Expect('(');
    while (!Accept(')')) {
      shape.push_back(TakeInteger());
      AcceptWord("L");  // of long integers of old versions
      if (!Accept(',')) {
        Expect(')');
        if (shape.size() == 1) {
          Fail();  // (3) is a number
        }
        break;
      }
    }
    return shape;
  }

  int64_t TakeInteger() {
    SkipSpace();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) {
      Fail();
    }
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return value;
  }

  std::string_view text_;
};

void ReadExactly(Source& source, void* to, size_t bytes, const char* what) {
  const size_t got = source.Read(to, bytes);
  if (got != bytes) {
    throw UserError(fmt::format("ends after {} of {} bytes of its {}", got, bytes, what));
  }
}

std::string ReadHeader(Source& source) {
  std::array<unsigned char, 8> start{};
  if (source.Read(start.data(), start.size()) != start.size() ||
      std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0) {
    throw UserError("is no NumPy array, expected a file that begins with \\x93NUMPY");
  }
  const unsigned version = start[kMagic.size()];
  const unsigned minor = start[kMagic.size() + 1];
  if (version < 1 || version > 3 || minor != 0) {
    throw UserError(
        fmt::format("has the format version {}.{}, expected 1.0, 2.0 or 3.0", version, minor));
  }
  std::array<unsigned char, 4> length{};
  ReadExactly(source, length.data(), version == 1 ? 2 : 4, "header");
  size_t bytes = 0;
  for (size_t i = length.size(); i-- > 0;) {
    bytes = bytes << 8 | length[i];
  }
  if (bytes > kMostHeaderBytes) {
    throw UserError(
        fmt::format("has a header of {} bytes, expected at most {}", bytes, kMostHeaderBytes));
  }
  std::string header(bytes, '\0');
  ReadExactly(source, header.data(), bytes, "header");
  return header;
}

// ---- Arrays -------------------------------------------------------------------------------------

// "float64", or the code itself when it says nothing to us.
std::string TypeName(std::string_view code) {
  constexpr std::pair<char, const char*> kKinds[] = {
      {'f', "float"}, {'i', "int"}, {'u', "uint"}, {'c', "complex"}};
  int bytes = 0;
  const bool has_size =
      code.size() > 1 &&
      std::from_chars(code.data() + 1, code.data() + code.size(), bytes).ec == std::errc();
  if (code == "b1") {
    return "bool";
  }
  for (const auto& [kind, name] : kKinds) {
    if (has_size && code[0] == kind && bytes > 0 && bytes <= 32) {
      return fmt::format("{}{}", name, 8 * bytes);
    }
  }
  return fmt::format("'{}'", code);
}

mluOpDataType_t TypeOf(const std::string& type) {
  std::string_view code = type;
  char order = '=';
  if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
    order = code[0];
    code.remove_prefix(1);
  }
  for (const FileType& entry : kTypes) {
    if (entry.code == code && order != '>') {
      return entry.dtype;
    }
  }
  const bool is_integer =
      !code.empty() && std::string_view("iub").find(code[0]) != std::string_view::npos;
  throw UserError(fmt::format(
      "has type {}{}, expected float32, float16 or int32 (convert with .astype(np.{}))",
      order == '>' ? "big-endian " : "", TypeName(code), is_integer ? "int32" : "float32"));
}

Tensor Describe(const Header& header) {
  Tensor tensor = MakeTensor(TypeOf(header.type), header.shape);
  if (tensor.dims.size() > MLUOP_DIM_MAX) {
    throw UserError(
        fmt::format("has {} dimensions, expected at most {}", tensor.dims.size(), MLUOP_DIM_MAX));
  }
  const auto is_long = [](int64_t dim) { return dim > 1; };
  if (header.fortran_order && tensor.count() != 0 &&
      std::count_if(tensor.dims.begin(), tensor.dims.end(), is_long) > 1) {
    throw UserError("is in Fortran order, expected C order (convert with np.ascontiguousarray)");
  }
  if (tensor.count() >= kTooManyElements) {
    throw UserError(fmt::format("has {} elements, expected fewer than 2^31", tensor.count()));
  }
  return tensor;
}

// Reads what the header says and no more, whatever an archive would unpack to.
Tensor ReadArray(Source& source) {
  Tensor tensor = Describe(HeaderParser(ReadHeader(source)).Parse());
  if (tensor.bytes() > source.MostBytes()) {
    throw UserError(
        fmt::format("ends before the {} bytes of {}", tensor.bytes(), tensor.ToString()));
  }
  tensor.values = AlignedBuffer(tensor.bytes());
  ReadExactly(source, tensor.values.data(), tensor.bytes(), "data");
  char more;
  if (source.Read(&more, 1) != 0) {
    throw UserError(
        fmt::format("has more than the {} bytes of {}", tensor.bytes(), tensor.ToString()));
  }
  return tensor;
}

// ---- Archives -----------------------------------------------------------------------------------

struct Member {
  std::string name;  // without .npy
  zip_uint64_t index;
};

Archive OpenArchive(const std::string& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string message = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw UserError(fmt::format("is no archive of NumPy arrays: {}", message));
  }
  return archive;
}

std::vector<Member> MembersOf(zip_t* archive) {
  std::vector<Member> members;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* const name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    if (name != nullptr && EndsWith(name, kArrayEnding)) {
      std::string stem = name;
      stem.resize(stem.size() - kArrayEnding.size());
      members.push_back({std::move(stem), static_cast<zip_uint64_t>(i)});
    }
  }
  return members;
}

std::vector<Member> Pick(const std::vector<Member>& members, const std::string& name) {
  std::string names;
  for (const Member& member : members) {
    if (member.name == name || member.name + std::string(kArrayEnding) == name) {
      return {member};
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", member.name);
  }
  throw UserError(fmt::format("has no array '{}', expected one of {}", name, names));
}

// All arrays when `name` is nothing.
std::vector<Tensor> ReadArchive(const std::string& path, const std::optional<std::string>& name) {
  const Archive archive = OpenArchive(path);
  std::vector<Member> members = MembersOf(archive.get());
  if (members.empty()) {
    throw UserError("has no arrays, expected members that end in .npy");
  }
  if (name) {
    members = Pick(members, *name);
  }
  const uint64_t archive_bytes = std::filesystem::file_size(path);
  std::vector<Tensor> tensors;
  for (const Member& member : members) {
    try {
      MemberSource source(archive.get(), member.index, archive_bytes);
      tensors.push_back(ReadArray(source));
      tensors.back().id = member.name;
    } catch (const UserError& error) {
      throw UserError(fmt::format("array '{}' {}", member.name, error.what()));
    }
  }
  return tensors;
}

bool IsArchive(const std::string& path) {
  FileSource file(path);
  char start[2] = {};
  return file.Read(start, sizeof(start)) == sizeof(start) && start[0] == 'P' && start[1] == 'K';
}

std::vector<Tensor> ReadFile(const std::string& path, const std::optional<std::string>& name) {
  if (IsArchive(path)) {
    return ReadArchive(path, name);
  }
  if (name) {
    throw UserError(fmt::format("is no archive, expected one with the array '{}'", *name));
  }
  FileSource file(path);
  std::vector<Tensor> tensors;
  tensors.push_back(ReadArray(file));
  tensors.back().id = std::filesystem::path(path).stem().string();
  return tensors;
}

// ---- Writing ------------------------------------------------------------------------------------

std::string ShapeText(const std::vector<int64_t>& dims) {
  return fmt::format("({}{})", fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
}

// The bytes before the data, the same ones that NumPy writes.
std::string MakeHeader(const std::string& path, const Tensor& tensor) {
  const auto* const type =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const FileType& entry) { return entry.dtype == tensor.dtype; });
  if (type == std::end(kTypes)) {
    throw UserError(
        fmt::format("{}: cannot hold {}, expected float, half or int32", path, tensor.ToString()));
  }
  std::string text = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': {}, }}",
                                 type->code, ShapeText(tensor.dims));
  if (!tensor.dims.empty()) {
    text.append(kFirstDimensionDigits - fmt::formatted_size("{}", tensor.dims[0]), ' ');
  }
  const size_t before = kMagic.size() + 4;
  const size_t unpadded = before + text.size() + 1;
  text.append((kHeaderAlignment - unpadded % kHeaderAlignment) % kHeaderAlignment, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

// An archive in memory that grows while members are added.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(std::string path) : path_(std::move(path)) {
    zip_error_init(&error_);
    bytes_ = zip_source_buffer_create(nullptr, 0, 0, &error_);
    if (bytes_ != nullptr) {
      zip_source_keep(bytes_);  // one for the archive, one for us
      archive_.reset(zip_open_from_source(bytes_, ZIP_TRUNCATE, &error_));
    }
    if (!archive_) {
      throw std::bad_alloc();
    }
  }
  ~ArchiveWriter() {
    archive_.reset();
    zip_source_free(bytes_);
    zip_error_fini(&error_);
  }
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // Both stay where they are until the end.
  void Add(const std::string& name, std::string& header, const AlignedBuffer& data) {
    const zip_buffer_fragment_t parts[] = {
        {reinterpret_cast<zip_uint8_t*>(header.data()), header.size()},
        {static_cast<zip_uint8_t*>(data.data()), data.size()}};
    zip_source_t* const source =
        zip_source_buffer_fragment(archive_.get(), parts, data.size() == 0 ? 1 : 2, 0);
    const zip_int64_t index =
        source == nullptr ? -1
                          : zip_file_add(archive_.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      throw UserError(fmt::format("{}: array '{}' cannot be added: {}", path_, name,
                                  zip_strerror(archive_.get())));
    }
    const auto member = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive_.get(), member, ZIP_CM_STORE, 0);
    // The first day that the format knows: the same arrays give the same bytes.
    constexpr zip_uint16_t kFirstDay = 1 << 5 | 1;
    zip_file_set_dostime(archive_.get(), member, 0, kFirstDay, 0);
  }

  void WriteTo(OutputFile& file) {
    if (zip_close(archive_.get()) != 0) {
      throw UserError(
          fmt::format("{}: cannot be written: {}", path_, zip_strerror(archive_.get())));
    }
    static_cast<void>(archive_.release());  // zip_close has freed it
    std::vector<char> block(1 << 16);
    zip_source_open(bytes_);
    zip_int64_t got = 0;
    while ((got = zip_source_read(bytes_, block.data(), block.size())) > 0) {
      file.Write(block.data(), static_cast<size_t>(got));
    }
    zip_source_close(bytes_);
  }

 private:
  std::string path_;
  zip_error_t error_;
  zip_source_t* bytes_ = nullptr;
  Archive archive_;
};

void WriteArchive(OutputFile& file, const std::vector<const Tensor*>& tensors) {
  std::vector<std::string> headers;
  headers.reserve(tensors.size());
  for (const Tensor* tensor : tensors) {
    headers.push_back(MakeHeader(file.path(), *tensor));
  }
  ArchiveWriter writer(file.path());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string& id = tensors[i]->id;
    writer.Add((id.empty() ? fmt::format("arr_{}", i) : id) + std::string(kArrayEnding), headers[i],
               tensors[i]->values);
  }
  writer.WriteTo(file);
}

void WriteArray(OutputFile& file, const Tensor& tensor) {
  file.Write(MakeHeader(file.path(), tensor));
  file.Write(tensor.values.data(), tensor.values.size());
}

}  // namespace

std::vector<Tensor> ReadArrays(const std::string& path) {
  std::string file = path;
  std::optional<std::string> name;
  // A file may have a colon in its name.
  const size_t found = path.rfind(std::string(kArchiveEnding) + ":");
  std::error_code ignored;
  if (found != std::string::npos && !std::filesystem::exists(path, ignored)) {
    const size_t colon = found + kArchiveEnding.size();
    file = path.substr(0, colon);
    name = path.substr(colon + 1);
  }
  try {
    return ReadFile(file, name);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", file, OneLine(error.what())));
  } catch (const std::bad_alloc&) {
    throw UserError(fmt::format("{}: is larger than the memory", file));
  }
}

void WriteArrays(OutputFile& file, const std::vector<const Tensor*>& tensors) {
  for (const Tensor* tensor : tensors) {
    if (!tensor->has_values()) {
      throw std::logic_error(fmt::format("{} has no values to write", tensor->ToString()));
    }
  }
  if (EndsWith(file.path(), kArchiveEnding)) {
    WriteArchive(file, tensors);
  } else if (tensors.size() == 1) {
    WriteArray(file, *tensors[0]);
  } else {
    throw UserError(fmt::format("{}: holds one array, expected a file that ends in {} for {}",
                                file.path(), kArchiveEnding, tensors.size()));
  }
}

void WriteArrays(const std::string& path, const std::vector<const Tensor*>& tensors) {
  OutputFile file(path);
  WriteArrays(file, tensors);
  file.Commit();
}

}  // namespace detops::cli
