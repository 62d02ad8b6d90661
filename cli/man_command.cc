// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops man`: the manual page, made from the texts of --help.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/option_texts.h"
#include "core/version.h"

namespace detops::cli {
namespace {

// Text that roff takes as it is.
std::string Plain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c == '\\') {
      plain += "\\e";
    } else if (c == '-') {
      plain += "\\-";
    } else if ((c == '.' || c == '\'') && (plain.empty() || plain.back() == '\n')) {
      plain += std::string("\\&") + c;
    } else {
      plain += c;
    }
  }
  return plain;
}

void PrintOptions(const CLI::App& command) {
  for (const CLI::Option* const option : OptionsOf(command)) {
    fmt::print(".TP\n\\fB{}\\fR{}\n{}\n", Plain(SpellingOf(*option)),
               ValueOf(*option).empty() ? "" : fmt::format(" \\fI{}\\fR", Plain(ValueOf(*option))),
               Plain(HelpOf(*option)));
  }
}

void PrintExamples(const CLI::App& command) {
  const std::vector<std::string> examples = ExamplesOf(command);
  if (examples.empty()) {
    return;
  }
  fmt::print(".PP\nExamples:\n.PP\n.nf\n.RS\n");
  for (const std::string& example : examples) {
    fmt::print("{}\n", Plain(example));
  }
  fmt::print(".RE\n.fi\n");
}

void PrintCommand(const CLI::App& command, const std::string& name) {
  fmt::print(".SS {}\n{}.\n", Plain(name), Plain(command.get_description()));
  PrintOptions(command);
  PrintExamples(command);
  for (const CLI::App* const part : SubcommandsOf(command)) {
    PrintCommand(*part, name + " " + part->get_name());
  }
}

void PrintManual(const CLI::App& app) {
  fmt::print(".TH DETOPS 1 \"\" \"detops {}\" \"User Commands\"\n", kVersion);
  fmt::print(".SH NAME\ndetops \\- {}\n", "run, accept, measure and report detection operators");
  fmt::print(".SH SYNOPSIS\n.B detops\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n");
  fmt::print(".SH DESCRIPTION\n{}\n", Plain(app.get_description()));
  PrintOptions(app);
  PrintExamples(app);
  fmt::print(".SH COMMANDS\n");
  for (const CLI::App* const command : SubcommandsOf(app)) {
    PrintCommand(*command, command->get_name());
  }
  fmt::print(
      ".SH EXIT STATUS\n"
      ".TP\n0\nAll is well.\n"
      ".TP\n1\nThe command did its job and found what should not be: a case that fails, a "
      "benchmark "
      "that got slower.\n"
      ".TP\n2\nThe command could not do its job: wrong usage, input that cannot be used, output "
      "that "
      "cannot be written. One line on the standard error says why.\n"
      ".TP\n130\nInterrupted. No unfinished file is left.\n"
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBDETOPS_NUM_THREADS\\fR\nThreads that an operator may use.\n"
      ".TP\n\\fBDETOPS_SIMD_TARGET\\fR\nThe instruction set.\n"
      ".TP\n\\fBDETOPS_LOG_LEVEL\\fR\noff, error, info or debug.\n");
}

}  // namespace

void AddManCommand(CLI::App& app, int& /*status*/) {
  CLI::App* const command = app.add_subcommand("man", "Print the manual page, as roff");
  command->callback([&app] { PrintManual(app); });
  AddExamples(*command, {"detops man | man -l -"});
}

}  // namespace detops::cli
