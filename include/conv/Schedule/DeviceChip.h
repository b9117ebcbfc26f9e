//===- DeviceChip.h - a chip with the units of a device ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of chips knows how many compute units a GPU has, but not how many
// threads a machine runs host code on: that is a fact of the device.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_DEVICECHIP_H
#define CONV_SCHEDULE_DEVICECHIP_H

#include "conv/Chip/Chip.h"

#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// The chip that `op` is compiled for: the row of the table, but with as many
/// compute units as `setComputeUnits` said, and of a host with a second cache
/// of as many bytes as `setSecondCacheBytes` said.
::conv::ChipInfo getDeviceChip(Operation *op);

/// Says how many compute units the device has for which all operations in `op`
/// are compiled. Models of GPUs are of the whole chip: only hosts differ.
void setComputeUnits(Operation *op, int64_t computeUnits);

/// Says how large the second cache is of the machine for which all operations
/// in `op` are compiled, if that is a host.
void setSecondCacheBytes(Operation *op, int64_t bytes);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_DEVICECHIP_H
