// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/queue.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/float_mode.h"
#include "core/fork.h"
#include "core/log.h"
#include "runtime/boundary.h"

namespace detops {
namespace {

QueueError ToQueueError(const Job& job, const Status& status) noexcept {
  QueueError error;
  error.code = status.code();
  try {
    error.text = fmt::format("{}: {}", job.function(), status.message());
  } catch (...) {
    error.text.clear();  // out of memory: report the code without a text
  }
  return error;
}

}  // namespace

Status Job::Run(RunContext& context) const noexcept {
  try {
    const DefaultFloatMode float_mode;
    return run_(context, args_);
  } catch (...) {
    return StatusFromException();
  }
}

void JobRing::Reserve() {
  if (size_ < slots_.size()) {
    return;
  }
  std::vector<Job> larger(std::max<size_t>(8, 2 * slots_.size()));
  for (size_t i = 0; i < size_; ++i) {
    larger[i] = std::move(slots_[(first_ + i) % slots_.size()]);
  }
  slots_ = std::move(larger);
  first_ = 0;
}

void JobRing::Push(Job&& job) {
  slots_[(first_ + size_) % slots_.size()] = std::move(job);
  ++size_;
}

Job JobRing::Pop() {
  Job job = std::move(slots_[first_]);
  first_ = (first_ + 1) % slots_.size();
  --size_;
  return job;
}

WorkQueue::~WorkQueue() {
  Wait();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  work_.notify_one();
  if (worker_.joinable()) {
    worker_.join();
  }
}

void* WorkQueue::ReserveScratch(size_t bytes, AlignedBuffer& retired) {
  if (bytes > scratch_.size()) {
    AlignedBuffer larger(bytes);
    retired = std::move(scratch_);
    scratch_ = std::move(larger);
  }
  return scratch_.data();
}

void WorkQueue::StartWorker() {
  if (!worker_.joinable()) {
    worker_ = std::thread([this] { WorkerLoop(); });
    pthread_setname_np(worker_.native_handle(), "detops-queue");
  }
}

Status WorkQueue::Submit(Job&& job, size_t scratch_bytes) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      StartWorker();
    } catch (const std::system_error& error) {
      return {MLUOP_STATUS_EXECUTION_FAILED,
              fmt::format("the queue's thread could not be started: {}", error.what())};
    }
    jobs_.Reserve();
    job.scratch = ReserveScratch(scratch_bytes, job.retired_scratch);
    if (job.handle != nullptr) {
      job.handle->BeginJob();
    }
    jobs_.Push(std::move(job));
    ++submitted_;
  }
  work_.notify_one();
  return {};
}

void WorkQueue::RunFirst(Lock& lock) {
  Job job = jobs_.Pop();
  running_ = true;
  lock.unlock();

  job.retired_scratch = AlignedBuffer();
  RunContext context{job.handle != nullptr ? job.handle->threads() : single_thread_, job.scratch};
  const Status status = job.Run(context);
  QueueError error;
  if (!status.ok()) {
    error = ToQueueError(job, status);
    Log(DETOPS_LOG_ERROR, error.text);
  }
  if (job.handle != nullptr) {
    job.handle->EndJob();
  }

  lock.lock();
  if (error_.code == MLUOP_STATUS_SUCCESS) {
    error_ = std::move(error);
  }
  running_ = false;
  ++finished_;
  done_.notify_all();
}

void WorkQueue::WorkerLoop() {
  Lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stop_ || (!jobs_.empty() && !running_); });
    if (stop_) {
      return;
    }
    RunFirst(lock);
  }
}

void WorkQueue::Wait() {
  Lock lock(mutex_);
  const uint64_t target = submitted_;
  while (finished_ < target) {
    if (running_) {
      done_.wait(lock);
    } else {
      RunFirst(lock);
    }
  }
  if (!jobs_.empty()) {
    work_.notify_one();  // the worker may have slept because this thread was running a job
  }
}

bool WorkQueue::IsIdle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return finished_ == submitted_;
}

QueueError WorkQueue::TakeError() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(error_, QueueError());
}

}  // namespace detops

namespace {

using detops::CheckNotNull;
using detops::FindQueue;
using detops::HostQueue;
using detops::QueueError;
using detops::RuntimeCall;
using detops::Status;
using detops::ToCnrt;

// The list of all queues of this process. Initialized at compile time and never destroyed: queues
// may exist before and after static objects do.
class QueueList {
 public:
  static QueueList& Get() { return process_; }

