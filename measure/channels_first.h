// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Converts images from channels-last to channels-first layout.

#ifndef DETOPS_MEASURE_CHANNELS_FIRST_H_
#define DETOPS_MEASURE_CHANNELS_FIRST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace detops {

// Transposes [images][positions][channels] to [images][channels][positions].
inline std::vector<float> ChannelsFirst(const std::vector<float>& from, int64_t images,
                                        int64_t positions, int64_t channels) {
  std::vector<float> to(from.size());
  for (int64_t image = 0; image < images; ++image) {
    const int64_t begin = image * positions * channels;
    for (int64_t i = 0; i < positions; ++i) {
      for (int64_t c = 0; c < channels; ++c) {
        to[static_cast<size_t>(begin + c * positions + i)] =
            from[static_cast<size_t>(begin + i * channels + c)];
      }
    }
  }
  return to;
}

}  // namespace detops

#endif  // DETOPS_MEASURE_CHANNELS_FIRST_H_
