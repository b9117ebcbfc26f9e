//===- CudaTensorMap.h - the driver's tensor maps ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_CUDA_CUDATENSORMAP_H
#define CONV_RUNTIME_CUDA_CUDATENSORMAP_H

#include "CudaLibrary.h"
#include "conv/Runtime/Driver.h"

namespace conv::runtime {

/// Whether the driver can encode maps: drivers before CUDA 12 cannot.
inline bool hasTensorMaps(const CudaLibrary &cuda) {
  return cuda.cuTensorMapEncodeTiled && cuda.cuTensorMapEncodeIm2col;
}

/// Encodes a map. The driver requires a current context.
Result<void> encodeTensorMap(const CudaLibrary &cuda,
                             const artifact::TensorMapParameter &map,
                             void *address, EncodedTensorMap &encoded);

} // namespace conv::runtime

#endif // CONV_RUNTIME_CUDA_CUDATENSORMAP_H
