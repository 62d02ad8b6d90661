// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Writes NumPy files.

#include <fmt/format.h>
#include <zip.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/numpy_file.h"
#include "cli/numpy_format.h"
#include "cli/output_file.h"
#include "cli/zip_archive.h"

namespace detops::cli {
namespace {

// An archive in memory that grows while members are added.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(std::string path) : path_(std::move(path)) {
    zip_error_init(&error_);
    bytes_ = zip_source_buffer_create(nullptr, 0, 0, &error_);
    if (bytes_ != nullptr) {
      zip_source_keep(bytes_);  // one reference for the archive, one for us
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

  // Neither the header nor the data may move before WriteTo.
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
    // The first day of the zip format, so that the same arrays give the same bytes.
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
    headers.push_back(MakeNumpyHeader(file.path(), *tensor));
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
  file.Write(MakeNumpyHeader(file.path(), tensor));
  file.Write(tensor.values.data(), tensor.values.size());
}

}  // namespace

void WriteArrays(OutputFile& file, const std::vector<const Tensor*>& tensors) {
  for (const Tensor* tensor : tensors) {
    if (!tensor->has_values()) {
      throw std::logic_error(fmt::format("{} has no values to write", tensor->ToString()));
    }
  }
  if (file.path().ends_with(kArchiveEnding)) {
    WriteArchive(file, tensors);
  } else if (tensors.size() == 1) {
    WriteArray(file, *tensors[0]);
  } else {
    throw UserError(fmt::format("{}: a .npy file holds one array; the name must end in {} for {}",
                                file.path(), kArchiveEnding, tensors.size()));
  }
}

void WriteArrays(const std::string& path, const std::vector<const Tensor*>& tensors) {
  OutputFile file(path);
  WriteArrays(file, tensors);
  file.Commit();
}

}  // namespace detops::cli
