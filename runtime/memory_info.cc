// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The size of the machine's memory.

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "core/check.h"
#include "runtime/boundary.h"

using detops::CheckNotNull;
using detops::RuntimeCall;
using detops::Status;

namespace {

// The first lines of /proc/meminfo, which contain all that is needed. Reading it allocates nothing,
// so it works when memory is short, which is when it matters.
class MemInfo {
 public:
  MemInfo() {
    const int file = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
      const ssize_t bytes = read(file, text_, sizeof(text_) - 1);
      text_[bytes > 0 ? bytes : 0] = '\0';
      close(file);
    }
  }

  // Returns the value of the line that starts with `name`, in bytes; 0 if there is none.
  size_t Find(const char* name) const {
    const char* const line = std::strstr(text_, name);
    return line != nullptr ? std::strtoull(line + std::strlen(name), nullptr, 10) * 1024 : 0;
  }

 private:
  char text_[1024] = "";
};

}  // namespace

cnrtRet_t cnrtMemGetInfo(size_t* free, size_t* total) {
  return RuntimeCall("cnrtMemGetInfo", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("free", free));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("total", total));
    const MemInfo info;
    const size_t available = info.Find("MemAvailable:");
    const size_t all = info.Find("MemTotal:");
    if (all == 0) {
      return {MLUOP_STATUS_EXECUTION_FAILED, "the size of the memory is not in /proc/meminfo"};
    }
    *free = available;
    *total = all;
    return {};
  });
}
