// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Contexts, queues and errors in C++.
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

  // A bad argument is an exception with the library's message, which is also logged: silence that
  // here.
  detopsSetLogLevel(DETOPS_LOG_OFF);
  try {
    context.SetThreads(-1);
  } catch (const detops::Error& error) {
    std::cout << mluOpGetErrorString(error.status()) << ": " << error.what() << '\n';
    return 0;
  }
  return 1;
}
