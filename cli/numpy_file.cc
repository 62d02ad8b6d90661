// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Reads NumPy files. numpy_file_write.cc writes them.

#include "cli/numpy_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/numpy_format.h"
#include "cli/one_line.h"
#include "cli/zip_archive.h"

namespace detops::cli {
namespace {

// NumPy's own limit.
constexpr size_t kMaxHeaderBytes = 10'000;
// The library refuses tensors with this many elements.
constexpr int64_t kTooManyElements = int64_t{1} << 31;

// ---- Where bytes come from ----------------------------------------------------------------------

// A sequence of bytes that is read once.
class Source {
 public:
  virtual ~Source() = default;
  // Reads up to this many bytes and returns how many there were. Throws UserError.
  virtual size_t Read(void* to, size_t bytes) = 0;
  // An upper bound of the number of bytes.
  virtual uint64_t MaxBytes() const = 0;
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
    max_bytes_ = static_cast<uint64_t>(status.st_size);
  }

  size_t Read(void* to, size_t bytes) override {
    const size_t got = std::fread(to, 1, bytes, file_.get());
    if (got != bytes && std::ferror(file_.get()) != 0) {
      ThrowErrno(errno);
    }
    return got;
  }
  uint64_t MaxBytes() const override { return max_bytes_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] static void ThrowErrno(int error) {
    throw UserError(fmt::format("cannot be read: {}", std::generic_category().message(error)));
  }

  std::unique_ptr<std::FILE, Close> file_;
  uint64_t max_bytes_ = 0;
};

struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

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
      throw UserError(fmt::format(
          "is compressed with zip method {}; only stored and deflated arrays can be read",
          status.comp_method));
    }
    // One byte of deflated data expands to at most 1,032 bytes.
    const uint64_t max_per_byte = status.comp_method == ZIP_CM_STORE ? 1 : 1032;
    max_bytes_ = std::min<uint64_t>(status.comp_size, archive_bytes) * max_per_byte;
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
  uint64_t MaxBytes() const override { return max_bytes_; }

 private:
  std::unique_ptr<zip_file_t, CloseMember> member_;
  uint64_t max_bytes_ = 0;
};

// ---- One array ----------------------------------------------------------------------------------

void ReadExactly(Source& source, void* to, size_t bytes, const char* what) {
  const size_t got = source.Read(to, bytes);
  if (got != bytes) {
    throw UserError(
        fmt::format("is truncated: it has {} of the {} bytes of its {}", got, bytes, what));
  }
}

std::string ReadHeader(Source& source) {
  std::array<unsigned char, 8> start{};
  if (source.Read(start.data(), start.size()) != start.size() ||
      std::memcmp(start.data(), kNumpyMagic.data(), kNumpyMagic.size()) != 0) {
    throw UserError("is not a NumPy array: it does not begin with \\x93NUMPY");
  }
  const unsigned version = start[kNumpyMagic.size()];
  const unsigned minor = start[kNumpyMagic.size() + 1];
  if (version < 1 || version > 3 || minor != 0) {
    throw UserError(
        fmt::format("has format version {}.{}; it must be 1.0, 2.0 or 3.0", version, minor));
  }
  std::array<unsigned char, 4> length{};
  ReadExactly(source, length.data(), version == 1 ? 2 : 4, "header");
  size_t bytes = 0;
  for (size_t i = length.size(); i-- > 0;) {
    bytes = bytes << 8 | length[i];
  }
  if (bytes > kMaxHeaderBytes) {
    throw UserError(
        fmt::format("has a header of {} bytes; the limit is {}", bytes, kMaxHeaderBytes));
  }
  std::string header(bytes, '\0');
  ReadExactly(source, header.data(), bytes, "header");
  return header;
}

// Returns the tensor of a header, without values.
Tensor DescribeArray(const NumpyHeader& header) {
  Tensor tensor = MakeTensor(ParseNumpyType(header.type), header.shape);
  if (tensor.dims.size() > MLUOP_DIM_MAX) {
    throw UserError(fmt::format("has {} dimensions; at most {} are supported", tensor.dims.size(),
                                MLUOP_DIM_MAX));
  }
  const auto is_long = [](int64_t dim) { return dim > 1; };
  if (header.fortran_order && tensor.count() != 0 &&
      std::count_if(tensor.dims.begin(), tensor.dims.end(), is_long) > 1) {
    throw UserError(
        "is in Fortran order; it must be in C order (convert with np.ascontiguousarray)");
  }
  if (tensor.count() >= kTooManyElements) {
    throw UserError(fmt::format("has {} elements; it must have fewer than 2^31", tensor.count()));
  }
  return tensor;
}

// Reads as much as the header announces and no more, whatever an archive would unpack to.
Tensor ReadArray(Source& source) {
  Tensor tensor = DescribeArray(ParseNumpyHeader(ReadHeader(source)));
  if (tensor.bytes() > source.MaxBytes()) {
    throw UserError(
        fmt::format("is truncated: {} needs {} bytes", tensor.ToString(), tensor.bytes()));
  }
  tensor.values = AlignedBuffer(tensor.bytes());
  ReadExactly(source, tensor.values.data(), tensor.bytes(), "data");
  char more;
  if (source.Read(&more, 1) != 0) {
    throw UserError(
        fmt::format("has data after the {} bytes of {}", tensor.bytes(), tensor.ToString()));
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
    throw UserError(fmt::format("is not a readable .npz archive: {}", message));
  }
  return archive;
}

std::vector<Member> MembersOf(zip_t* archive) {
  std::vector<Member> members;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* const name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    if (name != nullptr && std::string_view(name).ends_with(kArrayEnding)) {
      std::string stem = name;
      stem.resize(stem.size() - kArrayEnding.size());
      members.push_back({std::move(stem), static_cast<zip_uint64_t>(i)});
    }
  }
  return members;
}

// Returns the member of that name, with or without .npy.
std::vector<Member> Pick(const std::vector<Member>& members, const std::string& name) {
  std::string names;
  for (const Member& member : members) {
    if (member.name == name || member.name + std::string(kArrayEnding) == name) {
      return {member};
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", member.name);
  }
  throw UserError(fmt::format("has no array '{}'; it has {}", name, names));
}

// Reads one array, or all when there is no `name`.
std::vector<Tensor> ReadArchive(const std::string& path, const std::optional<std::string>& name) {
  const Archive archive = OpenArchive(path);
  std::vector<Member> members = MembersOf(archive.get());
  if (members.empty()) {
    throw UserError("has no arrays: no member ends in .npy");
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
    throw UserError(fmt::format(
        "is not an archive, so it has no array '{0}'; omit ':{0}' or give a .npz file", *name));
  }
  FileSource file(path);
  std::vector<Tensor> tensors;
  tensors.push_back(ReadArray(file));
  tensors.back().id = std::filesystem::path(path).stem().string();
  return tensors;
}

}  // namespace

std::vector<Tensor> ReadArrays(const std::string& path) {
  std::string file = path;
  std::optional<std::string> name;
  // A file name may contain a colon.
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
    throw UserError(fmt::format("{}: does not fit in memory", file));
  }
}

}  // namespace detops::cli
