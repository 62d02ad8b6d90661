// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Building blocks of the pictures in operator pages and reports: SVG elements, colors that are
// legible on the pictures' background, and the main function of programs that write a picture.

#ifndef DETOPS_CLI_PICTURE_H_
#define DETOPS_CLI_PICTURE_H_

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

namespace detops {

struct Point {
  double x, y;
};

inline constexpr std::string_view kInk = "#1f2933";
inline constexpr std::string_view kFaint = "#616e7c";

inline std::string Text(Point at, std::string_view text, std::string_view style) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at.x, at.y, style, text);
}

inline std::string Line(Point from, Point to, std::string_view style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", from.x,
                     from.y, to.x, to.y, style);
}

inline std::string Circle(Point at, double radius, std::string_view style) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>\n", at.x, at.y, radius,
                     style);
}

inline std::string Rectangle(Point from, Point to, std::string_view style) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n",
                     from.x, from.y, to.x - from.x, to.y - from.y, style);
}

inline std::string Filled(std::string_view color) { return fmt::format("fill=\"{}\"", color); }

// Returns the start of a picture of that size, up to its title.
inline std::string BeginPicture(int width, int height, std::string_view title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"{2}\">\n"
      "<title>{3}</title>\n",
      width, height, kInk, title);
}

// Returns a light background, which keeps the picture legible on dark pages.
inline std::string Ground(int width, int height) {
  return fmt::format(
      "<rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"12\" fill=\"#fff\" "
      "stroke=\"#cbd2d9\"/>\n",
      width - 1, height - 1);
}

inline constexpr double kMargin = 28;

// Returns the heading of a picture, and a sentence about it.
inline std::string Title(std::string_view title, std::string_view sentence) {
  return Text({kMargin, 38}, title, "font-size=\"20\" font-weight=\"bold\"") +
         Text({kMargin, 62}, sentence, fmt::format("font-size=\"14\" fill=\"{}\"", kFaint));
}

// Returns a line that separates the parts of a picture of that width.
inline std::string Rule(int width, double y) {
  return Line({kMargin, y}, {width - kMargin, y}, "stroke=\"#cbd2d9\"");
}

// The main function of a program that draws a picture: writes it to the file named on the command
// line, or to the standard output.
inline int WritePicture(std::string_view program, int argc, char** argv, std::string (*draw)()) {
  try {
    const std::string picture = draw();
    std::ofstream file;
    if (argc > 1) {
      file.open(argv[1]);
    }
    std::ostream& out = argc > 1 ? file : std::cout;
    if (!(out << picture << std::flush)) {
      std::cerr << program << ": cannot write " << (argc > 1 ? argv[1] : "the picture") << '\n';
      return 1;
    }
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace detops

#endif  // DETOPS_CLI_PICTURE_H_
