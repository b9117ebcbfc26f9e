//===- Rounds.h - which workgroups are simulated ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unit with the most workgroups determines the issue time of a launch. If
// it has many, a few rounds are simulated. These are sampled evenly from all
// its workgroups, since the parts of one launch (dgrad phases, zeros) are
// consecutive in the grid and take different times. If some take much longer
// than others, the rounds of a few samples are none of the launch: then as many
// workgroups are simulated as time allows, which is all of most launches.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_ROUNDS_H
#define CONV_LIB_CLOCK_ROUNDS_H

#include "conv/Clock/Clock.h"
#include "conv/Clock/Trace.h"

#include <vector>

namespace conv::clock {

/// The traces of the simulated workgroups of one unit, in order: all workgroups
/// if there are few, or if they are uneven and there is time for all. A unit of
/// few workgroups is the busiest one of several.
std::vector<WorkgroupTrace> interpretRounds(const Program &program,
                                            const Pace &pace,
                                            const LaunchShape &shape,
                                            const KernelClock &kernel);

/// The clocks of all workgroups of the unit: workgroups that were not simulated
/// take the time between the first and the second round, scaled to the mean
/// steps of the simulated workgroups after the first, and no less than they
/// keep the matrix units busy. Of uneven workgroups, all take as long as the
/// simulated ones in the mean.
double extrapolateRounds(const KernelClock &kernel, const Pace &pace,
                         const std::vector<WorkgroupTrace> &traces);

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_ROUNDS_H
