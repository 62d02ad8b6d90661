// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/case.h"

namespace detops::cli {
namespace {

constexpr mode_t kPermissions = 07777;
// Shells report a process that a signal ended as this plus the signal's number.
constexpr int kExitOfSignals = 128;

// The temporary files that exist. The mutex is held while one is created, renamed or removed, so
// that an interrupt sees all of them and none is created afterwards.
struct Temporaries {
  std::mutex mutex;
  std::set<std::string> paths;
  int made = 0;
};

// Never destroyed: an interrupt may come while the process ends.
Temporaries& AllTemporaries() {
  static auto* const temporaries = new Temporaries;
  return *temporaries;
}

[[noreturn]] void ThrowErrno(const std::string& path, int error) {
  throw UserError(
      fmt::format("{}: cannot be written: {}", path, std::generic_category().message(error)));
}

void RemoveTemporary(const std::string& temporary) {
  if (!temporary.empty()) {
    Temporaries& all = AllTemporaries();
    const std::lock_guard<std::mutex> lock(all.mutex);
    unlink(temporary.c_str());
    all.paths.erase(temporary);
  }
}

// Creates and opens a file with a new name in the folder. Returns -1 and sets errno on failure.
int MakeTemporary(const std::string& folder, std::string& temporary) {
  Temporaries& all = AllTemporaries();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (;;) {
    temporary = fmt::format("{}/.detops-{}-{}.tmp", folder, getpid(), all.made++);
    const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      all.paths.insert(temporary);
      return file;
    }
    if (errno != EEXIST) {
      return -1;
    }
  }
}

// Returns the status of a file; nothing when it does not exist.
std::optional<struct stat> Look(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) {
      throw UserError(fmt::format("{}: is a folder; the output must be a file", path));
    }
    return found;
  }
  if (errno != ENOENT) {
    ThrowErrno(path, errno);
  }
  return std::nullopt;
}

// Returns the file to replace. A symbolic link stays, and the file that it points to is replaced.
std::filesystem::path TargetOf(const std::string& path) {
  std::error_code is_missing;
  const std::filesystem::path target = std::filesystem::canonical(path, is_missing);
  return is_missing ? std::filesystem::path(path) : target;
}

std::string FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

// Waits for one of the signals, then ends the process.
void WaitForInterrupt(const sigset_t& signals) {
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  Temporaries& all = AllTemporaries();
  all.mutex.lock();  // never unlocked
  for (const std::string& path : all.paths) {
    unlink(path.c_str());
  }
  constexpr std::string_view kMessage = "detops: interrupted\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(kExitOfSignals + signal);
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  const std::optional<struct stat> existing = Look(path_);
  int file = -1;
  if (existing && !S_ISREG(existing->st_mode)) {
    file = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (existing && access(path_.c_str(), W_OK) != 0) {
    ThrowErrno(path_, errno);
  } else {
    file = MakeTemporary(FolderOf(TargetOf(path_)), temporary_);
    if (file >= 0 && existing) {
      fchmod(file, existing->st_mode & kPermissions);
    }
  }
  if (file < 0) {
    ThrowErrno(path_, errno);
  }
  file_ = fdopen(file, "wb");
  if (file_ == nullptr) {
    const int error = errno;
    close(file);
    RemoveTemporary(temporary_);
    ThrowErrno(path_, error);
  }
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
  }
  RemoveTemporary(temporary_);
}

void OutputFile::Write(const void* data, size_t bytes) {
  if (bytes != 0 && std::fwrite(data, 1, bytes, file_) != bytes) {
    ThrowErrno(path_, errno);
  }
}

void OutputFile::Commit() {
  // Errors such as a full disk may appear only here.
  if (std::fclose(std::exchange(file_, nullptr)) != 0) {
    ThrowErrno(path_, errno);
  }
  if (temporary_.empty()) {
    return;
  }
  const std::filesystem::path target = TargetOf(path_);
  Temporaries& all = AllTemporaries();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (std::rename(temporary_.c_str(), target.c_str()) != 0) {
    ThrowErrno(path_, errno);
  }
  all.paths.erase(std::exchange(temporary_, {}));
}

void HandleInterrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    // A signal that is already ignored stays ignored: shells do that for background jobs.
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
      sigaddset(&signals, signal);
    }
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] { WaitForInterrupt(signals); }).detach();
}

}  // namespace detops::cli
