//===- Timeline.cpp - one iteration of a loop, drawn ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row for each SIMD unit's matrix, vector and scalar unit, and for each unit
// that they share. Colours are waves; a tooltip names the instruction.
//
//===----------------------------------------------------------------------===//

#include "conv/Clock/Clock.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace conv;
using namespace conv::clock;
using llvm::formatv;

static constexpr int kRowHeight = 18, kLeft = 110, kTop = 40, kWidth = 1200;

static std::string escape(std::string_view text) {
  std::string escaped;
  for (char letter : text)
    escaped += letter == '<'   ? "&lt;"
               : letter == '>' ? "&gt;"
               : letter == '&' ? "&amp;"
                               : std::string(1, letter);
  return escaped;
}

static std::string nameRow(const Busy &event) {
  bool isShared = event.unit == Unit::Shared || event.unit == Unit::Global;
  std::string name(getName(event.unit));
  return isShared ? "2 " + name
                  : formatv("1 SIMD {0} {1}", event.simd, name).str();
}

/// The window: an iteration in the middle of the time all first waves share.
static std::pair<int64_t, int64_t> selectWindow(const LoopTimes &loop) {
  int64_t length = std::max<int64_t>(1, int64_t(loop.cyclesPerIteration));
  int64_t start =
      loop.start + std::max<int64_t>(0, (loop.end - loop.start - length) / 2);
  return {start, start + length};
}

std::string clock::drawTimeline(const EntryClock &entry) {
  const KernelClock *kernel = nullptr;
  for (const KernelClock &launch : entry.launches)
    if (launch.issue.loop && (!kernel || launch.time() > kernel->time()))
      kernel = &launch;
  if (!kernel)
    return "";
  auto [start, end] = selectWindow(*kernel->issue.loop);
  std::map<std::string, std::vector<const Busy *>> rows;
  for (const Busy &event : kernel->issue.timeline)
    if (event.end > start && event.start < end)
      rows[nameRow(event)].push_back(&event);
  std::string text;
  llvm::raw_string_ostream os(text);
  int height = kTop + kRowHeight * int(rows.size()) + 10;
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                "height=\"{1}\" font-family=\"sans-serif\" "
                "font-size=\"11\">\n",
                kLeft + kWidth + 10, height);
  os << formatv(
      "<text x=\"4\" y=\"16\">{0} on {1}: {2} clocks of an iteration, "
      "from {3}</text>\n",
      escape(kernel->kernel), entry.target, end - start, start);
  double scale = double(kWidth) / double(end - start);
  int y = kTop;
  for (const auto &[name, events] : rows) {
    os << formatv("<text x=\"4\" y=\"{0}\">{1}</text>\n", y + 12,
                  escape(name.substr(2)));
    for (const Busy *event : events) {
      double from = double(std::max(event->start, start) - start) * scale;
      double to = double(std::min(event->end, end) - start) * scale;
      os << formatv(
          "<rect x=\"{0:F1}\" y=\"{1}\" width=\"{2:F1}\" height=\"{3}\" "
          "fill=\"hsl({4},60%,60%)\"><title>wave {5}: {6}</title></rect>\n",
          kLeft + from, y, std::max(to - from, 0.3), kRowHeight - 3,
          event->wave * 47 % 360, event->wave,
          escape(kernel->program.code[size_t(event->instruction)].text));
    }
    y += kRowHeight;
  }
  os << "</svg>\n";
  return text;
}
