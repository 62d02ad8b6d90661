// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The work is cut into groups of channels of one border of one image. A group's channels are packed
// side by side, so that all its boxes find them in the cache: in the input, pixels lie a power of
// two apart and would evict each other. Boxes go through it row by row, or column by column.

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/aligned_buffer.h"
#include "core/carver.h"
#include "core/counting_sort.h"
#include "core/half.h"
#include "core/parallel.h"
#include "core/scratch_slots.h"
#include "ops/border_align_forward/op.h"
#include "ops/border_align_forward/tiles.h"

namespace detops::border_align_forward {
namespace {

// Of one thread, for estimates only: per channel and sample, and per channel and pixel.
constexpr double kNanosecondsPerSample = 0.2;
constexpr double kNanosecondsToCopy = 0.15;

// Smaller planes mean more groups, each of which computes the positions of all samples again;
// larger ones leave a core's own caches, although boxes come in an order that uses few rows or
// columns of them at a time.
constexpr int64_t kPlaneBytes = 1024 << 10;

// Boxes are split between threads where there are not this many groups for each.
constexpr int64_t kPartsPerThread = 2;

// How the work is cut.
struct Plan {
  bool packs;            // and does not fetch pixels as they are needed
  int64_t group;         // channels of a group
  int64_t groups;        // of one border
  int64_t parts;         // of a group's boxes
  bool stream;           // results go past the caches
  int64_t plane_floats;  // 0 when nothing is packed

  int64_t tasks(const Args& args) const { return args.images * kBorders * groups * parts; }
  int64_t boxes_of_part(const Args& args) const {
    return (args.boxes_per_image + parts - 1) / parts;
  }
};

int64_t SamplesOfBorder(const Args& args) { return int64_t{args.pool_size} + 1; }

int64_t PlaneBytes(const Args& args, int64_t padded_channels) {
  return PlaneFloats(args, padded_channels) * static_cast<int64_t>(sizeof(float));
}

int64_t GroupChannels(const Args& args) {
  int64_t group = std::min(Padded(args.channels), kMaxGroup);
  while (group > kGroupUnit && PlaneBytes(args, group) > kPlaneBytes) {
    group = Padded(group / 2);
  }
  return group;
}

// Fetching copies four pixels for each sample, packing each pixel once. Few channels are mostly
// padding: a plane of a large map would take many times the memory of the input.
bool ShouldPack(const Args& args) {
  const bool is_less_work = args.pixels() <= 4 * SamplesOfBorder(args) * args.boxes_per_image;
  const bool is_mostly_padding = kGroupUnit > 4 * args.channels;
  return is_less_work && PlaneFloats(args, kGroupUnit) <= std::numeric_limits<int32_t>::max() &&
         !(is_mostly_padding && PlaneBytes(args, kGroupUnit) > kPlaneBytes);
}

// Whether every group of results is whole lines.
bool IsWholeLines(const Args& args, int64_t group) {
  const auto aligned = [](const void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer) % kAlignment == 0;
  };
  return !args.half && !args.channels_first && args.channels % kGroupUnit == 0 &&
         group % kGroupUnit == 0 && aligned(args.output) && aligned(args.argmax_idx);
}

Plan MakePlan(const Args& args, int threads) {
  Plan plan{};
  plan.packs = ShouldPack(args);
  plan.group = plan.packs ? GroupChannels(args) : kFetchedGroup;
  plan.groups = (args.channels + plan.group - 1) / plan.group;
  const int64_t whole = args.images * kBorders * plan.groups;
  plan.parts = std::clamp<int64_t>(kPartsPerThread * threads / whole, 1, args.boxes_per_image);
  plan.stream = IsWholeLines(args, plan.group);
  plan.plane_floats = plan.packs ? PlaneFloats(args, plan.group) : 0;
  return plan;
}

// The group of a task, and its part of the boxes.
struct Task {
  Group group;
  int64_t box_begin;
  int64_t box_end;

