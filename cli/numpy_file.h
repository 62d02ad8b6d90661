// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// NumPy files: .npy holds one array, .npz (a zip archive) several named arrays.

#ifndef DETOPS_CLI_NUMPY_FILE_H_
#define DETOPS_CLI_NUMPY_FILE_H_

#include <string>
#include <vector>

#include "cli/case.h"
#include "cli/output_file.h"

namespace detops::cli {

// Reads the arrays of a file, each with its name as `id`: the one of "a.npy", all of "a.npz" in
// their order, or one of "a.npz:name". Arrays must be float32, float16 or int32, in C order, with
// at most 8 dimensions. Throws UserError that begins with the path for everything else.
std::vector<Tensor> ReadArrays(const std::string& path);

// Writes one array to a .npy file, or any number to a .npz file, named by the tensors' ids. Equal
// arrays give equal bytes. The first form leaves the Commit to the caller.
void WriteArrays(OutputFile& file, const std::vector<const Tensor*>& tensors);
void WriteArrays(const std::string& path, const std::vector<const Tensor*>& tensors);

}  // namespace detops::cli

#endif  // DETOPS_CLI_NUMPY_FILE_H_
