// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/handle.h"

#include <atomic>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/simd_target.h"
#include "core/version.h"

using detops::ApiCall;
using detops::CheckEnum;
using detops::CheckNotNull;
using detops::CheckRange;
using detops::LogEnabled;
using detops::Status;

mluOpContext::mluOpContext()
    : threads_(std::make_unique<detops::Threads>(detops::DefaultThreads())) {
  detops::InitSimdTarget();
}

void mluOpContext::BeginJob() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++jobs_in_flight_;
}

void mluOpContext::EndJob() noexcept {
  // Notifies under the lock: a thread that waits may delete the handle as soon as it is released.
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--jobs_in_flight_ == 0) {
    idle_.notify_all();
  }
}

void mluOpContext::WaitForJobs() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  idle_.wait(lock, [&] { return jobs_in_flight_ == 0; });
}

void mluOpContext::SetThreads(int count) {
  auto threads = std::make_unique<detops::Threads>(count == 0 ? detops::DefaultThreads() : count);
  WaitForJobs();
  threads_ = std::move(threads);
  threads_set_by_user_ = count != 0;
}

void mluOpContext::UpdateDefaultThreads() {
  if (!threads_set_by_user_) {
    SetThreads(0);
  }
}

void* mluOpContext::ReserveScratch(size_t bytes) {
  if (bytes > scratch_.size()) {
    scratch_ = detops::AlignedBuffer();  // free the old memory first; its contents are not needed
    scratch_ = detops::AlignedBuffer(bytes);
  }
  return scratch_.data();
}

mluOpStatus_t mluOpCreate(mluOpHandle_t* handle) {
  return ApiCall("mluOpCreate", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    auto created = std::make_unique<mluOpContext>();
    static std::atomic<bool> announced{false};
    if (LogEnabled(DETOPS_LOG_INFO) && !announced.exchange(true)) {
      detops::Log(DETOPS_LOG_INFO, fmt::format("detops {}: using {} of {}, {} threads",
                                               detops::kVersion, detopsGetSimdTarget(),
                                               detopsGetSimdTargets(), created->threads().count()));
    }
    *handle = created.release();
    return {};
  });
}

mluOpStatus_t mluOpDestroy(mluOpHandle_t handle) {
  return ApiCall("mluOpDestroy", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    handle->WaitForJobs();
    delete handle;
    return {};
  });
}

mluOpStatus_t mluOpUpdateContextInformation(mluOpHandle_t handle) {
  return ApiCall("mluOpUpdateContextInformation", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    handle->UpdateDefaultThreads();
    return {};
  });
}

mluOpStatus_t mluOpSetQueue(mluOpHandle_t handle, cnrtQueue_t queue) {
  return ApiCall("mluOpSetQueue", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    handle->queue = queue;
    return {};
  });
}

mluOpStatus_t mluOpGetQueue(mluOpHandle_t handle, cnrtQueue_t* queue) {
  return ApiCall("mluOpGetQueue", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("queue", queue));
    *queue = handle->queue;
    return {};
  });
}

mluOpStatus_t mluOpSetAtomicsMode(mluOpHandle_t handle, mluOpAtomicsMode_t atomics_mode) {
  return ApiCall("mluOpSetAtomicsMode", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    DETOPS_RETURN_IF_ERROR(
        CheckEnum("atomics_mode", atomics_mode, MLUOP_ATOMICS_NOT_ALLOWED, MLUOP_ATOMICS_ALLOWED));
    handle->atomics_mode = atomics_mode;
    return {};
  });
}

mluOpStatus_t mluOpGetAtomicsMode(mluOpHandle_t handle, mluOpAtomicsMode_t* atomics_mode) {
  return ApiCall("mluOpGetAtomicsMode", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("atomics_mode", atomics_mode));
    *atomics_mode = handle->atomics_mode;
    return {};
  });
}

mluOpStatus_t mluOpSetQuantizeRoundMode(mluOpHandle_t handle, mluOpQuantizeRoundMode_t round_mode) {
  return ApiCall("mluOpSetQuantizeRoundMode", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    DETOPS_RETURN_IF_ERROR(
        CheckEnum("round_mode", round_mode, MLUOP_ROUND_HALF_TO_EVEN, MLUOP_ROUND_HALF_OFF_ZERO));
    handle->round_mode = round_mode;
    return {};
  });
}

mluOpStatus_t mluOpGetQuantizeRoundMode(mluOpHandle_t handle,
                                        mluOpQuantizeRoundMode_t* round_mode) {
  return ApiCall("mluOpGetQuantizeRoundMode", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("round_mode", round_mode));
    *round_mode = handle->round_mode;
    return {};
  });
}

mluOpStatus_t detopsSetThreads(mluOpHandle_t handle, int threads) {
  return ApiCall("detopsSetThreads", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    DETOPS_RETURN_IF_ERROR(CheckRange("threads", threads, 0, detops::kMaxThreads));
    handle->SetThreads(threads);
    return {};
  });
}

mluOpStatus_t detopsGetThreads(mluOpHandle_t handle, int* threads) {
  return ApiCall("detopsGetThreads", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("threads", threads));
    *threads = handle->threads().count();
    return {};
  });
}
