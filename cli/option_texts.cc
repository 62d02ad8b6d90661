// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/option_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace detops::cli {

std::vector<const CLI::App*> SubcommandsOf(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* part) { return !part->get_group().empty(); });
}

std::vector<const CLI::Option*> OptionsOf(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return !option->get_group().empty(); });
}

std::vector<std::string> NamesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  return names;
}

std::string SpellingOf(const CLI::Option& option) {
  const std::vector<std::string> names = NamesOf(option);
  return names.empty() ? option.get_name(true) : fmt::format("{}", fmt::join(names, ", "));
}

std::string ValueOf(const CLI::Option& option) {
  return option.get_items_expected_max() == 0 || NamesOf(option).empty() ? std::string()
                                                                         : option.get_type_name();
}

std::string HelpOf(const CLI::Option& option) {
  const std::string& text = option.get_description();
  return option.get_default_str().empty()
             ? text
             : fmt::format("{} (default: {})", text, option.get_default_str());
}

std::vector<std::string> ExamplesOf(const CLI::App& command) {
  std::vector<std::string> examples;
  std::istringstream footer(command.get_footer());
  for (std::string line; std::getline(footer, line);) {
    if (line.rfind("  ", 0) == 0) {
      examples.push_back(line.substr(2));
    }
  }
  return examples;
}

}  // namespace detops::cli
