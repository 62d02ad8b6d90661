// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The channels of a bin lie far apart. Where rois are many, threads share the bins between them and
// walk down the map once: a few rows at a time are packed into a ring, in which the channels of a
// bin lie side by side, and the bins that end there are pooled from it. Where they are few, the
// threads share the rois, and the pixels of each bin are copied as they are needed.

#include <algorithm>

#include "core/cache.h"
#include "core/carver.h"
#include "core/counting_sort.h"
#include "core/parallel.h"
#include "core/scratch_slots.h"
#include "ops/psroipool_forward/op.h"
#include "ops/psroipool_forward/tiles.h"

namespace detops::psroipool_forward {
namespace {

// Of one thread, for estimates only: per roi, per bin, and per number that is packed, copied, added
// or written.
constexpr double kNanosecondsPerRoi = 25;
constexpr double kNanosecondsPerBin = 5;
constexpr double kNanosecondsToPack = 0.3;
constexpr double kNanosecondsToPackFirst = 0.2;  // with channels first
constexpr double kNanosecondsToCopy = 0.6;
constexpr double kNanosecondsToAdd = 0.06;
constexpr double kNanosecondsToWrite = 0.2;

// Rows that are packed at once: some that stay in the second-level cache until they are pooled.
constexpr int64_t kStepBytes = 128 << 10;

// What all rings may take together, so that bins of any height fit, before they are only as high as
// bins of rois in the map.
constexpr int64_t kRingBytes = 64 << 20;

// Below this, windows of four bins are packed for fewer, and what one part reads others read, too.
constexpr int64_t kBinsOfPart = 4;

// A map that stays in the caches while each row of bins reads all of it.
constexpr int64_t kSmallMapBytes = 1 << 20;

int64_t RowFloats(const Args& args, int64_t bins) {
  return bins * args.width * MaxPixelFloats(args.dim);
}

// Whether pixels may have to be packed or copied, on any instruction set.
bool MayPack(const Args& args) { return !IsInPlace(args, {MaxLanes(args.dim), 1}); }

// Streaming stores need lines that start with an element.
bool StartsWithElement(const void* results) {
  return reinterpret_cast<uintptr_t>(results) % sizeof(float) == 0;
}

// How the work is cut.
struct Plan {
  int64_t threads;
  int64_t rooms;      // for as many of them as can work at the same time
  int64_t parts;      // of an image: of its rois, where they are few
  int64_t bin_parts;  // ... and of its bins, not more, where rois are many
  int64_t step_rows;  // packed at once
  int64_t ring_rows;  // at most
  bool stream;        // results go past the caches

