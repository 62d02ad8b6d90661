// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops man`: prints the manual page, which is made from the help texts.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/option_texts.h"
#include "core/version.h"

namespace detops::cli {
namespace {

// Escapes text for roff.
std::string EscapeRoff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += std::string("\\&") + c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void PrintOptions(const CLI::App& command) {
  for (const CLI::Option* const option : OptionsOf(command)) {
    fmt::print(
        ".TP\n\\fB{}\\fR{}\n{}\n", EscapeRoff(SpellingOf(*option)),
        ValueOf(*option).empty() ? "" : fmt::format(" \\fI{}\\fR", EscapeRoff(ValueOf(*option))),
        EscapeRoff(HelpOf(*option)));
  }
}

void PrintExamples(const CLI::App& command) {
  const std::vector<std::string> examples = ExamplesOf(command);
  if (examples.empty()) {
    return;
  }
  fmt::print(".PP\nExamples:\n.PP\n.nf\n.RS\n");
  for (const std::string& example : examples) {
    fmt::print("{}\n", EscapeRoff(example));
  }
  fmt::print(".RE\n.fi\n");
}

void PrintCommand(const CLI::App& command, const std::string& name) {
  fmt::print(".SS {}\n{}.\n", EscapeRoff(name), EscapeRoff(command.get_description()));
  PrintOptions(command);
  PrintExamples(command);
  for (const CLI::App* const part : SubcommandsOf(command)) {
    PrintCommand(*part, name + " " + part->get_name());
  }
}

void PrintManual(const CLI::App& app) {
  fmt::print(".TH DETOPS 1 \"\" \"detops {}\" \"User Commands\"\n", kVersion);
  fmt::print(".SH NAME\ndetops \\- {}\n", "run, test and benchmark object detection operators");
  fmt::print(".SH SYNOPSIS\n.B detops\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n");
  fmt::print(".SH DESCRIPTION\n{}\n", EscapeRoff(app.get_description()));
  PrintOptions(app);
  PrintExamples(app);
  fmt::print(".SH COMMANDS\n");
  for (const CLI::App* const command : SubcommandsOf(app)) {
    PrintCommand(*command, command->get_name());
  }
  fmt::print(
      ".SH EXIT STATUS\n"
      ".TP\n0\nSuccess.\n"
      ".TP\n1\nThe command ran and found a problem: a case failed, or a benchmark became slower.\n"
      ".TP\n2\nThe command could not run: wrong usage, input that cannot be used or output that "
      "cannot be written. One line on standard error gives the reason.\n"
      ".TP\n130\nInterrupted. No incomplete file is left.\n"
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBDETOPS_NUM_THREADS\\fR\nNumber of threads that an operator may use. The "
      "default is the number of cores.\n"
      ".TP\n\\fBDETOPS_SIMD_TARGET\\fR\nInstruction set to use, one of those that "
      "\\fBdetops info\\fR lists. The default is the best available.\n"
      ".TP\n\\fBDETOPS_LOG_LEVEL\\fR\nWhat the library logs to standard error: off, error, "
      "info or debug.\n");
}

}  // namespace

void AddManCommand(CLI::App& app, int& /*status*/) {
  CLI::App* const command = app.add_subcommand("man", "Print the manual page in roff format");
  command->callback([&app] { PrintManual(app); });
  AddExamples(*command, {"detops man | man -l -"});
}

}  // namespace detops::cli
