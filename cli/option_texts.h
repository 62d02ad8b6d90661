// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Descriptions of commands and options, for the manual page and for shell completion.

#ifndef DETOPS_CLI_OPTION_TEXTS_H_
#define DETOPS_CLI_OPTION_TEXTS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace detops::cli {

// Return the parts that help texts show, in their order.
std::vector<const CLI::App*> SubcommandsOf(const CLI::App& command);
std::vector<const CLI::Option*> OptionsOf(const CLI::App& command);

// Returns "-o", "--output"; nothing for a positional argument.
std::vector<std::string> NamesOf(const CLI::Option& option);
// Returns "-o, --output", or the name of a positional argument.
std::string SpellingOf(const CLI::Option& option);
// Returns "FILE"; empty for flags and positional arguments.
std::string ValueOf(const CLI::Option& option);
// Returns the help text with the default.
std::string HelpOf(const CLI::Option& option);
// Returns the examples that AddExamples added.
std::vector<std::string> ExamplesOf(const CLI::App& command);

}  // namespace detops::cli

#endif  // DETOPS_CLI_OPTION_TEXTS_H_
