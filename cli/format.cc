// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace detops::cli {

std::string FormatThreeDigits(double value) {
  if (value < 9.995) {
    return fmt::format("{:.2f}", value);
  }
  return value < 99.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string FormatSeconds(double seconds) {
  struct Unit {
    double seconds;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  if (!(seconds > 0)) {
    return "-";
  }
  for (const Unit& unit : kUnits) {
    if (seconds >= 0.9995 * unit.seconds) {
      return fmt::format("{} {}", FormatThreeDigits(seconds / unit.seconds), unit.name);
    }
  }
  return fmt::format("{} ns", FormatThreeDigits(seconds * 1e9));
}

std::string FormatWithPrefix(double value, std::string_view unit) {
  struct Prefix {
    double factor;
    const char* name;
  };
  constexpr std::array<Prefix, 4> kPrefixes = {{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  for (const Prefix& prefix : kPrefixes) {
    if (value >= 0.9995 * prefix.factor) {
      return fmt::format("{} {}{}", FormatThreeDigits(value / prefix.factor), prefix.name, unit);
    }
  }
  return fmt::format("{} {}", FormatThreeDigits(value), unit);
}

std::string FormatRatio(double ratio) {
  if (ratio >= 999.5) {
    const double unit = std::pow(10.0, std::floor(std::log10(ratio)) - 2);
    return fmt::format("{:.0f}x", std::round(ratio / unit) * unit);
  }
  if (ratio < 0.995) {
    return fmt::format("{:.2f}x", ratio);
  }
  return ratio < 9.95 ? fmt::format("{:.1f}x", ratio) : fmt::format("{:.0f}x", ratio);
}

std::string FormatPercent(double part) {
  const double percent = 100 * part;
  if (percent < 0.95) {
    return fmt::format("{:.2g} %", percent);
  }
  return percent < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string FormatError(double error) {
  if (error == 0) {
    return "0";
  }
  if (std::isnan(error)) {
    return "not a number";
  }
  if (std::isinf(error)) {
    return "infinite";
  }
  if (std::fabs(error) >= 9.95e-4 && std::fabs(error) < 9.95e3) {
    return fmt::format("{:.2g}", error);
  }
  const auto exponent = static_cast<int>(std::floor(std::log10(std::fabs(error))));
  const std::string digits = fmt::format("{:.1f}", error / std::pow(10.0, exponent));
  return fmt::format(
      "{}e{}",
      digits.substr(digits.size() - 2) == ".0" ? digits.substr(0, digits.size() - 2) : digits,
      exponent);
}

std::string Counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace detops::cli
