// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Shows contexts, queues and exceptions of the C++ API.
//
//   c++ -std=c++17 context.cc -o context $(pkg-config --cflags --libs detops) && ./context

#include <detops/detops.hpp>
#include <iostream>

int main() {
  const detops::Info info = detops::GetInfo();
  std::cout << "detops " << info.version << " on " << info.cpu << " with " << info.simd_target
            << '\n';

  detops::Context context;
  context.SetThreads(1);
  const detops::Queue queue;
  context.SetQueue(queue);

  // An invalid argument throws an exception. The library also logs its message, unless the log is
  // off.
  detopsSetLogLevel(DETOPS_LOG_OFF);
  try {
    context.SetThreads(-1);
  } catch (const detops::Error& error) {
    std::cout << mluOpGetErrorString(error.status()) << ": " << error.what() << '\n';
    return 0;
  }
  return 1;
}
