// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops completion`: prints scripts with which shells complete a command line.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/option_texts.h"
#include "core/operators.h"

namespace detops::cli {
namespace {

// A command and the words that lead to it ("apply poly_nms").
struct Place {
  std::string path;
  const CLI::App* command;
};

void CollectPlaces(const CLI::App& command, const std::string& path, std::vector<Place>& places) {
  places.push_back({path, &command});
  for (const CLI::App* const part : SubcommandsOf(command)) {
    CollectPlaces(*part, path.empty() ? part->get_name() : path + " " + part->get_name(), places);
  }
}

std::vector<Place> PlacesOf(const CLI::App& app) {
  std::vector<Place> places;
  CollectPlaces(app, "", places);
  return places;
}

bool TakesOperator(const CLI::App& command) {
  const std::vector<const CLI::Option*> options = OptionsOf(command);
  return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    return NamesOf(*option).empty() && option->get_name(true) == "OP";
  });
}

// Returns the subcommands and operators that may follow a command.
std::vector<std::string> WordsOf(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* const part : SubcommandsOf(command)) {
    words.push_back(part->get_name());
  }
  if (TakesOperator(command)) {
    for (const Operator* const op : Operators()) {
      words.emplace_back(op->name);
    }
  }
  if (command.get_name() == "completion") {
    words.insert(words.end(), {"bash", "fish", "zsh"});
  }
  return words;
}

std::vector<std::string> DashedWordsOf(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* const option : OptionsOf(command)) {
    for (std::string& name : NamesOf(*option)) {
      words.push_back(std::move(name));
    }
  }
  return words;
}

// Returns a shell function that sets `words` and `options` to what may follow the words in $1.
std::string TableFunction(const CLI::App& app) {
  std::string table = "_detops_table() {\n  case $1 in\n";
  for (const Place& place : PlacesOf(app)) {
    table += fmt::format("    '{}') words='{}'; options='{}' ;;\n", place.path,
                         fmt::join(WordsOf(*place.command), " "),
                         fmt::join(DashedWordsOf(*place.command), " "));
  }
  return table + "    *) return 1 ;;\n  esac\n}\n";
}

// Both scripts follow the words before the cursor to the innermost subcommand.
constexpr const char* kBash = R"(_detops() {
  local cur=${COMP_WORDS[COMP_CWORD]} place='' next words options i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    next=${place:+$place }${COMP_WORDS[i]}
    _detops_table "$next" && place=$next
  done
  _detops_table "$place"
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _detops detops
)";

constexpr const char* kZsh = R"(_detops() {
  local place='' next words_before options i
  local -a before=("${words[@]:1:$((CURRENT - 2))}")
  local words
  for next in "${before[@]}"; do
    next=${place:+$place }$next
    _detops_table "$next" && place=$next
  done
  _detops_table "$place"
  if [[ $PREFIX == -* ]]; then
    compadd -- ${=options}
  else
    compadd -- ${=words}
    _files
  fi
}
compdef _detops detops
)";

void PrintFish(const CLI::App& app) {
  fmt::print(
      "function __detops_at\n"
      "  set -l place\n"
      "  for word in (commandline -opc)[2..]\n"
      "    contains -- (string join ' ' $place $word) $__detops_places; and set -a place $word\n"
      "  end\n"
      "  test (string join ' ' $place) = \"$argv[1]\"\n"
      "end\n");
  const std::vector<Place> places = PlacesOf(app);
  fmt::print("set -g __detops_places");
  for (const Place& place : places) {
    fmt::print(" '{}'", place.path);
  }
  fmt::print("\n");
  for (const Place& place : places) {
    const std::string condition = fmt::format("-n \"__detops_at '{}'\"", place.path);
    const std::vector<std::string> words = WordsOf(*place.command);
    if (!words.empty()) {
      fmt::print("complete -c detops {} -a '{}'\n", condition, fmt::join(words, " "));
    }
    for (const CLI::Option* const option : OptionsOf(*place.command)) {
      if (NamesOf(*option).empty()) {
        continue;
      }
      fmt::print("complete -c detops {}", condition);
      for (const std::string& name : option->get_snames()) {
        fmt::print(" -s {}", name);
      }
      for (const std::string& name : option->get_lnames()) {
        fmt::print(" -l {}", name);
      }
      fmt::print("{}\n", ValueOf(*option).empty() ? "" : " -r");
    }
  }
}

void PrintCompletion(const CLI::App& app, const std::string& shell) {
  if (shell == "fish") {
    PrintFish(app);
  } else if (shell == "zsh") {
    fmt::print("#compdef detops\n{}{}", TableFunction(app), kZsh);
  } else {
    fmt::print("{}{}", TableFunction(app), kBash);
  }
}

}  // namespace

void AddCompletionCommand(CLI::App& app, int& /*status*/) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "completion", "Print a script with which a shell completes detops commands");
  command->add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "fish", "zsh"}));
  command->callback([shell, &app] { PrintCompletion(app, *shell); });
  AddExamples(*command, {"source <(detops completion bash)",
                         "detops completion fish > ~/.config/fish/completions/detops.fish"});
}

}  // namespace detops::cli
