// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Notifiers: markers in queues that record the time at which the queue reached them.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/check.h"
#include "runtime/boundary.h"
#include "runtime/queue.h"

namespace detops {

struct Notifier {
  using Opaque = cnrtNotifier_t;
  static constexpr ObjectKind kKind = ObjectKind::kNotifier;
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  explicit Notifier(unsigned int creation_flags) : flags(creation_flags) {}

  const unsigned int flags;  // of cnrtNotifierFlags_t
  std::mutex mutex;
  std::condition_variable changed;
  // Placements are numbered from 1.
  uint64_t placed = 0;              // the latest placement
  std::vector<uint64_t> unreached;  // the placements that are not reached yet, ascending
  uint64_t waiting_jobs = 0;        // jobs of cnrtQueueWaitNotifier that have not finished
  uint64_t reached = 0;             // the latest placement that was reached
  Clock::time_point time;           // when `reached` was reached

  // Returns whether a placement is reached. Placement 0 stands for none.
  bool IsReached(uint64_t place) const {
    return !std::binary_search(unreached.begin(), unreached.end(), place);
  }

  // Waits for one placement. Later ones do not count: another queue may reach them first.
  void WaitFor(uint64_t place, Lock& lock) {
    changed.wait(lock, [&] { return IsReached(place); });
  }

  // Makes room for one more element of `unreached`.
  void Reserve() {
    if (unreached.size() == unreached.capacity()) {
      unreached.reserve(std::max<size_t>(4, 2 * unreached.size()));
    }
  }

  // Records that a placement was reached. Only the latest counts for the time: another queue may
  // reach an earlier one after it.
  void Reach(uint64_t place, Clock::time_point now) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (place > reached) {
      reached = place;
      time = now;
    }
    unreached.erase(std::lower_bound(unreached.begin(), unreached.end(), place));
    changed.notify_all();  // under the lock: a waiting thread may delete the notifier next
  }
};

}  // namespace detops

using detops::CheckNotNull;
using detops::Notifier;
using detops::RuntimeCall;
using detops::Status;

namespace {

// Finds the notifier that an argument names. One that the process has inherited from its parent is
// refused: the queues that would reach it do not exist, and its lock may be locked.
Status FindNotifier(const char* argument, cnrtNotifier_t notifier, Notifier*& found) {
  DETOPS_RETURN_IF_ERROR(detops::FindLive(argument, notifier, found));
  return detops::IsInherited(notifier)
             ? detops::InheritedError(argument, Notifier::kKind, MLUOP_STATUS_BAD_PARAM)
             : Status();
}

// The arguments of the jobs that reach a placement or wait for it.
struct Mark {
  Notifier* notifier;
  uint64_t place;
};

Status RunMark(detops::RunContext&, const Mark& mark) {
  mark.notifier->Reach(mark.place, Notifier::Clock::now());
  return {};
}

// Runs as a job of a queue that waits for a placement.
Status RunWait(detops::RunContext&, const Mark& mark) {
  Notifier& notifier = *mark.notifier;
  Notifier::Lock lock(notifier.mutex);
  notifier.WaitFor(mark.place, lock);
  --notifier.waiting_jobs;
  notifier.changed.notify_all();  // under the lock, as in Reach
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
  return {notifier.placed != 0, notifier.IsReached(notifier.placed), notifier.time};
}

// Checks that a notifier has a time, now or when it is reached.
Status CheckTimed(const char* argument, const Notifier& notifier, const Snapshot& snapshot,
                  unsigned int forbidden_flags) {
  if ((notifier.flags & forbidden_flags) != 0) {
    return detops::BadParam("{} was created with flags {}, which disable timing", argument,
                            notifier.flags);
  }
  return snapshot.placed
             ? Status()
             : detops::BadParam("{} was never placed; it must be placed in a queue", argument);
}

cnrtRet_t Create(const char* function, cnrtNotifier_t* notifier, unsigned int flags) {
  return RuntimeCall(function, [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("notifier", notifier));
    constexpr unsigned int kKnown = CNRT_NOTIFIER_DISABLE_TIMING | CNRT_NOTIFIER_DISABLE_TIMING_ALL;
    if ((flags & ~kKnown) != 0) {
      return detops::BadParam(
          "flags is {}; it must be a combination of CNRT_NOTIFIER_DISABLE_TIMING, {}, and "
          "CNRT_NOTIFIER_DISABLE_TIMING_ALL, {}",
          flags, static_cast<int>(CNRT_NOTIFIER_DISABLE_TIMING),
          static_cast<int>(CNRT_NOTIFIER_DISABLE_TIMING_ALL));
    }
    *notifier = detops::Register(std::make_unique<Notifier>(flags));
    return {};
  });
}

