// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Chooses the levels of a grid. Boxes are counted by the binary orders of magnitude of their width
// and of their height. Each such size class becomes a level, or joins one that costs less with it.
// A few boxes of an unusual size, shape or position therefore get a level of their own and do not
// change the level of the others.

#ifndef DETOPS_SUPPRESSION_LEVELS_H_
#define DETOPS_SUPPRESSION_LEVELS_H_

#include <algorithm>
#include <bit>
#include <cstdint>

namespace detops::suppression {

struct Bounds {
  float x_low, y_low, x_high, y_high;

  // Boxes without an interior overlap nothing. False for NaN.
  bool HasInterior() const { return x_low < x_high && y_low < y_high; }

  double Width() const { return static_cast<double>(x_high) - x_low; }
  double Height() const { return static_cast<double>(y_high) - y_low; }
  double CenterX() const { return (static_cast<double>(x_low) + x_high) / 2; }
  double CenterY() const { return (static_cast<double>(y_low) + y_high) / 2; }
};

// What two boxes have in common that exceed a threshold: along each axis, their bounds overlap by
// at least `share` of the sum of their sizes. It follows that their centers are close to each other
// and that their sizes are similar. A share of 0 means that bounds only overlap.
class LeastOverlap {
 public:
  explicit LeastOverlap(double share) : share_(share), ratio_(share / (1 - share)) {}

  double share() const { return share_; }
  // Returns the largest distance of the centers of two boxes, relative to the sum of their sizes.
  double Distance() const { return 0.5 - share_; }
  // Returns whether sizes from `a_least` to `a_most` are similar to some from `b_least` to
  // `b_most`.
  bool AreSimilar(double a_least, double a_most, double b_least, double b_most) const {
    return a_most >= ratio_ * b_least && b_most >= ratio_ * a_least;
  }

 private:
  double share_;
  double ratio_;  // of the sizes of two boxes, at least
};

// The boxes of a size class or of a level.
struct SizeClass {
  int64_t count;
  double width, height;                 // maxima
  double least_width, least_height;     // minima
  double x_low, y_low, x_high, y_high;  // the extent of the centers

  static SizeClass Empty();

  double Area() const { return width * height; }
  void Add(const SizeClass& other);
  void Add(const Bounds& bounds) {
    const double x = bounds.CenterX();
    const double y = bounds.CenterY();
    const double box_width = bounds.Width();
    const double box_height = bounds.Height();
    ++count;
    Raise(width, box_width);
    Raise(height, box_height);
    Lower(least_width, box_width);
    Lower(least_height, box_height);
    Raise(x_high, x);
    Raise(y_high, y);
    Lower(x_low, x);
    Lower(y_low, y);
  }

 private:
  // Branches are faster here: they are predictable, and the next box need not wait for a store.
  static void Raise(double& most, double value) {
    if (value > most) [[unlikely]] {
      most = value;
    }
  }
  static void Lower(double& least, double value) {
    if (value < least) [[unlikely]] {
      least = value;
    }
  }
};

// The size classes of a scene: a hash table with open addressing. When there are too many classes,
// each of them comes to include more orders of magnitude.
class SizeClasses {
 public:
  SizeClasses();

  // Adds a box, which must have an interior.
  void Add(const Bounds& bounds) {
    const uint32_t key = KeyOf(bounds);
    const int index = Find(key);
    if (!IsUsed(index)) {
      if (used_ == kMost) {
        Coarsen();
        return Add(bounds);
      }
      Insert(index, key);
    }
    classes_[index].Add(bounds);
  }

  // A position in the table. The class of a box must have been added.
  int IndexOf(const Bounds& bounds) const { return Find(KeyOf(bounds)); }
  static constexpr int kTable = 256;
  bool IsUsed(int index) const { return keys_[index] != kFree; }
  SizeClass& operator[](int index) { return classes_[index]; }
  const SizeClass& operator[](int index) const { return classes_[index]; }

 private:
  static constexpr uint32_t kFree = ~uint32_t{0};
  static constexpr int kMost = 192;  // leaves free entries, so that searches are short

  static uint32_t ExponentOf(float size) { return std::bit_cast<uint32_t>(size) >> 23 & 0xFF; }
  uint32_t KeyOf(const Bounds& bounds) const {
    const uint32_t width = ExponentOf(bounds.x_high - bounds.x_low) >> shift_;
    const uint32_t height = ExponentOf(bounds.y_high - bounds.y_low) >> shift_;
    return width << 8 | height;
  }

  // Returns the entry of the key, or the free entry for it. The entry that is tried first is
  // different for sizes that differ by up to 15 orders of magnitude.
  int Find(uint32_t key) const {
    uint32_t index = (key >> 8 & 15) | (key & 15) << 4;
    while (keys_[index] != key && keys_[index] != kFree) {
      index = (index + 1) % kTable;
    }
    return static_cast<int>(index);
  }

  void Insert(int index, uint32_t key);
  void Coarsen();

  int shift_ = 0;  // log2 of the orders of magnitude in a class
  int used_ = 0;
  uint32_t keys_[kTable];
  SizeClass classes_[kTable];
};

// Positions of some boxes, which estimate how many boxes are close to each other. Unlike the extent
// of the scene, they hardly depend on outliers, and they notice clusters.
class PositionSample {
 public:
  PositionSample(const Bounds* bounds, int64_t count);

  // Returns the share of pairs of boxes whose centers are at most this far apart.
  double ShareWithin(double x, double y) const;
  // Returns the share of boxes whose centers are at most this far from the extent of `boxes`.
  double ShareNear(const SizeClass& boxes, double x, double y) const;

 private:
  static constexpr int kMost = 512;

  int count_ = 0;
  float x_[kMost];
  float y_[kMost];
};

// The levels of a grid, in ascending order of the height of their cells.
struct Levels {
  static constexpr int kMost = 64;

  // Chooses levels for the boxes, which must have an interior.
  Levels(const Bounds* bounds, int64_t count, const LeastOverlap& least_overlap);

  int LevelOf(const Bounds& bounds) const { return level_of[classes.IndexOf(bounds)]; }

  int count = 0;
  SizeClass boxes[kMost];
  SizeClasses classes;
  int8_t level_of[SizeClasses::kTable];

 private:
  void Choose(const PositionSample& sample, const LeastOverlap& least_overlap);
  int LevelToJoin(const SizeClass& boxes_of_class) const;
  void SortByHeight();
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_LEVELS_H_
