// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A task computes a block of channels of one border of one image, for some or all of the boxes. If
// enough boxes share the feature map, the task first packs the block's channels into a plane: in
// the input, consecutive pixels are often a power of two apart and evict each other from the cache.
// Boxes are processed row by row, or column by column for the left and right borders. With few
// channels, a task computes all results of some boxes, without planes.

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/aligned_buffer.h"
#include "core/carver.h"
#include "core/counting_sort.h"
#include "core/half.h"
#include "core/math.h"
#include "core/parallel.h"
#include "core/read_once.h"
#include "core/scratch_slots.h"
#include "ops/border_align_forward/costs.h"
#include "ops/border_align_forward/op.h"
#include "ops/border_align_forward/tiles.h"

namespace detops::border_align_forward {
namespace {

// The largest plane, in bytes. Smaller planes mean more blocks, each of which computes the weights
// of all samples again. Larger ones do not fit in the caches of a core, even though the order of
// the boxes keeps only a few rows or columns of a plane in use at a time.
constexpr int64_t kPlaneBytes = 1024 << 10;

// A block's boxes are split into parts if there are fewer than this many blocks per thread.
constexpr int64_t kTasksPerThread = 2;

// How the work is divided into tasks.
struct Plan {
  bool packs;              // whether blocks are packed into planes
  int64_t block_channels;  // channels per block; the last block of a border may have fewer
  int64_t blocks;          // blocks per border
  int64_t parts;           // tasks per block: parts of its boxes
  bool stream;             // whether results are written with streaming stores
  int64_t plane_floats;    // 0 if blocks are not packed

  int64_t tasks(const Args& args) const { return args.images * kBorders * blocks * parts; }
  int64_t boxes_per_part(const Args& args) const { return CeilDiv(args.boxes_per_image, parts); }
};

int64_t SamplesPerBorder(const Args& args) { return int64_t{args.pool_size} + 1; }

int64_t PlaneBytes(const Args& args, int64_t padded_channels) {
  return PlaneFloats(args, padded_channels) * static_cast<int64_t>(sizeof(float));
}

int64_t PackedBlockChannels(const Args& args) {
  int64_t channels = std::min(RoundUp(args.channels, kChannelUnit), kMaxBlockChannels);
  while (channels > kChannelUnit && PlaneBytes(args, channels) > kPlaneBytes) {
    channels = RoundUp(channels / 2, kChannelUnit);
  }
  return channels;
}

// Packing copies each pixel once; without it, each sample copies four pixels. If there are only a
// few channels, a plane is mostly padding, and that of a large map would be several times as large
// as the input.
bool ShouldPack(const Args& args) {
  const bool copies_less = args.pixels() <= 4 * SamplesPerBorder(args) * args.boxes_per_image;
  const bool is_mostly_padding = kChannelUnit > 4 * args.channels;
  return copies_less && PlaneFloats(args, kChannelUnit) <= std::numeric_limits<int32_t>::max() &&
         !(is_mostly_padding && PlaneBytes(args, kChannelUnit) > kPlaneBytes);
}

// Returns whether each box's results for a block are whole cache lines of floats.
bool IsWholeLines(const Args& args, int64_t block_channels) {
  const auto is_aligned = [](const void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer) % kAlignment == 0;
  };
  return !args.half && !args.channels_first && args.channels % kChannelUnit == 0 &&
         block_channels % kChannelUnit == 0 && is_aligned(args.output) &&
         is_aligned(args.argmax_idx);
}

Plan MakePlan(const Args& args, int threads) {
  Plan plan{};
  plan.packs = ShouldPack(args);
  plan.block_channels = plan.packs ? PackedBlockChannels(args) : kMaxUnpackedChannels;
  plan.blocks = CeilDiv(args.channels, plan.block_channels);
  const int64_t all_blocks = args.images * kBorders * plan.blocks;
  plan.parts = std::clamp<int64_t>(kTasksPerThread * threads / all_blocks, 1, args.boxes_per_image);
  plan.stream = IsWholeLines(args, plan.block_channels);
  plan.plane_floats = plan.packs ? PlaneFloats(args, plan.block_channels) : 0;
  return plan;
}

struct Task {
  ChannelBlock block;
  int64_t box_begin;
  int64_t box_end;

