// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#ifndef DETOPS_CLI_ZIP_ARCHIVE_H_
#define DETOPS_CLI_ZIP_ARCHIVE_H_

#include <zip.h>

#include <memory>

namespace detops::cli {

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

// An open zip file. Changes are discarded unless zip_close is called.
using Archive = std::unique_ptr<zip_t, DiscardArchive>;

}  // namespace detops::cli

#endif  // DETOPS_CLI_ZIP_ARCHIVE_H_