  int64_t steps(const Args& args) const { return (args.height + step_rows - 1) / step_rows; }
  // A bin that has more rows is pooled from the input.
  int64_t max_bin_rows(const Args& args) const {
    return ring_rows == args.height ? args.height : ring_rows - step_rows + 1;
  }
  int64_t bins_of_part(const Args& args) const { return (args.bins() + bin_parts - 1) / bin_parts; }
  // Rows of bins that a part may have to do with.
  int64_t bin_rows_of_part(const Args& args) const {
    return std::min((bins_of_part(args) + args.group - 2) / args.group + 1, args.group);
  }
};

// Parts of the bins of an image. Rows of bins where all threads get as many: they are packed
// without windows that belong to two parts. Otherwise a part for each thread.
int64_t CountBinParts(const Args& args, int64_t threads) {
  const int64_t map_bytes = args.pixels() * args.channels() * static_cast<int64_t>(sizeof(float));
  if (map_bytes <= kSmallMapBytes && args.images * args.group % threads == 0) {
    return args.group;
  }
  return std::min(threads, std::max(args.bins() / kBinsOfPart, std::min(args.bins(), kBinsOfPart)));
}

Plan MakePlan(const Args& args, int threads) {
  Plan plan{};
  plan.threads = threads;
  plan.rooms = std::min(threads, AvailableCores());
  plan.bin_parts = CountBinParts(args, threads);
  plan.parts = std::max<int64_t>(threads, plan.bin_parts);
  const auto bytes = [](int64_t floats) { return floats * static_cast<int64_t>(sizeof(float)); };
  plan.step_rows =
      std::clamp<int64_t>(kStepBytes / bytes(RowFloats(args, args.group)), 1, args.height);
  // Bins of rois that lie in the map have fewer rows than the first.
  const int64_t bin_rows = std::max(
      args.height / args.group + 3,
      kRingBytes / plan.rooms / bytes(RowFloats(args, plan.bins_of_part(args))) - plan.step_rows);
  plan.ring_rows = std::min(bin_rows + plan.step_rows - 1, args.height);
  const int64_t results = args.roi_count * args.channels();
  const int64_t result_bytes = bytes(args.mapping_channel == nullptr ? results : 2 * results);
  plan.stream = !args.channels_first && result_bytes > LargestCachedResult() &&
                StartsWithElement(args.output) && StartsWithElement(args.mapping_channel);
  return plan;
}

// What all threads share.
struct Shared {
  int32_t* bins;          // of the table
  int32_t* order;         // rois, image after image
  int32_t* image_begins;  // in the order
  bool* packs;            // of each image
  int32_t* channels;      // of the results of one roi
};

Shared TakeShared(const Args& args, Carver& carver) {
  Shared shared{};
  shared.bins = carver.Take<int32_t>(BinTable::Numbers(args.roi_count, args.group));
  shared.order = carver.Take<int32_t>(args.roi_count);
  shared.image_begins = carver.Take<int32_t>(args.images + 1);
  shared.packs = carver.Take<bool>(args.images);
  shared.channels = carver.Take<int32_t>(args.mapping_channel == nullptr ? 0 : args.channels());
  return shared;
}

// A row of bins, or what a part has of it, on its way down the map.
struct Walk {
  BinRow bins;
  float* ring;
  int64_t ring_rows;
  const int32_t* order;  // rois by the step in which they are pooled
  const int32_t* step_begins;
};

// What a thread works in.
struct Room {
  float* rings;          // of the rows of bins of a part, one after the other
  float* pixels;         // of a bin that is pooled from the input
  float* means;          // of a row of bins
  double* sums;          // of a bin
  Walk* walks;           // of the rows of bins, and for each
  int32_t* orders;       // ... its rois
  int32_t* step_begins;  // ... and its steps
};

Room TakeRoom(const Args& args, const Plan& plan, Carver& carver) {
  const int64_t pixel_floats = MaxPixelFloats(args.dim);
  const int64_t walks = plan.bin_rows_of_part(args);
  Room room{};
  room.means = carver.Take<float>(args.group * args.dim);
  room.sums = carver.Take<double>(pixel_floats);
  if (MayPack(args)) {
    room.rings = carver.Take<float>(plan.ring_rows * RowFloats(args, plan.bins_of_part(args)));
    room.pixels = carver.Take<float>(CopiedPixels(args) * pixel_floats);
    room.walks = carver.Take<Walk>(walks);
    room.orders = carver.Take<int32_t>(plan.steps(args) == 1 ? 0 : walks * args.roi_count);
    room.step_begins = carver.Take<int32_t>(walks * (plan.steps(args) + 2));
  }
  return room;
}

size_t RoomBytes(const Args& args, const Plan& plan) {
  Carver counts(nullptr);
  TakeRoom(args, plan, counts);
  return counts.used();
}

size_t SharedBytes(const Args& args) {
  Carver counts(nullptr);
  TakeShared(args, counts);
  return counts.used();
}

// Rois with these numbers.
struct RoiList {
  const int32_t* rois;
  int64_t count;

