// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The memory functions of the runtime. Device memory is host memory.

#include <cstring>

#include "core/aligned_buffer.h"
#include "core/check.h"
#include "runtime/boundary.h"
#include "runtime/queue.h"

using detops::CheckEnum;
using detops::CheckNotNull;
using detops::FindQueue;
using detops::HostQueue;
using detops::RuntimeCall;
using detops::Status;

namespace {

cnrtRet_t Allocate(const char* function, void** pointer, size_t bytes) {
  return RuntimeCall(function, [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("pointer", pointer));
    void* memory = nullptr;
    if (bytes != 0) {
      memory = detops::AllocateAligned(bytes);
      if (memory == nullptr) {
        return {MLUOP_STATUS_ALLOC_FAILED,
                fmt::format("out of memory: cannot allocate {} bytes", bytes)};
      }
    }
    *pointer = memory;
    return {};
  });
}

struct Copy {
  void* dst;
  const void* src;
  size_t bytes;
};

struct Fill {
  void* pointer;
  int value;
  size_t bytes;
};

Status CheckFill(const Fill& fill) {
  return fill.bytes != 0 ? CheckNotNull("pointer", fill.pointer) : Status();
}

void Perform(const Fill& fill) {
  if (fill.bytes != 0) {
    std::memset(fill.pointer, fill.value, fill.bytes);
  }
}

Status RunFill(detops::RunContext&, const Fill& fill) {
  Perform(fill);
  return {};
}

Status CheckCopy(const Copy& copy, cnrtMemTransDir_t direction) {
  DETOPS_RETURN_IF_ERROR(
      CheckEnum("direction", direction, cnrtMemcpyHostToDev, cnrtMemcpyNoDirection));
  if (copy.bytes != 0) {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("dst", copy.dst));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("src", copy.src));
  }
  return {};
}

void Perform(const Copy& copy) {
  if (copy.bytes != 0) {
    std::memmove(copy.dst, copy.src, copy.bytes);
  }
}

Status RunCopy(detops::RunContext&, const Copy& copy) {
  Perform(copy);
  return {};
}

}  // namespace

cnrtRet_t cnrtMalloc(void** pointer, size_t bytes) {
  return Allocate("cnrtMalloc", pointer, bytes);
}

cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes) {
  return Allocate("cnrtHostMalloc", pointer, bytes);
}

cnrtRet_t cnrtFree(void* pointer) {
  detops::FreeAligned(pointer);
  return cnrtSuccess;
}

cnrtRet_t cnrtFreeHost(void* pointer) { return cnrtFree(pointer); }

cnrtRet_t cnrtMemset(void* pointer, int value, size_t bytes) {
  return RuntimeCall("cnrtMemset", [&]() -> Status {
    const Fill fill{pointer, value, bytes};
    DETOPS_RETURN_IF_ERROR(CheckFill(fill));
    Perform(fill);
    return {};
  });
}

cnrtRet_t cnrtMemsetAsync(void* pointer, int value, size_t bytes, cnrtQueue_t queue) {
  constexpr const char* kName = "cnrtMemsetAsync";
  return RuntimeCall(kName, [&]() -> Status {
    const Fill fill{pointer, value, bytes};
    DETOPS_RETURN_IF_ERROR(CheckFill(fill));
    HostQueue* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindQueue(queue, found));
    if (found == nullptr) {
      Perform(fill);
      return {};
    }
    return found->Submit(detops::Job::Make<RunFill>(kName, fill));
  });
}

cnrtRet_t cnrtMemcpy(void* dst, const void* src, size_t bytes, cnrtMemTransDir_t direction) {
  return RuntimeCall("cnrtMemcpy", [&]() -> Status {
    const Copy copy{dst, src, bytes};
    DETOPS_RETURN_IF_ERROR(CheckCopy(copy, direction));
    Perform(copy);
    return {};
  });
}

cnrtRet_t cnrtMemcpyAsync(void* dst, const void* src, size_t bytes, cnrtQueue_t queue,
                          cnrtMemTransDir_t direction) {
  constexpr const char* kName = "cnrtMemcpyAsync";
  return RuntimeCall(kName, [&]() -> Status {
    const Copy copy{dst, src, bytes};
    DETOPS_RETURN_IF_ERROR(CheckCopy(copy, direction));
    HostQueue* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindQueue(queue, found));
    if (found == nullptr) {
      Perform(copy);
      return {};
    }
    return found->Submit(detops::Job::Make<RunCopy>(kName, copy));
  });
}
