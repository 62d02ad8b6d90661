// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// NumPy's files: .npy holds one array, .npz (a zip file) several by name.

#ifndef DETOPS_CLI_NUMPY_FILE_H_
#define DETOPS_CLI_NUMPY_FILE_H_

#include <string>
#include <vector>

#include "cli/case.h"
#include "cli/output_file.h"

namespace detops::cli {

// The arrays of a file, each with its name as `id`: one of "a.npy", all of "a.npz" in their order
// there, the one that is asked for of "a.npz:name". float32, float16 and int32 in C order, of at
// most 8 dimensions; throws UserError, one line that begins with the path, for all else.
std::vector<Tensor> ReadArrays(const std::string& path);

// Writes one array to a .npy file, or any number of them to a .npz file under the tensors' ids. The
// same arrays give the same bytes. All or nothing: the file is there when it is committed.
void WriteArrays(OutputFile& file, const std::vector<const Tensor*>& tensors);
void WriteArrays(const std::string& path, const std::vector<const Tensor*>& tensors);

}  // namespace detops::cli

#endif  // DETOPS_CLI_NUMPY_FILE_H_
