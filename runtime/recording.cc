// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/recording.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "core/boundary.h"
#include "core/check.h"
#include "core/environment.h"
#include "core/float_mode.h"
#include "core/handle.h"
#include "core/log.h"
#include "runtime/case_text.h"
#include "runtime/queue.h"

namespace detops {
namespace {

constexpr std::string_view kDefaultFolder = "gen_case";
// Names contain the time, the thread and a number, so that one is rarely taken.
constexpr int kMaxNames = 16;
// Causes that are logged. More of them, for example in one folder after the other, are not.
constexpr size_t kMaxCauses = 100;

// Returns whether the environment is the user's own, not that of the caller of a setuid program.
bool IsEnvironmentTrusted() { return getauxval(AT_SECURE) == 0; }

// Returns a name that this process has not used before, in the form that MLU-OPS uses, and a
// number: two calls of a thread may have the same time. The time is UTC.
std::string NewStem(const char* op_name) {
  static std::atomic<int64_t> last_number{0};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm date{};
  gmtime_r(&now.tv_sec, &date);
  return fmt::format("{}_{:04}{:02}{:02}_{:02}_{:02}_{:02}_{:06}_tid{}_device0_{}", op_name,
                     date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min,
                     date.tm_sec, now.tv_nsec / 1000, gettid(),
                     last_number.fetch_add(1, std::memory_order_relaxed) + 1);
}

// Returns the files of a case. The case file is the last one: when it exists, the others do.
// `text` must outlive them.
std::vector<NewFile> FilesOf(const RecordedCase& recorded, const std::string& stem, bool with_data,
                             const std::string& text) {
  std::vector<NewFile> files;
  for (size_t i = 0; i < recorded.inputs.size(); ++i) {
    const RecordedTensor& input = recorded.inputs[i];
    if (SourceOf(input, with_data) == ValueSource::kRawFile) {
      const size_t bytes =
          static_cast<size_t>(input.shape.element_count) * DataTypeSize(input.shape.dtype);
      files.push_back(
          {.name = RawFileName(stem, i), .bytes = {static_cast<const char*>(input.data), bytes}});
    }
  }
  files.push_back({.name = stem + ".prototxt", .bytes = text});
  return files;
}

int64_t BytesOf(const std::vector<NewFile>& files) {
  int64_t bytes = 0;
  for (const NewFile& file : files) {
    bytes += static_cast<int64_t>(file.bytes.size());
  }
  return bytes;
}

// A case on its way through a queue. The job owns it.
struct QueuedCase {
  const char* function;
  RecordedCase recorded;
  RecordingMode mode;
};

struct QueuedCaseArgs {
  QueuedCase* queued;
};

Status RunQueuedCase(RunContext&, const QueuedCaseArgs& args) {
  const std::unique_ptr<QueuedCase> queued(args.queued);
  TheRecorder().Record(queued->function, queued->recorded, queued->mode);
  return {};
}

}  // namespace

bool HasForeignRights() noexcept {
  return getauxval(AT_SECURE) != 0 || getuid() != geteuid() || getgid() != getegid();
}

void Recorder::SetDirectory(std::string path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  directory_ = std::move(path);
}

void Recorder::SetParentOfDefault(std::string path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  parent_of_default_ = std::move(path);
}

std::string Recorder::directory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!directory_.empty()) {
    return directory_;
  }
  return parent_of_default_.empty() ? std::string(kDefaultFolder)
                                    : fmt::format("{}/{}", parent_of_default_, kDefaultFolder);
}

FileError Recorder::OpenFolder(const char* op_name, Folder& folder) const {
  std::string directory;
  std::string parent;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    directory = directory_;
    parent = parent_of_default_.empty() ? "." : parent_of_default_;
  }
  return directory.empty() ? folder.Open(parent, {kDefaultFolder, op_name})
                           : folder.Open(directory, {op_name});
}

bool Recorder::Reserve(int64_t files, int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (files > limits_.files - files_ || bytes > limits_.bytes - bytes_) {
    return false;
  }
  files_ += files;
  bytes_ += bytes;
  return true;
}

void Recorder::Release(int64_t files, int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  files_ -= files;
  bytes_ -= bytes;
}

void Recorder::LogNotRecorded(const char* function, const std::string& cause,
                              const std::string& why) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (causes_.size() == kMaxCauses || !causes_.insert(cause).second) {
      return;
    }
  }
  Log(DETOPS_LOG_ERROR, fmt::format("{}: the call is not recorded: {}", function, why));
}

void Recorder::LogFileError(const char* function, const FileError& error) {
  const std::string text = std::generic_category().message(error.number);
  // Each file has another name, so names are no part of the cause.
  LogNotRecorded(function, fmt::format("{}: {}", directory(), text),
                 fmt::format("{} cannot be written: {}", error.path, text));
}

void Recorder::Write(const char* function, const RecordedCase& recorded, bool with_data) {
  Folder folder;
  FileError error = OpenFolder(recorded.op_name, folder);
  if (error.number != 0) {
    return LogFileError(function, error);
  }
  for (int name = 0; name < kMaxNames; ++name) {
    const std::string stem = NewStem(recorded.op_name);
    const std::string text = CaseText(recorded, stem, with_data);
    const std::vector<NewFile> files = FilesOf(recorded, stem, with_data, text);
    const auto count = static_cast<int64_t>(files.size());
    const int64_t bytes = BytesOf(files);
    if (!Reserve(count, bytes)) {
      return LogNotRecorded(function, "limits",
                            fmt::format("one process writes at most {} files and {} bytes",
                                        limits_.files, limits_.bytes));
    }
    error = folder.Write(files);
    if (error.number == 0) {
      return;
    }
    Release(count, bytes);
    if (error.number != EEXIST) {
      break;
    }
  }
  LogFileError(function, error);
}

