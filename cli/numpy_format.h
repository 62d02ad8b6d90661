// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The format of a .npy file: magic bytes, version, a header with type and shape, then the data.

#ifndef DETOPS_CLI_NUMPY_FORMAT_H_
#define DETOPS_CLI_NUMPY_FORMAT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/case.h"
#include "mlu_op.h"

namespace detops::cli {

inline constexpr std::string_view kNumpyMagic = "\x93NUMPY";
inline constexpr std::string_view kArrayEnding = ".npy";
inline constexpr std::string_view kArchiveEnding = ".npz";

struct NumpyHeader {
  std::string type;  // "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Parses the dictionary of a header. Throws UserError, here and below without the file's path.
NumpyHeader ParseNumpyHeader(std::string_view text);

// Returns the data type of a code such as "<f4". Throws UserError for types that tensors cannot
// hold.
mluOpDataType_t ParseNumpyType(const std::string& type);

// Returns the bytes before the data, the same ones that NumPy writes. Throws UserError that begins
// with `path` when NumPy has no such type.
std::string MakeNumpyHeader(const std::string& path, const Tensor& tensor);

}  // namespace detops::cli

#endif  // DETOPS_CLI_NUMPY_FORMAT_H_
