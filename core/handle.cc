// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/handle.h"

#include <atomic>
#include <new>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/simd_target.h"
#include "core/version.h"

namespace detops {

Handle::Handle() : threads_(DefaultThreads()) { InitSimdTarget(); }

void Handle::ForgetInheritedJobs() noexcept {
  if (fork_count_ != ForkCount::Get()) {
    new (&jobs_) Jobs;
    fork_count_ = ForkCount::Get();
  }
}

void Handle::BeginJob() noexcept {
  ForgetInheritedJobs();
  const std::lock_guard<std::mutex> lock(jobs_.mutex);
  ++jobs_.in_flight;
}

void Handle::EndJob() noexcept {
  // Notifies under the lock: a thread that waits may delete the handle as soon as it is released.
  const std::lock_guard<std::mutex> lock(jobs_.mutex);
  if (--jobs_.in_flight == 0) {
    jobs_.idle.notify_all();
  }
}

void Handle::WaitForJobs() noexcept {
  ForgetInheritedJobs();
  std::unique_lock<std::mutex> lock(jobs_.mutex);
  jobs_.idle.wait(lock, [&] { return jobs_.in_flight == 0; });
}

void Handle::SetThreads(int count) {
  WaitForJobs();
  threads_ = Threads(count == 0 ? DefaultThreads() : count);
  threads_set_by_user_ = count != 0;
}

void Handle::UpdateDefaultThreads() {
  if (!threads_set_by_user_) {
    SetThreads(0);
  }
}

void* Handle::ReserveScratch(size_t bytes) {
  if (bytes > scratch_.size()) {
    scratch_ = AlignedBuffer();  // free the old memory first; its contents are not needed
    scratch_ = AlignedBuffer(bytes);
  }
  return scratch_.data();
}

}  // namespace detops

using detops::ApiCall;
using detops::CheckEnum;
using detops::CheckNotNull;
using detops::CheckRange;
using detops::FindHandle;
using detops::Handle;
using detops::LogEnabled;
using detops::ObjectKind;
using detops::Status;

mluOpStatus_t mluOpCreate(mluOpHandle_t* handle) {
  return ApiCall("mluOpCreate", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    auto created = std::make_unique<Handle>();
    static std::atomic<bool> announced{false};
    if (LogEnabled(DETOPS_LOG_INFO) && !announced.exchange(true)) {
      detops::Log(DETOPS_LOG_INFO, fmt::format("detops {}: using {} of {}, {} threads",
                                               detops::kVersion, detopsGetSimdTarget(),
                                               detopsGetSimdTargets(), created->threads().count()));
    }
    *handle = detops::Register(std::move(created));
    return {};
  });
}

mluOpStatus_t mluOpDestroy(mluOpHandle_t handle) {
  return ApiCall("mluOpDestroy", [&]() -> Status {
    std::unique_ptr<Handle> destroyed;
    DETOPS_RETURN_IF_ERROR(detops::Unregister("handle", handle, destroyed));
    destroyed->WaitForJobs();
    return {};
  });
}

mluOpStatus_t mluOpUpdateContextInformation(mluOpHandle_t handle) {
  return ApiCall("mluOpUpdateContextInformation", [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    found->UpdateDefaultThreads();
    return {};
  });
}

mluOpStatus_t mluOpSetQueue(mluOpHandle_t handle, cnrtQueue_t queue) {
  return ApiCall("mluOpSetQueue", [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    if (queue != nullptr && !detops::IsLive(ObjectKind::kQueue, queue)) {
      return detops::NotLiveError("queue", ObjectKind::kQueue, queue);
    }
    if (queue != nullptr && detops::IsInherited(queue)) {
      return detops::InheritedError("queue", ObjectKind::kQueue, MLUOP_STATUS_EXECUTION_FAILED);
    }
    found->queue = queue;
    return {};
  });
}

mluOpStatus_t mluOpGetQueue(mluOpHandle_t handle, cnrtQueue_t* queue) {
  return ApiCall("mluOpGetQueue", [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("queue", queue));
    *queue = found->queue;
    return {};
  });
}

mluOpStatus_t mluOpSetAtomicsMode(mluOpHandle_t handle, mluOpAtomicsMode_t atomics_mode) {
  return ApiCall("mluOpSetAtomicsMode", [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    DETOPS_RETURN_IF_ERROR(
        CheckEnum("atomics_mode", atomics_mode, MLUOP_ATOMICS_NOT_ALLOWED, MLUOP_ATOMICS_ALLOWED));
    found->atomics_mode = atomics_mode;
    return {};
  });
}

mluOpStatus_t mluOpGetAtomicsMode(mluOpHandle_t handle, mluOpAtomicsMode_t* atomics_mode) {
  return ApiCall("mluOpGetAtomicsMode", [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("atomics_mode", atomics_mode));
    *atomics_mode = found->atomics_mode;
    return {};
  });
}

mluOpStatus_t mluOpSetQuantizeRoundMode(mluOpHandle_t handle, mluOpQuantizeRoundMode_t round_mode) {
  return ApiCall("mluOpSetQuantizeRoundMode", [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    DETOPS_RETURN_IF_ERROR(
        CheckEnum("round_mode", round_mode, MLUOP_ROUND_HALF_TO_EVEN, MLUOP_ROUND_HALF_OFF_ZERO));
    found->round_mode = round_mode;
    return {};
  });
}

mluOpStatus_t mluOpGetQuantizeRoundMode(mluOpHandle_t handle,
                                        mluOpQuantizeRoundMode_t* round_mode) {
  return ApiCall("mluOpGetQuantizeRoundMode", [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("round_mode", round_mode));
    *round_mode = found->round_mode;
    return {};
  });
}

mluOpStatus_t detopsSetThreads(mluOpHandle_t handle, int threads) {
  return ApiCall("detopsSetThreads", [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    DETOPS_RETURN_IF_ERROR(CheckRange("threads", threads, 0, detops::kMaxThreads));
    found->SetThreads(threads);
    return {};
  });
}

mluOpStatus_t detopsGetThreads(mluOpHandle_t handle, int* threads) {
  return ApiCall("detopsGetThreads", [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("threads", threads));
    *threads = found->threads().count();
    return {};
  });
}