  void Add(HostQueue* queue) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue->previous = last_;
    (last_ != nullptr ? last_->next : first_) = queue;
    last_ = queue;
  }

  // Waits for visits of the queue to end.
  void Remove(HostQueue* queue) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (queue->visitors != 0) {
      const int seen = ended_visits_.load(std::memory_order_relaxed);
      lock.unlock();
      ended_visits_.wait(seen, std::memory_order_relaxed);
      lock.lock();
    }
    (queue->previous != nullptr ? queue->previous->next : first_) = queue->next;
    (queue->next != nullptr ? queue->next->previous : last_) = queue->previous;
  }

  // Calls visit(queue) for each queue, oldest first, with the list unlocked. A queue is not
  // destroyed while it is visited.
  template <class Visit>
  void ForEach(const Visit& visit) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (HostQueue* queue = first_; queue != nullptr;) {
      ++queue->visitors;
      lock.unlock();
      visit(*queue);
      lock.lock();
      HostQueue* const next = queue->next;
      if (--queue->visitors == 0) {
        ended_visits_.fetch_add(1, std::memory_order_relaxed);
        ended_visits_.notify_all();
      }
      queue = next;
    }
  }

 private:
  // In a forked child the list is empty: its parent's queues are not its own, and another thread
  // may have held the lock.
  static void RenewInChild() { new (&process_) QueueList; }

  std::mutex mutex_;
  HostQueue* first_ = nullptr;
  HostQueue* last_ = nullptr;
  std::atomic<int> ended_visits_{0};  // changes when visits of a queue have ended

  static QueueList process_;
  static const int fork_handler_;
};

constinit QueueList QueueList::process_;
const int QueueList::fork_handler_ = detops::CallInForkedChild(&QueueList::RenewInChild);

// Makes a queue's error the last error of this thread. It was logged when it happened.
cnrtRet_t ReportQueueError(const QueueError& error) {
  if (error.code != MLUOP_STATUS_SUCCESS) {
    detops::SetLastError(error.text, "out of memory for the text of a queue's error");
  }
  return detops::Remember(ToCnrt(error.code));
}

}  // namespace

cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue) {
  return RuntimeCall("cnrtQueueCreate", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("queue", queue));
    auto created = std::make_unique<HostQueue>();
    HostQueue& listed = *created;
    *queue = detops::Register(std::move(created));
    QueueList::Get().Add(&listed);
    return {};
  });
}

cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue) {
  std::unique_ptr<HostQueue> destroyed;
  const cnrtRet_t found = RuntimeCall(
      "cnrtQueueDestroy", [&] { return detops::UnregisterOwn("queue", queue, destroyed); });
  if (destroyed == nullptr) {
    return queue == nullptr ? detops::Remember(cnrtErrorQueueInvalid) : found;
  }
  destroyed->Wait();
  const cnrtRet_t result = ReportQueueError(destroyed->TakeError());
  QueueList::Get().Remove(destroyed.get());
  return result;
}

cnrtRet_t cnrtQueueSync(cnrtQueue_t queue) {
  HostQueue* waited = nullptr;
  const cnrtRet_t found = RuntimeCall("cnrtQueueSync", [&] { return FindQueue(queue, waited); });
  if (waited == nullptr) {
    return found;
  }
  waited->Wait();
  return ReportQueueError(waited->TakeError());
}

cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue) {
  HostQueue* queried = nullptr;
  const cnrtRet_t found = RuntimeCall("cnrtQueueQuery", [&] { return FindQueue(queue, queried); });
  if (queried == nullptr) {
    return found;
  }
  return queried->IsIdle() ? ReportQueueError(queried->TakeError()) : cnrtErrorNotReady;
}

cnrtRet_t cnrtSyncDevice(void) {
  QueueError all;
  QueueList::Get().ForEach([&](HostQueue& queue) {
    queue.Wait();
    QueueError error = queue.TakeError();
    if (all.code == MLUOP_STATUS_SUCCESS) {
      all = std::move(error);
    } else if (error.code != MLUOP_STATUS_SUCCESS) {
      try {
        all.text += "; " + error.text;
      } catch (...) {
        all.text.clear();  // out of memory: report the code without a text; both were logged
      }
    }
  });
  return ReportQueueError(all);
}
