// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// main() of a fuzz target where libFuzzer is not linked: replays the inputs that are named (files,
// or folders of files); without any, runs the empty input and some pseudo-random ones, the same
// every time.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void RunInput(const std::vector<char>& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

int ReplayFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return 1;
  }
  RunInput(bytes);
  return 0;
}

int Replay(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) {
    return ReplayFile(path);
  }
  int failures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    failures += ReplayFile(entry.path());
  }
  return failures;
}

void RunGenerated() {
  constexpr int kInputs = 2000;
  constexpr int kMaxBytes = 512;
  std::mt19937 random(20261115);
  RunInput({});
  for (int i = 0; i < kInputs; ++i) {
    std::vector<char> bytes(random() % kMaxBytes + 1);
    for (char& byte : bytes) {
      byte = static_cast<char>(random());
    }
    RunInput(bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    RunGenerated();
    return 0;
  }
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    failures += Replay(argv[i]);
  }
  return failures == 0 ? 0 : 1;
}