  int64_t boxes() const { return box_end - box_begin; }
};

Task TaskOf(const Args& args, const Plan& plan, int64_t index) {
  const int64_t part = index % plan.parts;
  const int64_t block = index / plan.parts % plan.blocks;
  const int64_t border = index / plan.parts / plan.blocks % kBorders;
  const int64_t image = index / plan.parts / plan.blocks / kBorders;
  const int64_t first_channel = block * plan.block_channels;
  const int64_t channels = std::min(plan.block_channels, args.channels - first_channel);
  return {.block = {image, border, first_channel, channels},
          .box_begin = part * args.boxes_per_image / plan.parts,
          .box_end = (part + 1) * args.boxes_per_image / plan.parts};
}

// The scratch memory of one thread.
struct Scratch {
  float* plane;          // null if blocks are not packed
  int32_t* order;        // the order in which a task processes its boxes
  int32_t* lines;        // the row or column of each of these boxes
  int32_t* line_begins;  // first position of each row or column in `order`
};

Scratch TakeScratch(const Args& args, const Plan& plan, Carver& carver) {
  float* const plane = carver.Take<float>(plan.plane_floats);
  int32_t* const order = carver.Take<int32_t>(plan.boxes_per_part(args));
  int32_t* const lines = carver.Take<int32_t>(plan.packs ? plan.boxes_per_part(args) : 0);
  int32_t* const line_begins =
      carver.Take<int32_t>(plan.packs ? std::max(args.height, args.width) + 1 : 0);
  return {plan.packs ? plane : nullptr, order, lines, line_begins};
}

size_t ScratchBytesPerThread(const Args& args, const Plan& plan) {
  Carver sizes(nullptr);
  TakeScratch(args, plan, sizes);
  return sizes.used();
}

// Returns the row of a top or bottom border, or the column of a left or right one. Borders outside
// the feature map are assigned to the nearest row or column.
int64_t LineOf(const Args& args, int64_t image, int64_t box, int64_t border) {
  constexpr int64_t kAcross[kBorders] = {1, 0, 3, 2};
  const int64_t at = (image * args.boxes_per_image + box) * kBoxNumbers + kAcross[border];
  const float position =
      args.half ? HalfToFloat({ReadOnce(static_cast<const Half*>(args.boxes)[at].bits)})
                : ReadOnce(static_cast<const float*>(args.boxes)[at]);
  const int64_t last = (border % 2 == 0 ? args.height : args.width) - 1;
  if (!(position > 0)) {
    return 0;
  }
  return position < static_cast<float>(last) ? static_cast<int64_t>(position) : last;
}

// Orders the task's boxes by row or column: boxes on the same one read the same pixels. With
// channels first they keep their order, because consecutive boxes share cache lines of the results.
void OrderBoxes(const Args& args, const Task& task, const Scratch& scratch) {
  const ChannelBlock& block = task.block;
  if (scratch.plane == nullptr || args.channels_first) {
    std::iota(scratch.order, scratch.order + task.boxes(), static_cast<int32_t>(task.box_begin));
    return;
  }
  // The sort needs each line twice, and it must be the same both times: boxes may change.
  for (int64_t i = 0; i < task.boxes(); ++i) {
    scratch.lines[i] =
        static_cast<int32_t>(LineOf(args, block.image, task.box_begin + i, block.border));
  }
  SortByKey(
      task.boxes(), [&](int64_t i) { return scratch.lines[i]; }, std::max(args.height, args.width),
      scratch.line_begins,
      [&](int64_t i, int32_t position) {
        scratch.order[position] = static_cast<int32_t>(task.box_begin + i);
      });
}

void RunTask(const Args& args, const Plan& plan, const Task& task, const Scratch& scratch) {
  OrderBoxes(args, task, scratch);
  if (plan.packs) {
    PackPlane(args, task.block, scratch.plane);
  }
  AlignBoxes(args, task.block, scratch.plane, scratch.order, task.boxes(), plan.stream);
}

double NanosecondsPerTask(const Args& args, const Plan& plan) {
  const int64_t samples = plan.boxes_per_part(args) * SamplesPerBorder(args);
  const int64_t packed_pixels = plan.packs ? args.pixels() : 0;
  return static_cast<double>(std::min(plan.block_channels, args.channels)) *
         (static_cast<double>(samples) * kNanosecondsPerSample +
          static_cast<double>(packed_pixels) * kNanosecondsPerPackedValue);
}

// ---- Few channels -------------------------------------------------------------------------------

// Boxes that are processed together: their borders fill the widest vector.
constexpr int64_t kGroupBoxes = 4;

// Returns the time of one sample of all channels. Its position and weights take as long as a
// channel.
double NanosecondsPerStep(const Args& args) {
  return static_cast<double>(args.channels + 1) * kNanosecondsPerGatheredSample;
}

// Returns whether vectors of borders are faster than vectors of channels. They always are where
// pixels would be copied for each sample.
bool HasFewChannels(const Args& args) {
  if (args.channels > kMaxFewChannels) {
    return false;
  }
  if (!ShouldPack(args)) {
    return true;
  }
  const auto samples = static_cast<double>(SamplesPerBorder(args));
  const double packed_values = static_cast<double>(args.pixels() * args.channels) /
                               static_cast<double>(args.boxes_per_image);
  return samples * NanosecondsPerStep(args) <= kNanosecondsPerBorder +
                                                   samples * kChannelUnit * kNanosecondsPerSample +
                                                   packed_values * kNanosecondsPerCopiedValue;
}

void RunFewChannels(RunContext& context, const Args& args) {
  const int64_t groups = CeilDiv(args.boxes_per_image, kGroupBoxes);
  const double nanoseconds_per_group =
      static_cast<double>(kGroupBoxes * kBorders * SamplesPerBorder(args)) *
      NanosecondsPerStep(args);
  ParallelFor(context.threads, args.images * groups, nanoseconds_per_group,
              [&](int64_t begin, int64_t end) {
                while (begin < end) {
                  // Up to the end of the range or of the image.
                  const int64_t group = begin % groups;
                  const int64_t group_end = std::min(groups, group + end - begin);
                  AlignFewChannels(args, begin / groups, group * kGroupBoxes,
                                   std::min(args.boxes_per_image, group_end * kGroupBoxes));
                  begin += group_end - group;
                }
              });
}

}  // namespace

size_t ScratchBytes(const Args& args, int threads) {
  if (HasFewChannels(args)) {
    return 0;
  }
  return ScratchBytesPerThread(args, MakePlan(args, threads)) * static_cast<size_t>(threads);
}

Status Run(RunContext& context, const Args& args) {
  if (HasFewChannels(args)) {
    RunFewChannels(context, args);
    return {};
  }
  const Plan plan = MakePlan(args, context.threads.count());
  const size_t bytes_per_thread = ScratchBytesPerThread(args, plan);
  ScratchSlots slots(context.threads.count());
  ParallelFor(context.threads, plan.tasks(args), NanosecondsPerTask(args, plan),
              [&](int64_t begin, int64_t end) {
                const ScratchSlots::Held slot(slots);
                Carver carver(static_cast<std::byte*>(context.scratch) +
                              static_cast<size_t>(slot.number()) * bytes_per_thread);
                const Scratch scratch = TakeScratch(args, plan, carver);
                for (int64_t i = begin; i < end; ++i) {
                  RunTask(args, plan, TaskOf(args, plan, i), scratch);
                }
              });
  return {};
}

}  // namespace detops::border_align_forward