// Writes the time between two notifiers, in units of `Period`, to `result`, whose name is
// `result_name`.
template <class Period>
cnrtRet_t TimeBetween(const char* function, cnrtNotifier_t start, cnrtNotifier_t end,
                      unsigned int forbidden_flags, const char* result_name, float* result) {
  bool ready = true;
  const cnrtRet_t code = RuntimeCall(function, [&]() -> Status {
    Notifier* first_notifier = nullptr;
    Notifier* last_notifier = nullptr;
    DETOPS_RETURN_IF_ERROR(FindNotifier("start", start, first_notifier));
    DETOPS_RETURN_IF_ERROR(FindNotifier("end", end, last_notifier));
    DETOPS_RETURN_IF_ERROR(CheckNotNull(result_name, result));
    const Snapshot first = TakeSnapshot(*first_notifier);
    const Snapshot last = TakeSnapshot(*last_notifier);
    DETOPS_RETURN_IF_ERROR(CheckTimed("start", *first_notifier, first, forbidden_flags));
    DETOPS_RETURN_IF_ERROR(CheckTimed("end", *last_notifier, last, forbidden_flags));
    ready = first.ready && last.ready;
    if (ready) {
      *result = std::chrono::duration<float, Period>(last.time - first.time).count();
    }
    return {};
  });
  return ready ? code : cnrtErrorNotReady;
}

}  // namespace

cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier) {
  return Create("cnrtNotifierCreate", notifier, CNRT_NOTIFIER_DEFAULT);
}

cnrtRet_t cnrtNotifierCreateWithFlags(cnrtNotifier_t* notifier, unsigned int flags) {
  return Create("cnrtNotifierCreateWithFlags", notifier, flags);
}

cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier) {
  return RuntimeCall("cnrtNotifierDestroy", [&]() -> Status {
    std::unique_ptr<Notifier> destroyed;
    DETOPS_RETURN_IF_ERROR(detops::UnregisterOwn("notifier", notifier, destroyed));
    if (destroyed == nullptr) {
      return {};  // inherited
    }
    Notifier::Lock lock(destroyed->mutex);
    destroyed->changed.wait(
        lock, [&] { return destroyed->unreached.empty() && destroyed->waiting_jobs == 0; });
    // Released before the notifier is destroyed.
    lock.unlock();
    return {};
  });
}

cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue) {
  constexpr const char* kName = "cnrtPlaceNotifier";
  return RuntimeCall(kName, [&]() -> Status {
    Notifier* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindNotifier("notifier", notifier, found));
    detops::HostQueue* placed_in = nullptr;
    DETOPS_RETURN_IF_ERROR(detops::FindQueue(queue, placed_in));
    // Holding the lock until the job is queued hides a placement whose submission fails. There is
    // no deadlock: the job takes this lock without holding the queue's.
    const std::lock_guard<std::mutex> lock(found->mutex);
    const Mark mark{found, found->placed + 1};
    if (placed_in == nullptr) {
      found->reached = mark.place;
      found->time = Notifier::Clock::now();
    } else {
      found->Reserve();
      DETOPS_RETURN_IF_ERROR(placed_in->Submit(detops::Job::Make<RunMark>(kName, mark)));
      found->unreached.push_back(mark.place);
    }
    found->placed = mark.place;
    return {};
  });
}

cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier) {
  return RuntimeCall("cnrtWaitNotifier", [&]() -> Status {
    Notifier* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindNotifier("notifier", notifier, found));
    Notifier::Lock lock(found->mutex);
    found->WaitFor(found->placed, lock);
    return {};
  });
}

cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned int flags) {
  constexpr const char* kName = "cnrtQueueWaitNotifier";
  return RuntimeCall(kName, [&]() -> Status {
    Notifier* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindNotifier("notifier", notifier, found));
    if (flags != CNRT_NOTIFIER_WAIT_DEFAULT) {
      return detops::BadParam("flags is {}; it must be CNRT_NOTIFIER_WAIT_DEFAULT, 0", flags);
    }
    detops::HostQueue* waiting = nullptr;
    DETOPS_RETURN_IF_ERROR(detops::FindQueue(queue, waiting));
    Notifier::Lock lock(found->mutex);
    const Mark mark{found, found->placed};
    if (found->IsReached(mark.place)) {
      return {};  // whatever is submitted next runs after it
    }
    if (waiting == nullptr) {
      found->WaitFor(mark.place, lock);
      return {};
    }
    // Holds the lock until the job is queued and counted, as cnrtPlaceNotifier does.
    DETOPS_RETURN_IF_ERROR(waiting->Submit(detops::Job::Make<RunWait>(kName, mark)));
    ++found->waiting_jobs;
    return {};
  });
}

cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier) {
  bool ready = true;
  const cnrtRet_t result = RuntimeCall("cnrtQueryNotifier", [&]() -> Status {
    Notifier* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindNotifier("notifier", notifier, found));
    ready = TakeSnapshot(*found).ready;
    return {};
  });
  return ready ? result : cnrtErrorNotReady;
}

cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* us) {
  return TimeBetween<std::micro>("cnrtNotifierDuration", start, end,
                                 CNRT_NOTIFIER_DISABLE_TIMING_ALL, "us", us);
}

cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* ms) {
  return TimeBetween<std::milli>("cnrtNotifierElapsedTime", start, end,
                                 CNRT_NOTIFIER_DISABLE_TIMING | CNRT_NOTIFIER_DISABLE_TIMING_ALL,
                                 "ms", ms);
}
