// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/hard_scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace detops::suppression {
namespace {

constexpr float kMax = std::numeric_limits<float>::max();
constexpr double kPi = 3.14159265358979;

// Returns the row of the i-th element of a table.
int RowOf(int i, int columns) { return i / columns; }

class Scenes {
 public:
  explicit Scenes(int count) : count_(count), side_(60 * std::sqrt(count)) {}

  void AddOutliers();
  void AddBars();
  void AddParquets();
  void AddSizes();
  void AddClusters();
  void AddLines();
  void AddLattices();
  void AddPositions();

  std::vector<HardScene> Take() { return std::move(scenes_); }

 private:
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  // Returns a size with a log-uniform distribution.
  double LogUniform(double low, double high) {
    return std::exp(Uniform(std::log(low), std::log(high)));
  }

  // Coordinates are rounded to float. A box that would lose its interior gets the next float.
  static Bounds Box(double x, double y, double width, double height) {
    const auto interval = [](double low, double size) {
      const auto begin = static_cast<float>(std::clamp<double>(low, -kMax, 0.999 * kMax));
      const auto end = static_cast<float>(std::min<double>(low + size, kMax));
      return std::pair(begin, std::max(end, std::nextafter(begin, kMax)));
    };
    const auto [x_low, x_high] = interval(x, width);
    const auto [y_low, y_high] = interval(y, height);
    return {x_low, y_low, x_high, y_high};
  }

  // Squares of 8 to 40, of which few overlap.
  Bounds Scattered() {
    const double size = Uniform(8, 40);
    return Box(Uniform(0, side_), Uniform(0, side_), size, size);
  }

  template <class BoxOf>
  std::vector<Bounds>& Add(const std::string& name, const BoxOf& box_of) {
    std::vector<Bounds> boxes;
    for (int i = 0; i < count_; ++i) {
      boxes.push_back(box_of(i));
    }
    std::shuffle(boxes.begin(), boxes.end(), random_);
    scenes_.push_back({.name = name, .boxes = std::move(boxes)});
    return scenes_.back().boxes;
  }
  std::vector<Bounds>& AddScattered(const std::string& name) {
    return Add(name, [this](int) { return Scattered(); });
  }

