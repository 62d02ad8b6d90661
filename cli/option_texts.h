// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The command line's own description, for the manual page and for shells.

#ifndef DETOPS_CLI_OPTION_TEXTS_H_
#define DETOPS_CLI_OPTION_TEXTS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace detops::cli {

// Those that help texts show, in their order.
std::vector<const CLI::App*> SubcommandsOf(const CLI::App& command);
std::vector<const CLI::Option*> OptionsOf(const CLI::App& command);

// "-o", "--output"; nothing for an argument without a dash.
std::vector<std::string> NamesOf(const CLI::Option& option);
// "-o, --output", or the name of an argument without a dash.
std::string SpellingOf(const CLI::Option& option);
// "FILE"; empty for flags and arguments without a dash.
std::string ValueOf(const CLI::Option& option);
// What it means, with its default.
std::string HelpOf(const CLI::Option& option);
// The lines that AddExamples gave it.
std::vector<std::string> ExamplesOf(const CLI::App& command);

}  // namespace detops::cli

#endif  // DETOPS_CLI_OPTION_TEXTS_H_
