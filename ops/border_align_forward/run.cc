// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The work is cut into groups of channels of one border of one image. A group's channels are packed
// side by side, so that all its boxes find them in the cache: in the input, pixels lie a power of
// two apart and would evict each other.

#include <algorithm>
#include <atomic>
#include <limits>

#include "core/aligned_buffer.h"
#include "core/cache.h"
#include "core/parallel.h"
#include "ops/border_align_forward/op.h"
#include "ops/border_align_forward/tiles.h"

namespace detops::border_align_forward {
namespace {

// Of one thread, for estimates only: per channel and sample, and per channel and pixel.
constexpr double kNanosecondsPerSample = 0.2;
constexpr double kNanosecondsToCopy = 0.15;

// A plane that stays in the second-level cache, or most of it: smaller ones mean more groups, each
// of which computes the positions of all samples again.
constexpr int64_t kPlaneBytes = 512 << 10;

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

// Planes that threads take while they work.
class Planes {
 public:
  Planes(void* memory, int64_t plane_floats, std::atomic<bool>* taken, int count)
      : memory_(static_cast<float*>(memory)), floats_(plane_floats), taken_(taken), count_(count) {}

  // There are as many planes as threads, so one is free.
  int Take() {
    for (int i = 0;; i = (i + 1) % count_) {
      if (!taken_[i].exchange(true, std::memory_order_acquire)) {
        return i;
      }
    }
  }
  void GiveBack(int plane) { taken_[plane].store(false, std::memory_order_release); }
  float* At(int plane) const { return floats_ == 0 ? nullptr : memory_ + plane * floats_; }

 private:
  float* const memory_;
  const int64_t floats_;
  std::atomic<bool>* const taken_;
  const int count_;
};

// The group of a task, and its part of the boxes.
struct Task {
  Group group;
  int64_t box_begin;
  int64_t box_end;
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

}  // namespace

size_t ScratchBytes(const Args& args, int threads) {
  return static_cast<size_t>(MakePlan(args, threads).plane_floats * threads) * sizeof(float);
}

Status Run(RunContext& context, const Args& args) {
  const Plan plan = MakePlan(args, context.threads.count());
  std::atomic<bool> taken[kMaxThreads] = {};
  Planes planes(context.scratch, plan.plane_floats, taken, context.threads.count());
  const int64_t boxes_of_part = (args.boxes_per_image + plan.parts - 1) / plan.parts;
  const double nanoseconds =
      static_cast<double>(std::min(plan.group, args.channels)) *
      (static_cast<double>(boxes_of_part * SamplesOfBorder(args)) * kNanosecondsPerSample +
       static_cast<double>(plan.packs ? args.pixels() : 0) * kNanosecondsToCopy);
  ParallelFor(context.threads, plan.tasks(args), nanoseconds, [&](int64_t begin, int64_t end) {
    const int plane = planes.Take();
    for (int64_t i = begin; i < end; ++i) {
      const Task task = TaskOf(args, plan, i);
      if (plan.packs) {
        PackPlane(args, task.group, planes.At(plane));
      }
      AlignBoxes(args, task.group, planes.At(plane), task.box_begin, task.box_end, plan.stream);
    }
    planes.GiveBack(plane);
  });
  return {};
}

}  // namespace detops::border_align_forward
