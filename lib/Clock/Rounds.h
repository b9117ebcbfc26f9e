//===- Rounds.h - which workgroups are simulated ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unit that has most workgroups decides how long a launch takes to issue.
// Of a long list, a few rounds are simulated. They are taken in even steps from
// the whole list, since the parts of one launch (dgrad phases, zeros) follow
// each other in the grid and take different times.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_ROUNDS_H
#define CONV_LIB_CLOCK_ROUNDS_H

#include "conv/Clock/Clock.h"
#include "conv/Clock/Trace.h"

#include <vector>

namespace conv::clock {

/// The traces of the workgroups of one unit that are simulated, in order: all
/// of a short list.
std::vector<WorkgroupTrace> interpretRounds(const Program &program,
                                            const Pace &pace,
                                            const LaunchShape &shape,
                                            const KernelClock &kernel);

/// The clocks of all workgroups of the unit: those that were not simulated take
/// the time between the first round and the second one, for as many steps as
/// the simulated ones after the first have in the mean.
double extrapolateRounds(const KernelClock &kernel,
                         const std::vector<WorkgroupTrace> &traces);

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_ROUNDS_H
