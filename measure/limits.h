// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the machine can do, to measure operators against.

#ifndef DETOPS_MEASURE_LIMITS_H_
#define DETOPS_MEASURE_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "core/parallel.h"

namespace detops {

// Writes every byte of a buffer, which is aligned to 64 bytes, past the caches.
void FillStreaming(Threads& threads, void* buffer, size_t bytes);

// Reads one buffer and writes another past the caches, each once. Both are aligned to 64 bytes.
void ReadAndFillStreaming(Threads& threads, const void* input, size_t input_bytes, void* output,
                          size_t output_bytes);

// What these two move in a second at best, reading as much as they write.
double BytesMovedPerSecond(Threads& threads);

// Float additions and multiplications in a second, from registers, on all of the threads.
double PeakOperationsPerSecond(Threads& threads);

}  // namespace detops

#endif  // DETOPS_MEASURE_LIMITS_H_
