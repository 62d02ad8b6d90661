// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Measures what the machine can do at best, as the scale for the speed of operators.

#ifndef DETOPS_MEASURE_LIMITS_H_
#define DETOPS_MEASURE_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "core/parallel.h"

namespace detops {

// Writes a buffer with streaming stores. It must be aligned to 64 bytes; a last part of less than
// 128 bytes is not written.
void FillStreaming(Threads& threads, void* buffer, size_t bytes);

// Reads one buffer and writes another with streaming stores, each once. Both must be aligned to 64
// bytes; a last part of less than 128 bytes is ignored.
void ReadAndFillStreaming(Threads& threads, const void* input, size_t input_bytes, void* output,
                          size_t output_bytes);

// Returns the memory bandwidth, in bytes per second, when equal amounts are read and written: the
// best of several runs.
double BytesMovedPerSecond(Threads& threads);

// Returns the number of float additions and multiplications per second, from registers, on all
// threads together: the best of several runs. They are not fused, because no operator fuses them.
double PeakOperationsPerSecond(Threads& threads);

}  // namespace detops

#endif  // DETOPS_MEASURE_LIMITS_H_
