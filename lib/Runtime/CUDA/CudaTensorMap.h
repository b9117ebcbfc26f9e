//===- CudaTensorMap.h - tensor maps as the CUDA driver encodes them -*- C++
//-*-===//
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

/// Encodes with the driver's functions, which only compute.
class CudaTensorMapEncoder final : public TensorMapEncoder {
public:
  explicit CudaTensorMapEncoder(const CudaLibrary &cuda) : cuda(cuda) {}

  /// False for drivers before CUDA 12.
  bool isAvailable() const {
    return cuda.cuTensorMapEncodeTiled && cuda.cuTensorMapEncodeIm2col;
  }

  Result<void> encode(const artifact::TensorMapParameter &map, void *address,
                      EncodedTensorMap &encoded) const override;

private:
  const CudaLibrary cuda;
};

} // namespace conv::runtime

#endif // CONV_RUNTIME_CUDA_CUDATENSORMAP_H
