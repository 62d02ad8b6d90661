// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Notifiers: markers in queues that record the time at which the queue reached them.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/check.h"
#include "runtime/boundary.h"
#include "runtime/queue.h"

namespace detops {

struct Notifier {
  using Opaque = cnrtNotifier_t;
  static constexpr ObjectKind kKind = ObjectKind::kNotifier;
  using Clock = std::chrono::steady_clock;

  std::mutex mutex;
  std::condition_variable reached_changed;
  // Placements are numbered from 1.
  uint64_t placed = 0;     // the latest placement
  uint64_t reached = 0;    // the latest placement that was reached
  uint64_t pending = 0;    // the number of placements not reached yet
  Clock::time_point time;  // when `reached` was reached

  // Records that a placement was reached. Only the latest counts: another queue may reach an
  // earlier one after it.
  void Reach(uint64_t place, Clock::time_point now) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (place > reached) {
      reached = place;
      time = now;
    }
    --pending;
    reached_changed.notify_all();  // under the lock: a waiting thread may delete the notifier next
  }
};

}  // namespace detops

using detops::CheckNotNull;
using detops::FindLive;
using detops::Notifier;
using detops::RuntimeCall;
using detops::Status;

namespace {

// The arguments of the job that a placement submits.
struct Mark {
  Notifier* notifier;
  uint64_t place;
};

Status RunMark(detops::RunContext&, const Mark& mark) {
  mark.notifier->Reach(mark.place, Notifier::Clock::now());
  return {};
}

// The state of a notifier at one moment.
struct Snapshot {
  bool placed;
  bool ready;
  Notifier::Clock::time_point time;
};

Snapshot TakeSnapshot(Notifier& notifier) {
  const std::lock_guard<std::mutex> lock(notifier.mutex);
  return {notifier.placed != 0, notifier.reached == notifier.placed, notifier.time};
}

Status CheckPlaced(const char* argument, const Snapshot& snapshot) {
  return snapshot.placed
             ? Status()
             : detops::BadParam("{} was never placed; it must be placed in a queue", argument);
}

}  // namespace

cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier) {
  return RuntimeCall("cnrtNotifierCreate", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("notifier", notifier));
    *notifier = detops::Register(std::make_unique<Notifier>());
    return {};
  });
}

cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier) {
  return RuntimeCall("cnrtNotifierDestroy", [&]() -> Status {
    std::unique_ptr<Notifier> destroyed;
    DETOPS_RETURN_IF_ERROR(detops::Unregister("notifier", notifier, destroyed));
    std::unique_lock<std::mutex> lock(destroyed->mutex);
    destroyed->reached_changed.wait(lock, [&] { return destroyed->pending == 0; });
    return {};
  });
}

cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue) {
  constexpr const char* kName = "cnrtPlaceNotifier";
  return RuntimeCall(kName, [&]() -> Status {
    Notifier* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("notifier", notifier, found));
    detops::HostQueue* placed_in = nullptr;
    if (queue != nullptr) {
      DETOPS_RETURN_IF_ERROR(detops::FindQueue(queue, placed_in));
    }
    // Holding the lock until the job is queued hides a placement whose submission fails. There is
    // no deadlock: the job takes this lock without holding the queue's.
    const std::lock_guard<std::mutex> lock(found->mutex);
    const Mark mark{found, found->placed + 1};
    if (placed_in == nullptr) {
      found->reached = mark.place;
      found->time = Notifier::Clock::now();
      found->reached_changed.notify_all();
    } else {
      DETOPS_RETURN_IF_ERROR(placed_in->Submit(detops::Job::Make<RunMark>(kName, mark)));
      ++found->pending;
    }
    found->placed = mark.place;
    return {};
  });
}

cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier) {
  return RuntimeCall("cnrtWaitNotifier", [&]() -> Status {
    Notifier* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("notifier", notifier, found));
    std::unique_lock<std::mutex> lock(found->mutex);
    const uint64_t place = found->placed;
    found->reached_changed.wait(lock, [&] { return found->reached >= place; });
    return {};
  });
}

cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier) {
  bool ready = true;
  const cnrtRet_t result = RuntimeCall("cnrtQueryNotifier", [&]() -> Status {
    Notifier* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("notifier", notifier, found));
    ready = TakeSnapshot(*found).ready;
    return {};
  });
  return ready ? result : cnrtErrorNotReady;
}

cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* us) {
  bool ready = true;
  const cnrtRet_t result = RuntimeCall("cnrtNotifierDuration", [&]() -> Status {
    Notifier* start_found = nullptr;
    Notifier* end_found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("start", start, start_found));
    DETOPS_RETURN_IF_ERROR(FindLive("end", end, end_found));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("us", us));
    const Snapshot first = TakeSnapshot(*start_found);
    const Snapshot last = TakeSnapshot(*end_found);
    DETOPS_RETURN_IF_ERROR(CheckPlaced("start", first));
    DETOPS_RETURN_IF_ERROR(CheckPlaced("end", last));
    ready = first.ready && last.ready;
    if (ready) {
      *us = std::chrono::duration<float, std::micro>(last.time - first.time).count();
    }
    return {};
  });
  return ready ? result : cnrtErrorNotReady;
}
