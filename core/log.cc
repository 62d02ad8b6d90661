// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/boundary.h"
#include "core/check.h"

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

// Writes to stderr or to the user's function. The lock is held during the user's function: when
// SetTarget has returned the old one runs no more. It is recursive and the sink knows that it is
// busy, so that the function may make calls that fail, too.
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
    // Names and values come from the caller; a line stays a line.
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

struct Logger {
  std::shared_ptr<Sink> sink = std::make_shared<Sink>();
  spdlog::logger logger{"detops", sink};

  Logger() {
    // A line that there is no memory for is lost. The library must not write to stderr about it.
    logger.set_error_handler([](const std::string&) {});
    logger.set_level(ToSpdlog(DETOPS_LOG_ERROR));
    if (const char* name = std::getenv("DETOPS_LOG_LEVEL")) {
      if (const auto level = LevelFromName(name)) {
        logger.set_level(ToSpdlog(*level));
      } else {
        logger.error("DETOPS_LOG_LEVEL is '{}', expected off, error, info or debug; using error",
                     name);
      }
    }
  }
};

Logger& TheLogger() {
  static auto* const logger =
      new Logger;  // never destroyed: threads may log until the process ends
  return *logger;
}

}  // namespace

bool LogEnabled(detopsLogLevel_t level) noexcept {
  try {
    return TheLogger().logger.should_log(ToSpdlog(level));
  } catch (...) {
    return false;  // the logger itself could not be made
  }
}

void Log(detopsLogLevel_t level, std::string_view line) noexcept {
  try {
    TheLogger().logger.log(ToSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
  } catch (...) {
    // Logging must not turn a failure into another one.
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