  const int count_;
  const double side_;  // of the scattered scene
  std::mt19937 random_{31};
  std::vector<HardScene> scenes_;
};

void Scenes::AddOutliers() {
  constexpr double kDirections[][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                       {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
  for (const double distance : {1e6, 1e9, 4e17, 1e26, 3.3e38}) {
    for (const auto& to : kDirections) {
      AddScattered(fmt::format("an outlier at {:g}, {:g}", to[0] * distance, to[1] * distance))[0] =
          Box(to[0] * distance, to[1] * distance, 20, 20);
    }
  }
  std::vector<Bounds>& ten = AddScattered("ten outliers");
  for (size_t i = 0; i < 10; ++i) {
    const double distance = LogUniform(1e5, 1e38);
    const auto& to = kDirections[i % 8];
    ten[i] = Box(to[0] * distance, to[1] * distance, 20, 20);
  }
  Add("a tenth are outliers", [this](int i) {
    const double distance = LogUniform(1e5, 1e38);
    return i % 10 != 0 ? Scattered() : Box(i % 20 == 0 ? distance : -distance, distance, 20, 20);
  });
  Add("half are far away", [this](int i) {
    const Bounds box = Scattered();
    return i % 2 == 0 ? box : Box(box.x_low * 1e22 - 3e37, box.y_low * 1e22, 4e23, 4e23);
  });
  AddScattered("a box covers all")[0] = {-kMax, -kMax, kMax, kMax};
  AddScattered("a box covers all but little")[0] = Box(0, 0, side_, 0.9 * side_);
}

void Scenes::AddBars() {
  const double n = count_;
  const auto flat = [=](int i) { return Box(0.1 * (i % 7), 3.0 * i, 60, 2); };
  const auto tall = [=](int i) { return Box(3.0 * i, 0.1 * (i % 7), 2, 60); };
  const Bounds tall_bar = Box(1000, 0, 2, 3 * n);
  const Bounds wide_bar = Box(0, 1000, 3 * n, 2);
  Add("flat boxes", flat);
  Add("tall boxes", tall);
  Add("a tall bar beside flat boxes", flat)[0] = tall_bar;
  Add("a wide bar beside tall boxes", tall)[0] = wide_bar;
  Add("a tall bar across flat boxes", flat)[0] = Box(10, 0, 2, 3 * n);
  Add("a wide bar across tall boxes", tall)[0] = Box(0, 10, 3 * n, 2);
  Add("a tall bar beside strips",
      [](int i) { return i == 0 ? Box(2e5, 0, 1, 1e5) : Box(0, 2.0 * i, 1e5, 1); });
  Add("a wide bar beside tall strips",
      [](int i) { return i == 0 ? Box(0, 2e5, 1e5, 1) : Box(2.0 * i, 0, 1, 1e5); });
  AddScattered("a tall bar")[0] = Box(side_ / 2, -side_, 1, 3 * side_);
  AddScattered("a wide bar")[0] = Box(-side_, side_ / 2, 3 * side_, 1);
  AddScattered("a tall bar of all floats")[0] = Box(side_ / 2, -kMax, 1, HUGE_VAL);
  AddScattered("a wide bar of all floats")[0] = Box(-kMax, side_ / 2, HUGE_VAL, 1);
  std::vector<Bounds>& both = AddScattered("bars both ways");
  both[0] = Box(side_ / 2, -side_, 1, 3 * side_);
  both[1] = Box(-side_, side_ / 2, 3 * side_, 1);
  Add("half tall bars, half wide bars",
      [=](int i) { return i % 2 == 0 ? Box(i, 0, 1, n) : Box(n, i, n, 1); });
  Add("bars of the same x range", [=](int i) { return Box(0, 2.0 * i, 1e6, 1); });
  Add("bars of the same y range", [=](int i) { return Box(2.0 * i, 0, 1, 1e6); });
  Add("bars as thin as floats", [=](int i) { return Box(0, 1 + i * 0x1p-22, 1e6, 0x1p-23); });
  Add("strips", [=, this](int i) { return Box(Uniform(0, 10), 2.0 * i, 1e5, 1); });
  Add("bars of growing length", [=](int i) { return Box(2.0 * i, 0, 1, i + 1); });
  Add("combs", [=](int i) { return i % 2 == 0 ? Box(i, 0, 1, n) : Box(i, n / 2 * 3, 1, n); });
  Add("frames inside frames", [=](int i) {
    const int k = 4 + i / 4 * 4;
    return i % 4 == 0   ? Box(-k + 2, -k, 2 * k - 4, 1)
           : i % 4 == 1 ? Box(-k + 2, k, 2 * k - 4, 1)
           : i % 4 == 2 ? Box(-k, -k, 1, 2 * k)
                        : Box(k, -k, 1, 2 * k);
  });
  scenes_.back().defeats_grids = true;
}

// Squares of parallel bars, alternately tall and flat.
void Scenes::AddParquets() {
  const int small_side = static_cast<int>(std::cbrt(count_));
  for (const int squares : {2, 4, 10, small_side}) {
    const int bars = count_ / (squares * squares);  // of a square
    const double side = 2 * bars;
    Add(fmt::format("parquet of {} x {}", squares, squares), [=](int i) {
      const int square = std::min(i / bars, squares * squares - 1);
      const int column = square % squares;
      const int row = square / squares;
      const double at = 2.0 * (i - square * bars);
      return (column + row) % 2 == 0 ? Box(column * side, row * side + at, side - 1, 1)
                                     : Box(column * side + at, row * side, 1, side - 1);
    });
    scenes_.back().defeats_grids = squares < 10;
  }
  const int columns = static_cast<int>(std::sqrt(count_));
  Add("tall bars between columns of boxes", [=](int i) {
    const int column = i % columns;
    return i / columns == 0 ? Box(10.0 * column + 8, 0, 1, 10.0 * columns)
                            : Box(10.0 * column, 10.0 * RowOf(i, columns), 7, 7);
  });
}

void Scenes::AddSizes() {
  Add("sizes of a power law", [this](int) {
    const double size = std::min(4 * std::pow(Uniform(1e-6, 1), -0.7), side_ / 10);
    return Box(Uniform(0, side_), Uniform(0, side_), size, size);
  });
  Add("sizes of 20 orders of magnitude", [this](int) {
    const double size = LogUniform(1e-20, 1);
    return Box(Uniform(0, side_), Uniform(0, side_), size, size);
  });
  Add("widths and heights of 6 orders of magnitude", [this](int) {
    return Box(Uniform(0, side_), Uniform(0, side_), LogUniform(1e-4, 100), LogUniform(1e-4, 100));
  });
  Add("widths and heights of 40 orders of magnitude", [this](int) {
    return Box(Uniform(0, side_), Uniform(0, side_), LogUniform(1e-39, 10), LogUniform(1e-39, 10));
  });
  Add("few large boxes, many small ones", [this](int i) {
    const double size = i % 100 == 0 ? 300 : 3;
    return Box(Uniform(0, side_), Uniform(0, side_), size, size);
  });
  Add("aspect ratios of 1 to 1000", [this](int) {
    const double ratio = LogUniform(1e-3, 1e3);
    return Box(Uniform(0, side_), Uniform(0, side_), 8 * std::sqrt(ratio), 8 / std::sqrt(ratio));
  });
  Add("positions and sizes grow together", [this](int) {
    const double at = LogUniform(1e-30, 1e30);
    return Box(at, at * Uniform(1, 2), at * 1e-4, at * 1e-4);
  });
  Add("denormal sizes", [this](int) {
    return Box(Uniform(0, 1e-37), Uniform(0, 1e-37), 1e-41, LogUniform(1e-44, 1e-40));
  });
}

void Scenes::AddClusters() {
  Add("clusters of two scales", [this](int i) {
    return i % 2 == 0 ? Scattered()
                      : Box(Uniform(0, side_ / 1000), Uniform(0, side_ / 1000), 0.02, 0.02);
  });
  Add("a dense corner", [this](int i) {
    return i % 100 == 0 ? Scattered() : Box(Uniform(0, 60), Uniform(0, 60), 0.1, 0.1);
  });
  Add("nested scales", [this](int i) {
    const double scale = std::ldexp(1.0, -(i % 40));
    return Box(scale * Uniform(1, 2), scale * Uniform(1, 2), scale / 200, scale / 200);
  });
  Add("distant clusters", [this](int i) {
    const double x = 1e6 * (i % 50);
    return Box(x + Uniform(0, 2000), x + Uniform(0, 2000), 10, 10);
  });
  Add("clusters as far apart as the grid repeats", [this](int i) {
    const double repeat = 40 * std::floor(std::sqrt(2.0 * count_));
    return Box(i % 8 * repeat + Uniform(0, 600), i / 8 % 8 * repeat + Uniform(0, 600), 4, 4);
  });
  Add("points of a fractal", [this](int) {
    double x = 0;
    double y = 0;
    for (int i = 0; i < 30; ++i) {  // Cantor dust
      x = x / 3 + (random_() % 2) * 1e6;
      y = y / 3 + (random_() % 2) * 1e6;
    }
    return Box(x, y, 2, 2);
  });
  Add("25 boxes per object", [this](int i) {
    const int object = i / 25;
    const int columns = 200;
    return Box(100.0 * (object % columns) + Uniform(-3, 3),
               100.0 * RowOf(object, columns) + Uniform(-3, 3), Uniform(38, 42), Uniform(38, 42));
  });
}

void Scenes::AddLines() {
  Add("a diagonal", [](int i) { return Box(100.0 * i, 100.0 * i, 40, 40); });
  Add("the other diagonal", [](int i) { return Box(-50.0 * i, 50.0 * i, 40, 40); });
  Add("a diagonal of wide boxes", [](int i) { return Box(10.0 * i, 10.0 * i, 2000, 9); });
  Add("a row", [](int i) { return Box(50.0 * i, 0, 40, 40); });
  Add("a column", [](int i) { return Box(0, 50.0 * i, 40, 40); });
  Add("a ring", [this](int i) {
    const double angle = 2 * kPi * i / count_;
    const double radius = 20.0 * count_;
    return Box(radius * std::cos(angle), radius * std::sin(angle), 50, 50);
  });
  Add("a spiral", [](int i) {
    const double turn = std::sqrt(i + 1.0);
    return Box(40 * turn * std::cos(turn * 2), 40 * turn * std::sin(turn * 2), 10, 10);
  });
  Add("a star", [](int i) {
    const double angle = 2 * kPi * (i % 12) / 12;
    const int radius = 10 * (10 + i / 12);
    const double x = std::cos(angle);
    const double y = std::sin(angle);
    return Box(radius * x, radius * y, 1 + 8 * std::abs(x), 1 + 8 * std::abs(y));
  });
  Add("a hyperbola", [this](int i) {
    const double x = std::exp(20.0 * i / count_ - 10);
    return Box(1000 * x, 1000 / x, 0.4 * x, 0.4 / x);
  });
}

void Scenes::AddLattices() {
  const int columns = static_cast<int>(std::sqrt(count_));
  const auto lattice = [=](double pitch, double size) {
    return [=](int i) { return Box(pitch * (i % columns), pitch * RowOf(i, columns), size, size); };
  };
  Add("a lattice with gaps", lattice(10, 8));
  Add("a lattice without gaps", lattice(8, 8));
  Add("a lattice that overlaps", lattice(8, 12));
  Add("a sparse lattice", lattice(4096, 1));
  Add("a brick wall", [=](int i) {
    const int row = i / columns;
    return Box(100.0 * (i % columns) + row % 2 * 50, 10.0 * row, 98, 8);
  });
}

void Scenes::AddPositions() {
  Add("integers far from the origin", [this](int) {
    return Box(1e7 + std::floor(Uniform(0, side_)), -1e7 - std::floor(Uniform(0, side_)), 20, 20);
  });
  Add("a scene at the largest floats", [this](int) {
    return Box(Uniform(0.5, 0.98) * kMax, Uniform(-0.98, -0.5) * kMax, 1e-4 * kMax, 1e-4 * kMax);
  });
  Add("all floats", [this](int) {
    return Box(Uniform(-0.99, 0.99) * kMax, Uniform(-0.99, 0.99) * kMax, 1e-3 * kMax, 1e-3 * kMax);
  });
  Add("x far away, y near",
      [this](int) { return Box(1e30 + Uniform(0, 1) * 1e29, Uniform(0, side_), 1e26, 1); });
}

}  // namespace

std::vector<HardScene> HardScenes(int count) {
  Scenes scenes(count);
  scenes.AddOutliers();
  scenes.AddBars();
  scenes.AddParquets();
  scenes.AddSizes();
  scenes.AddClusters();
  scenes.AddLines();
  scenes.AddLattices();
  scenes.AddPositions();
  return scenes.Take();
}

}  // namespace detops::suppression