  // Part `part` of `parts`.
  RoiList Part(int64_t part, int64_t parts) const {
    const int64_t begin = count * part / parts;
    return {rois + begin, count * (part + 1) / parts - begin};
  }
};

RoiList RoisOf(const Shared& shared, int64_t image) {
  const int64_t begin = shared.image_begins[image];
  return {shared.order + begin, shared.image_begins[image + 1] - begin};
}

// Pixels of all bins, nearly: those that neighbours share count as a row and column for each bin.
double BinPixelsOf(const Args& args, const BinTable& table, int64_t roi) {
  const int64_t last = args.group - 1;
  const int64_t rows = table.row_ends(roi)[last] - table.row_begins(roi)[0];
  const int64_t columns = table.column_ends(roi)[last] - table.column_begins(roi)[0];
  return rows <= 0 || columns <= 0
             ? 0
             : static_cast<double>(rows + last) * static_cast<double>(columns + last);
}

// What an image takes, of all threads together.
struct Cost {
  double nanoseconds;
  bool packs;
};

Cost CostOf(const Args& args, const BinTable& table, const Plan& plan, const RoiList& rois) {
  double bin_pixels = 0;
  for (int64_t i = 0; i < rois.count; ++i) {
    bin_pixels += BinPixelsOf(args, table, rois.rois[i]);
  }
  const double numbers = bin_pixels * static_cast<double>(args.dim);
  const double common = numbers * kNanosecondsToAdd +
                        static_cast<double>(rois.count * args.bins()) * kNanosecondsPerBin +
                        static_cast<double>(rois.count * args.channels()) * kNanosecondsToWrite;
  const double copy = IsInPlace(args, PackingOf(args.dim)) ? 0 : numbers * kNanosecondsToCopy;
  const double pack = static_cast<double>(args.pixels() * args.channels()) *
                      (args.channels_first ? kNanosecondsToPackFirst : kNanosecondsToPack);
  const auto threads = static_cast<double>(plan.threads);
  const double few = common + copy;
  // Threads without bins wait for the others.
  const double many =
      (common + pack) * (threads / static_cast<double>(std::min(plan.threads, plan.bin_parts)));
  return {std::min(few, many), many < few};
}

// ---- Few rois -----------------------------------------------------------------------------------

void PoolFew(const Args& args, const BinTable& table, int64_t image, const RoiList& rois,
             const Room& room, bool stream) {
  for (int64_t row = 0; row < args.group; ++row) {
    PoolFromInput(args, table, {image, row, 0, args.group}, rois.rois, rois.count, room.pixels,
                  {room.means, room.sums, stream});
  }
}

// ---- Many rois ----------------------------------------------------------------------------------

// The step that packs the last row of a roi's bins. Those without rows are pooled in the first,
// those that are too high for the ring in one behind the last.
int64_t StepOf(const Args& args, const BinTable& table, const Plan& plan, int64_t bin_row,
               int64_t roi) {
  const int64_t begin = table.row_begins(roi)[bin_row];
  const int64_t end = table.row_ends(roi)[bin_row];
  if (begin >= end) {
    return 0;
  }
  return end - begin > plan.max_bin_rows(args) ? plan.steps(args) : (end - 1) / plan.step_rows;
}

// As many rows as the highest bin needs, and no more, so that they stay in the cache.
int64_t RingRowsOf(const Args& args, const BinTable& table, const Plan& plan, int64_t bin_row,
                   const RoiList& rois) {
  int64_t most = 1;
  for (int64_t i = 0; i < rois.count; ++i) {
    const int64_t rows =
        table.row_ends(rois.rois[i])[bin_row] - table.row_begins(rois.rois[i])[bin_row];
    most = rows <= plan.max_bin_rows(args) ? std::max(most, rows) : most;
  }
  return std::min(most + plan.step_rows - 1, plan.ring_rows);
}

// A walk with its rois in order. `order` and `step_begins` are room for that.
Walk MakeWalk(const Args& args, const BinTable& table, const Plan& plan, const BinRow& bins,
              const RoiList& rois, float* ring, int32_t* order, int32_t* step_begins) {
  const int64_t steps = plan.steps(args);
  if (steps == 1) {
    step_begins[0] = 0;
    step_begins[1] = step_begins[2] = static_cast<int32_t>(rois.count);
    return {bins, ring, plan.ring_rows, rois.rois, step_begins};
  }
  CountingSort(
      rois.count, [&](int64_t i) { return rois.rois[i]; }, steps + 1,
      [&](int64_t roi) { return StepOf(args, table, plan, bins.row, roi); }, order, step_begins);
  return {bins, ring, RingRowsOf(args, table, plan, bins.row, rois), order, step_begins};
}

// The walks of the bins [begin, end), which are numbered row by row.
int64_t MakeWalks(const Args& args, const BinTable& table, const Plan& plan, int64_t image,
                  const RoiList& rois, int64_t begin, int64_t end, const Room& room) {
  int64_t walks = 0;
  for (int64_t bin = begin; bin < end; ++walks) {
    const int64_t row = bin / args.group;
    const int64_t row_begin = row * args.group;
    const int64_t row_end = std::min(end, row_begin + args.group);
    room.walks[walks] = MakeWalk(
        args, table, plan, {image, row, bin - row_begin, row_end - row_begin}, rois,
        room.rings + plan.ring_rows * RowFloats(args, bin - begin),
        room.orders + walks * args.roi_count, room.step_begins + walks * (plan.steps(args) + 2));
    bin = row_end;
  }
  return walks;
}

void PackStep(const Args& args, const Plan& plan, const Walk& walk, int64_t step) {
  const int64_t bin_floats = args.width * PackingOf(args.dim).floats();
  const int64_t y_end = std::min((step + 1) * plan.step_rows, args.height);
  for (int64_t y = step * plan.step_rows; y < y_end; ++y) {
    PackPixels(args, walk.bins, y, 0, args.width,
               walk.ring + y % walk.ring_rows * walk.bins.columns() * bin_floats, bin_floats);
  }
}

void PoolMany(const Args& args, const BinTable& table, const Plan& plan, int64_t image,
              const RoiList& rois, int64_t begin, int64_t end, const Room& room) {
  const int64_t walks = MakeWalks(args, table, plan, image, rois, begin, end, room);
  const Output output{room.means, room.sums, plan.stream};
  const int64_t steps = plan.steps(args);
  for (int64_t step = 0; step < steps; ++step) {
    for (int64_t i = 0; i < walks; ++i) {
      const Walk& walk = room.walks[i];
      PackStep(args, plan, walk, step);
      PoolFromRing(args, table, walk.bins, {walk.ring, walk.ring_rows},
                   walk.order + walk.step_begins[step],
                   walk.step_begins[step + 1] - walk.step_begins[step], output);
    }
  }
  for (int64_t i = 0; i < walks; ++i) {
    const Walk& walk = room.walks[i];
    PoolFromInput(args, table, walk.bins, walk.order + walk.step_begins[steps],
                  walk.step_begins[steps + 1] - walk.step_begins[steps], room.pixels, output);
  }
}

// What every roi's results are made of, in their order.
void ListChannels(const Args& args, int32_t* channels) {
  for (int64_t ph = 0; ph < args.group; ++ph) {
    for (int64_t pw = 0; pw < args.group; ++pw) {
      for (int64_t d = 0; d < args.dim; ++d) {
        channels[args.OutputOffset(0, ph, pw, d)] = static_cast<int32_t>(args.ChannelOf(ph, pw, d));
      }
    }
  }
}

}  // namespace

bool ShouldPack(const Args& args, const BinTable& table, const int32_t* rois, int64_t count,
                int threads) {
  return CostOf(args, table, MakePlan(args, threads), {rois, count}).packs;
}

size_t ScratchBytes(const Args& args, int threads) {
  const Plan plan = MakePlan(args, threads);
  return SharedBytes(args) + RoomBytes(args, plan) * static_cast<size_t>(plan.rooms);
}

Status Run(RunContext& context, const Args& args) {
  const Plan plan = MakePlan(args, context.threads.count());
  Carver carver(context.scratch);
  const Shared shared = TakeShared(args, carver);
  for (int64_t roi = 0; roi < args.roi_count; ++roi) {
    if (!ImageOf(args, roi)) {
      return NoSuchImage(args, roi);
    }
  }
  CountingSort(
      args.roi_count, [](int64_t roi) { return static_cast<int32_t>(roi); }, args.images,
      [&](int64_t roi) { return *ImageOf(args, roi); }, shared.order, shared.image_begins);
  const BinTable table(shared.bins, args.group);
  ParallelFor(context.threads, args.roi_count, kNanosecondsPerRoi,
              [&](int64_t begin, int64_t end) { FindBins(args, begin, end, table); });
  if (args.mapping_channel != nullptr) {
    ListChannels(args, shared.channels);
  }
  double nanoseconds = 0;
  for (int64_t image = 0; image < args.images; ++image) {
    const Cost cost = CostOf(args, table, plan, RoisOf(shared, image));
    nanoseconds += cost.nanoseconds;
    shared.packs[image] = cost.packs;
  }

  auto* const rooms = static_cast<std::byte*>(context.scratch) + carver.used();
  const size_t room_bytes = RoomBytes(args, plan);
  ScratchSlots slots(static_cast<int>(plan.rooms));
  const auto pool_part = [&](int64_t image, int64_t part, const Room& room) {
    const RoiList rois = RoisOf(shared, image);
    if (!shared.packs[image]) {
      PoolFew(args, table, image, rois.Part(part, plan.parts), room, plan.stream);
    } else if (part < plan.bin_parts) {
      PoolMany(args, table, plan, image, rois, args.bins() * part / plan.bin_parts,
               args.bins() * (part + 1) / plan.bin_parts, room);
    }
    if (args.mapping_channel != nullptr) {
      const RoiList written = rois.Part(part, plan.parts);
      WriteChannels(args, shared.channels, written.rois, written.count, plan.stream);
    }
  };
  ParallelFor(context.threads, args.images * plan.parts,
              nanoseconds / static_cast<double>(args.images * plan.parts),
              [&](int64_t begin, int64_t end) {
                const ScratchSlots::Held slot(slots);
                Carver room_carver(rooms + static_cast<size_t>(slot.number()) * room_bytes);
                const Room room = TakeRoom(args, plan, room_carver);
                for (int64_t task = begin; task < end; ++task) {
                  pool_part(task / plan.parts, task % plan.parts, room);
                }
              });
  return {};
}

}  // namespace detops::psroipool_forward
