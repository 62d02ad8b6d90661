// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// main() of a fuzz target that is not linked with libFuzzer: replays the given inputs (files, or
// folders of files). "-generated" runs the empty input and a fixed set of pseudo-random inputs.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "measure/slow_build.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

char current_input[512];

void RunInput(const std::string& name, const std::vector<char>& bytes) {
  std::snprintf(current_input, sizeof(current_input), "the program failed on %s\n", name.c_str());
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// Signal handler: prints the name of the current input.
void OnFailure(int signal) {
  if (write(STDERR_FILENO, current_input, std::strlen(current_input)) < 0) {
    _exit(1);  // stderr cannot be written
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int ReplayFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return 1;
  }
  RunInput(path.string(), bytes);
  return 0;
}

int Replay(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) {
    return ReplayFile(path);
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    files.push_back(entry.path());
  }
  if (files.empty()) {
    std::fprintf(stderr, "%s contains no input\n", path.c_str());
    return 1;
  }
  std::sort(files.begin(), files.end());
  int failures = 0;
  for (const auto& file : files) {
    failures += ReplayFile(file);
  }
  return failures;
}

void RunGenerated() {
  constexpr int kInputs = detops::kSlowBuild ? 40 : 1000;
  constexpr int kMaxBytes = 512;
  std::mt19937 random(20261115);
  RunInput("the empty input", {});
  for (int i = 0; i < kInputs; ++i) {
    std::vector<char> bytes(random() % kMaxBytes + 1);
    for (char& byte : bytes) {
      byte = static_cast<char>(random());
    }
    RunInput("generated input " + std::to_string(i), bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGABRT, OnFailure);
  std::signal(SIGSEGV, OnFailure);
  if (argc == 1) {
    std::fprintf(stderr, "usage: %s [-generated] [FILE or FOLDER]...\n", argv[0]);
    return 2;
  }
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "-generated") {
      RunGenerated();
    } else {
      failures += Replay(argv[i]);
    }
  }
  return failures == 0 ? 0 : 1;
}
