// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "core/boundary.h"
#include "core/check.h"
#include "core/environment.h"
#include "core/fork.h"

namespace detops {
namespace {

constexpr const char* kLevelNames[] = {"off", "error", "info", "debug"};

std::optional<detopsLogLevel_t> LevelFromName(std::string_view name) {
  for (int level = DETOPS_LOG_OFF; level <= DETOPS_LOG_DEBUG; ++level) {
    if (name == kLevelNames[level]) {
      return static_cast<detopsLogLevel_t>(level);
    }
  }
  return std::nullopt;
}

spdlog::level::level_enum ToSpdlog(detopsLogLevel_t level) {
  switch (level) {
    case DETOPS_LOG_OFF:
      return spdlog::level::off;
    case DETOPS_LOG_ERROR:
      return spdlog::level::err;
    case DETOPS_LOG_INFO:
      return spdlog::level::info;
    case DETOPS_LOG_DEBUG:
      return spdlog::level::debug;
  }
  return spdlog::level::err;
}

detopsLogLevel_t FromSpdlog(spdlog::level::level_enum level) {
  return level == spdlog::level::err    ? DETOPS_LOG_ERROR
         : level == spdlog::level::info ? DETOPS_LOG_INFO
                                        : DETOPS_LOG_DEBUG;
}

// Writes to stderr or to the user's function. The lock is held while the user's function runs, so
// the old function is never called after SetTarget has returned. The user's function may itself
// make calls that log: the lock is recursive, and lines logged from inside the function are
// dropped.
class Sink final : public spdlog::sinks::sink {
 public:
  void SetTarget(detopsLogSink_t target, void* user) {
    const Lock lock(mutex_);
    target_ = target;
    user_ = user;
  }

  void log(const spdlog::details::log_msg& message) override {
    const Lock lock(mutex_);
    if (busy_) {
      return;
    }
    const detopsLogLevel_t level = FromSpdlog(message.level);
    std::string line(message.payload.data(), message.payload.size());
    // Texts may contain names and values from the caller. Replace control characters, so that a
    // line cannot become two.
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
    busy_ = true;
    if (target_ != nullptr) {
      target_(level, line.c_str(), user_);
    } else {
      std::fprintf(stderr, "detops %s: %s\n", kLevelNames[level], line.c_str());
    }
    busy_ = false;
  }

  // Unlocks the sink in a forked child: another thread of the parent may have held the lock.
  void RenewInChild() {
    new (&mutex_) std::recursive_mutex;
    busy_ = false;
  }

  void flush() override {}
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  using Lock = std::lock_guard<std::recursive_mutex>;

  std::recursive_mutex mutex_;
  detopsLogSink_t target_ = nullptr;
  void* user_ = nullptr;
  bool busy_ = false;
};

// The sink, once it exists, for a forked child.
constinit std::atomic<Sink*> sink_to_renew{nullptr};

[[maybe_unused]] const int fork_handler = CallInForkedChild([] {
  if (Sink* const sink = sink_to_renew.load(std::memory_order_acquire)) {
    sink->RenewInChild();
  }
});

struct Logger {
  std::shared_ptr<Sink> sink = std::make_shared<Sink>();
  spdlog::logger logger{"detops", sink};

  Logger() {
    // When out of memory, a line is lost silently: spdlog's default handler would write to stderr.
    logger.set_error_handler([](const std::string&) {});
    logger.set_level(ToSpdlog(DETOPS_LOG_ERROR));
    if (const auto name = FromEnvironment("DETOPS_LOG_LEVEL")) {
      if (const auto level = LevelFromName(*name)) {
        logger.set_level(ToSpdlog(*level));
      } else {
        logger.error("DETOPS_LOG_LEVEL is '{}'; it must be off, error, info or debug (using error)",
                     *name);
      }
    }
    sink_to_renew.store(sink.get(), std::memory_order_release);
  }
};

Logger& TheLogger() {
  // Never destroyed: threads may log until the process ends.
  static auto* const logger = new Logger;
  return *logger;
}

}  // namespace

bool LogEnabled(detopsLogLevel_t level) noexcept {
  try {
    return TheLogger().logger.should_log(ToSpdlog(level));
  } catch (...) {
    return false;  // out of memory for the logger itself
  }
}

void Log(detopsLogLevel_t level, std::string_view line) noexcept {
  try {
    TheLogger().logger.log(ToSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
  } catch (...) {
    // A failure to log must not hide the failure that is being logged.
  }
}

void LogRequested(detopsLogLevel_t level, std::string_view line) noexcept {
  try {
    Logger& logger = TheLogger();
    if (logger.logger.level() != spdlog::level::off) {
      logger.sink->log(
          {"detops", ToSpdlog(level), spdlog::string_view_t(line.data(), line.size())});
    }
  } catch (...) {
    // As in Log.
  }
}

}  // namespace detops

mluOpStatus_t detopsSetLogLevel(detopsLogLevel_t level) {
  return detops::ApiCall("detopsSetLogLevel", [&]() -> detops::Status {
    DETOPS_RETURN_IF_ERROR(detops::CheckEnum("level", level, DETOPS_LOG_OFF, DETOPS_LOG_DEBUG));
    detops::TheLogger().logger.set_level(detops::ToSpdlog(level));
    return {};
  });
}

mluOpStatus_t detopsSetLogSink(detopsLogSink_t sink, void* user) {
  return detops::ApiCall("detopsSetLogSink", [&]() -> detops::Status {
    detops::TheLogger().sink->SetTarget(sink, user);
    return {};
  });
}
