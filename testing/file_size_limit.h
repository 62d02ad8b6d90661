// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Makes writing fail as on a full disk.

#ifndef DETOPS_TESTING_FILE_SIZE_LIMIT_H_
#define DETOPS_TESTING_FILE_SIZE_LIMIT_H_

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace detops {

// Lowers the limit on the size of files that the process writes, until the end of the scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() { EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace detops

#endif  // DETOPS_TESTING_FILE_SIZE_LIMIT_H_