  int64_t boxes() const { return box_end - box_begin; }
};

Task TaskOf(const Args& args, const Plan& plan, int64_t index) {
  const int64_t part = index % plan.parts;
  const int64_t group = index / plan.parts % plan.groups;
  const int64_t border = index / plan.parts / plan.groups % kBorders;
  const int64_t image = index / plan.parts / plan.groups / kBorders;
  const int64_t first_channel = group * plan.group;
  return {{image, border, first_channel, std::min(plan.group, args.channels - first_channel)},
          part * args.boxes_per_image / plan.parts,
          (part + 1) * args.boxes_per_image / plan.parts};
}

// What a thread works in.
struct Room {
  float* plane;          // null when nothing is packed
  int32_t* order;        // of the boxes of a part
  int32_t* line_begins;  // of the boxes of each row or column in it
};

Room TakeRoom(const Args& args, const Plan& plan, Carver& carver) {
  float* const plane = carver.Take<float>(plan.plane_floats);
  int32_t* const order = carver.Take<int32_t>(plan.boxes_of_part(args));
  int32_t* const line_begins =
      carver.Take<int32_t>(plan.packs ? std::max(args.height, args.width) + 1 : 0);
  return {plan.packs ? plane : nullptr, order, line_begins};
}

size_t RoomBytes(const Args& args, const Plan& plan) {
  Carver counts(nullptr);
  TakeRoom(args, plan, counts);
  return counts.used();
}

// The row, or of an upright border the column, that a border lies in; that of the nearest border
// inside when it lies outside.
int64_t LineOf(const Args& args, int64_t image, int64_t box, int64_t border) {
  constexpr int64_t kAcross[kBorders] = {1, 0, 3, 2};
  const int64_t at = (image * args.boxes_per_image + box) * kBoxNumbers + kAcross[border];
  const float position = args.half ? HalfToFloat(static_cast<const Half*>(args.boxes)[at])
                                   : static_cast<const float*>(args.boxes)[at];
  const int64_t last = (border % 2 == 0 ? args.height : args.width) - 1;
  if (!(position > 0)) {
    return 0;
  }
  return position < static_cast<float>(last) ? static_cast<int64_t>(position) : last;
}

// The task's boxes, those of a line next to each other: they read the same pixels. With channels
// first they stay as they are: neighbouring boxes share lines of the results.
void OrderBoxes(const Args& args, const Task& task, const Room& room) {
  const Group& group = task.group;
  if (room.plane == nullptr || args.channels_first) {
    std::iota(room.order, room.order + task.boxes(), static_cast<int32_t>(task.box_begin));
    return;
  }
  CountingSort(
      task.boxes(), [&](int64_t i) { return static_cast<int32_t>(task.box_begin + i); },
      std::max(args.height, args.width),
      [&](int32_t box) { return LineOf(args, group.image, box, group.border); }, room.order,
      room.line_begins);
}

}  // namespace

size_t ScratchBytes(const Args& args, int threads) {
  return RoomBytes(args, MakePlan(args, threads)) * static_cast<size_t>(threads);
}

Status Run(RunContext& context, const Args& args) {
  const Plan plan = MakePlan(args, context.threads.count());
  const size_t room_bytes = RoomBytes(args, plan);
  ScratchSlots slots(context.threads.count());
  const double nanoseconds =
      static_cast<double>(std::min(plan.group, args.channels)) *
      (static_cast<double>(plan.boxes_of_part(args) * SamplesOfBorder(args)) *
           kNanosecondsPerSample +
       static_cast<double>(plan.packs ? args.pixels() : 0) * kNanosecondsToCopy);
  ParallelFor(context.threads, plan.tasks(args), nanoseconds, [&](int64_t begin, int64_t end) {
    const ScratchSlots::Held slot(slots);
    Carver carver(static_cast<std::byte*>(context.scratch) +
                  static_cast<size_t>(slot.number()) * room_bytes);
    const Room room = TakeRoom(args, plan, carver);
    for (int64_t i = begin; i < end; ++i) {
      const Task task = TaskOf(args, plan, i);
      OrderBoxes(args, task, room);
      if (plan.packs) {
        PackPlane(args, task.group, room.plane);
      }
      AlignBoxes(args, task.group, room.plane, room.order, task.boxes(), plan.stream);
    }
  });
  return {};
}

}  // namespace detops::border_align_forward