void Recorder::Record(const char* function, const RecordedCase& recorded,
                      RecordingMode mode) noexcept {
  try {
    const DefaultFloatMode float_mode;
    if (has_foreign_rights_()) {
      LogNotRecorded(function, "rights", "setuid and setgid programs record nothing");
    } else if (recorded.obstacle != nullptr) {
      LogNotRecorded(function, fmt::format("{}: {}", function, recorded.obstacle),
                     recorded.obstacle);
    } else if (mode == RecordingMode::kPrint) {
      LogRequested(DETOPS_LOG_INFO, fmt::format("{}: {}", function, CaseLine(recorded)));
    } else {
      Write(function, recorded, mode == RecordingMode::kData);
    }
  } catch (...) {
    recording_internal::LogException(function);
  }
}

// A fork waits for changes of the recorder to end, so that the child gets a whole one.
const int Recorder::fork_handlers_ =
    pthread_atfork([] { mutex_.lock(); }, [] { mutex_.unlock(); }, [] { mutex_.unlock(); });

Recorder& TheRecorder() {
  // In static memory, and never destroyed: queues may run until the process ends.
  alignas(Recorder) static std::byte memory[sizeof(Recorder)];
  static Recorder& recorder = [&]() -> Recorder& {
    auto* const made = new (memory) Recorder;
    if (IsEnvironmentTrusted()) {
      made->SetParentOfDefault(std::string(FromEnvironment("MLUOP_GEN_CASE_DIR").value_or("")));
    }
    return *made;
  }();
  return recorder;
}

namespace recording_internal {

constinit std::atomic<int> current_mode{kUnknownMode};

RecordingMode ReadModeFromEnvironment() noexcept {
  int read = 0;
  try {
    if (IsEnvironmentTrusted()) {
      read = IntegerFromEnvironment("MLUOP_GEN_CASE", 0, 3).value_or(0);
    }
  } catch (...) {
    return RecordingMode::kOff;  // no memory to log a wrong value; the next call reads it again
  }
  int expected = kUnknownMode;
  current_mode.compare_exchange_strong(expected, read, std::memory_order_relaxed);
  return static_cast<RecordingMode>(current_mode.load(std::memory_order_relaxed));
}

void Submit(Handle& handle, const char* function, RecordedCase&& recorded, RecordingMode mode) {
  Recorder& recorder = TheRecorder();  // made here, because it may fail and the job must not
  HostQueue* queue = nullptr;
  const Status found = FindQueue(handle.queue, queue);
  if (!found.ok()) {
    return;  // the operator's own submission fails next, and reports it
  }
  if (queue == nullptr) {
    return recorder.Record(function, recorded, mode);
  }
  auto queued = std::make_unique<QueuedCase>(
      QueuedCase{.function = function, .recorded = std::move(recorded), .mode = mode});
  const Status status =
      queue->Submit(Job::Make<RunQueuedCase>(function, QueuedCaseArgs{.queued = queued.get()}));
  if (!status.ok()) {
    return recorder.LogNotRecorded(function, status.message(), status.message());
  }
  (void)queued.release();  // the job deletes it
}

void LogException(const char* function) noexcept {
  try {
    const Status status = StatusFromException();
    TheRecorder().LogNotRecorded(function, status.message(), status.message());
  } catch (...) {
    // Out of memory even for the line.
  }
}

}  // namespace recording_internal
}  // namespace detops

void mluOpSetGenCaseMode(int mode) {
  detops::recording_internal::current_mode.store(mode >= 0 && mode <= 3 ? mode : 0,
                                                 std::memory_order_relaxed);
}

mluOpStatus_t mluOpSetGenCaseDirectory(const char* path) {
  return detops::ApiCall("mluOpSetGenCaseDirectory", [&]() -> detops::Status {
    DETOPS_RETURN_IF_ERROR(detops::CheckNotNull("path", path));
    const size_t length = strnlen(path, PATH_MAX);
    if (length == 0) {
      return detops::BadParam("path is empty; it must name a folder");
    }
    if (length == PATH_MAX) {
      return detops::BadParam("path has {} bytes or more; it must have fewer", PATH_MAX);
    }
    detops::TheRecorder().SetDirectory(path);
    return {};
  });
}

const char* mluOpGetGenCaseDirectory(char* buffer, size_t bufferSize, size_t* pathLen,
                                     mluOpStatus_t* status) {
  const char* result = nullptr;
  const mluOpStatus_t code = detops::ApiCall("mluOpGetGenCaseDirectory", [&]() -> detops::Status {
    const std::string path = detops::TheRecorder().directory();
    if (pathLen != nullptr) {
      *pathLen = path.size();
    }
    if (buffer != nullptr && bufferSize <= path.size()) {
      return detops::BadParam("bufferSize is {}; it must be at least {}", bufferSize,
                              path.size() + 1);
    }
    char* const target =
        buffer != nullptr ? buffer : static_cast<char*>(std::malloc(path.size() + 1));
    if (target == nullptr) {
      throw std::bad_alloc();
    }
    std::memcpy(target, path.c_str(), path.size() + 1);
    result = target;
    return {};
  });
  if (status != nullptr) {
    *status = code;
  }
  return result;
}
