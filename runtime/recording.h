// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Records calls of operators as case files that `detops run` replays (mluOpSetGenCaseMode). A call
// never fails, and its results never change, because it is recorded.

#ifndef DETOPS_RUNTIME_RECORDING_H_
#define DETOPS_RUNTIME_RECORDING_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "core/handle.h"
#include "mlu_op.h"
#include "runtime/new_files.h"
#include "runtime/recorded_case.h"

namespace detops {

// The numbers are those of mluOpSetGenCaseMode.
enum class RecordingMode {
  kOff = 0,
  kShapes = 1,  // case files without input data
  kData = 2,    // case files with input data
  kPrint = 3,   // a line in the log instead of a file
};

// What one process may write. A program that is left recording fills no disk: 10,000 files are
// more than anyone reads, and 1 GiB holds the inputs of the largest networks several times.
struct RecordingLimits {
  int64_t files = 10'000;
  int64_t bytes = int64_t{1} << 30;
};

// Returns whether the process has rights that its user lacks: a setuid or setgid program.
bool HasForeignRights() noexcept;

// Writes or prints cases. All functions may be called from any thread.
class Recorder {
 public:
  explicit Recorder(RecordingLimits limits = {}, bool (*has_foreign_rights)() = HasForeignRights)
      : limits_(limits), has_foreign_rights_(has_foreign_rights) {}

  // Sets the folder in which each operator has a folder of its own. It is created when needed.
  void SetDirectory(std::string path);
  // Sets the folder that contains the default directory, gen_case.
  void SetParentOfDefault(std::string path);
  std::string directory() const;

  // Writes or prints the case of a call. A failure is logged, once per cause.
  void Record(const char* function, const RecordedCase& recorded, RecordingMode mode) noexcept;

  // Logs why a call is not recorded, unless a line with this cause has been logged.
  void LogNotRecorded(const char* function, const std::string& cause, const std::string& why);

 private:
  void Write(const char* function, const RecordedCase& recorded, bool with_data);
  FileError OpenFolder(const char* op_name, Folder& folder) const;
  void LogFileError(const char* function, const FileError& error);
  // Reserves part of the limits. Returns whether that was possible.
  bool Reserve(int64_t files, int64_t bytes);
  void Release(int64_t files, int64_t bytes);

  const RecordingLimits limits_;
  bool (*const has_foreign_rights_)();
  // One for all recorders, of which a process has one (tests have more): it exists always, so that
  // fork handlers need not know whether the recorder does.
  static inline constinit std::mutex mutex_;
  static const int fork_handlers_;
  std::string directory_;          // empty: gen_case in parent_of_default_
  std::string parent_of_default_;  // empty: the working directory
  int64_t files_ = 0;
  int64_t bytes_ = 0;
  std::set<std::string> causes_;
};

// The recorder of the process. Its first use reads the environment.
Recorder& TheRecorder();

namespace recording_internal {

inline constexpr int kUnknownMode = -1;
// kUnknownMode until the environment has been read.
extern std::atomic<int> current_mode;
RecordingMode ReadModeFromEnvironment() noexcept;

// Records the case inside the call or, if the handle has a queue, as a job of its own: inputs are
// recorded as the operator's job, which is submitted next, will see them.
void Submit(Handle& handle, const char* function, RecordedCase&& recorded, RecordingMode mode);
// Logs the exception that is being handled.
void LogException(const char* function) noexcept;

}  // namespace recording_internal

inline RecordingMode CurrentRecordingMode() noexcept {
  const int mode = recording_internal::current_mode.load(std::memory_order_relaxed);
  return mode != recording_internal::kUnknownMode ? static_cast<RecordingMode>(mode)
                                                  : recording_internal::ReadModeFromEnvironment();
}

// Records a call whose arguments have been checked, if recording is on. make_case() returns the
// RecordedCase. Must be called before the operator is submitted, which may overwrite its inputs.
template <class MakeCase>
void RecordCall(Handle& handle, const char* function, const MakeCase& make_case) noexcept {
  const RecordingMode mode = CurrentRecordingMode();
  if (mode == RecordingMode::kOff) [[likely]] {
    return;
  }
  try {
    recording_internal::Submit(handle, function, make_case(), mode);
  } catch (...) {
    recording_internal::LogException(function);
  }
}

}  // namespace detops

#endif  // DETOPS_RUNTIME_RECORDING_H_
