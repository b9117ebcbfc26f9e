//===- Passes.td - gpu to code objects -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BACKEND_PASSES_TD
#define CONV_BACKEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertKernelOpsToAMDGPUPass : Pass<"conv-convert-kernel-ops-to-amdgpu", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Choose AMD instructions for matrix atoms";
  let description = [{
    * Input: kernels of the gpu stage.
    * Output: `conv.mma` is `amdgpu.mfma`, `amdgpu.wmma` or multiply-adds;
      stores with 64-bit offsets are inside of an `scf.if`, since only accesses
      below 2 GiB can use the bounds check of buffer instructions.
    * Keeps: every other op.
    * Fails: if the target has no instruction for an atom.
  }];
  let dependentDialects = [
    "::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertKernelsToROCDLPass : Pass<"conv-convert-kernels-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower kernels to the LLVM and ROCDL dialects";
  let description = [{
    One full conversion with upstream patterns and those for
    `conv.guarded_load` and `conv.guarded_store`. Upstream's
    `convert-gpu-to-rocdl` is not used: it prints errors and succeeds, and
    leaves casts behind. Kernels take bare pointers; `index` is 32 bits, since
    offsets into global memory have a width of their own.

    A guarded access below 2 GiB is a buffer instruction whose offset is out of
    range where the guard is false, so that the hardware reads zero or stores
    nothing. A larger load reads the first elements instead and selects zero.

    * Input: kernels without `conv.mma` and without structured control flow.
    * Output: `llvm.func` with ops of the LLVM and ROCDL dialects.
    * Fails: if anything else is left.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def ConvertKernelsToHostPass : Pass<"conv-convert-kernels-to-host", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower kernels to the LLVM dialect for the CPU";
  let description = [{
    A workgroup of a host kernel is one call of a function: `gpu.block_id` is
    read from its argument and private memory is on its stack
    (`conv/Backend/Host.h` has the signature). The name of the processor is
    exported beside the kernels.

    * Input: kernels on static buffers, without shared memory and without
      structured control flow; bf16 only in loads and stores.
    * Output: `llvm.func` with ops of the LLVM dialect.
    * Fails: if anything else is left.

    Before:
    ```mlir
    gpu.func @store(%x: memref<8xf32, #gpu.address_space<global>>) kernel {
      %i = gpu.block_id x
      %c = arith.constant dense<1.0> : vector<1xf32>
      vector.store %c, %x[%i] : memref<8xf32, #gpu.address_space<global>>, vector<1xf32>
      gpu.return
    }
    ```

    After:
    ```mlir
    llvm.mlir.global external constant @conv_cpu("x86-64-v3\00")
    llvm.func @store(%parameters: !llvm.ptr, %workgroup: !llvm.ptr) attributes {gpu.kernel} {
      %slot = llvm.getelementptr %parameters[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
      %address = llvm.load %slot : !llvm.ptr -> !llvm.ptr
      %x = llvm.load %address : !llvm.ptr -> !llvm.ptr
      ...
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertKernelOpsToNVVMPass : Pass<"conv-convert-kernel-ops-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Choose NVIDIA instructions for matrix atoms";
  let description = [{
    * Input: kernels of the gpu stage.
    * Output: `conv.mma` is `nvvm.mma.sync` or multiply-adds; stores with a
      guard are inside of an `scf.if`.
    * Keeps: every other op; atoms of other families, which the conversion to
      NVVM then refuses.
    * Fails: never.

    Before:
    ```mlir
    conv.guarded_store %value, %y[%offset], %guard
        : vector<8xf16>, memref<64xf16, #gpu.address_space<global>>, i32
    ```

    After:
    ```mlir
    scf.if %guard {
      conv.guarded_store %value, %y[%offset], %true
          : vector<8xf16>, memref<64xf16, #gpu.address_space<global>>, i32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ConvertKernelsToNVVMPass : Pass<"conv-convert-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower kernels to the LLVM and NVVM dialects";
  let description = [{
    One full conversion with upstream patterns and those for
    `conv.guarded_load` and `conv.guarded_store`. Kernels take bare pointers;
    `index` is 32 bits, since offsets into global memory have a width of their
    own. A guarded load reads the first elements where its guard is false, and
    selects zero.

    * Input: kernels without `conv.mma`, without structured control flow and
      without stores that have a guard.
    * Output: `llvm.func` with ops of the LLVM and NVVM dialects. Functions that
      PTX does not have are calls of libdevice.
    * Fails: if anything else is left.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def SerializeNVPTXPass : Pass<"conv-serialize-nvptx", "::mlir::ModuleOp"> {
  let summary = "Compile each gpu.module for an NVIDIA GPU into a gpu.binary";
  let description = [{
    Optimises with LLVM down to PTX and runs `ptxas`, of which only NVIDIA's CUDA
    toolkit has one. It is looked for in the folder of the `toolkit` option or,
    without that, in those of the environment variables `CUDA_HOME` and
    `CUDA_PATH`, in the `PATH`, and in `/usr/local/cuda`. The object of the
    `gpu.binary` has what `ptxas` says of registers, shared memory and spills
    beside its bytes.

    * Input: `gpu.module` of the LLVM and NVVM dialects.
    * Output: `gpu.binary` of the same name.
    * Fails: if there is no `ptxas`, if a kernel needs libdevice and there is
      none, or if LLVM or `ptxas` fails.
  }];
  let options = [
    Option<"toolkit", "toolkit", "std::string", "\"\"",
           "Folder of the CUDA toolkit, with bin/ptxas and nvvm/libdevice "
           "(default: where the environment says)">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

def SerializeAMDGPUPass : Pass<"conv-serialize-amdgpu", "::mlir::ModuleOp"> {
  let summary = "Compile each gpu.module for an AMD GPU into a gpu.binary";
  let description = [{
    Optimises with LLVM, assembles and links in process; nothing is looked for
    in the PATH. The object of the `gpu.binary` has the kernels' own metadata
    (registers, shared memory, spills) beside its bytes.

    * Input: `gpu.module` of the LLVM and ROCDL dialects.
    * Output: `gpu.binary` of the same name.
    * Fails: if LLVM or lld fails.
  }];
  let options = [
    Option<"deviceLibraries", "device-libraries", "std::string", "\"\"",
           "Folder with amdgcn/bitcode of the ROCm device libraries "
           "(default: where the build found them)">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def SerializeHostPass : Pass<"conv-serialize-host", "::mlir::ModuleOp"> {
  let summary = "Compile each gpu.module for the CPU into a gpu.binary";
  let description = [{
    Optimises with LLVM and links in process. The library needs libm only where
    a tail calls its functions, and nothing else.

    * Input: `gpu.module` of the LLVM dialect; the host as `conv.target`.
    * Output: `gpu.binary` of the same name.
    * Fails: if LLVM or lld fails, or a kernel needs a function that neither
      libc nor libm has.
  }];
  let dependentDialects = ["::mlir::conv::ConvDialect", "::mlir::gpu::GPUDialect"];
}

#endif // CONV_BACKEND_PASSES_TD
