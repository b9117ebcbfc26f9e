//===- Passes.td - gpu to code objects -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BACKEND_PASSES_TD
#define CONV_BACKEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertKernelOpsToAMDGPUPass
    : Pass<"conv-convert-kernel-ops-to-amdgpu", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Choose AMD instructions for matrix atoms";
  let description = [{
    * Input: kernels of the gpu stage.
    * Output: `conv.mma` is `amdgpu.mfma`, `amdgpu.wmma` or multiply-adds;
      stores with 64-bit offsets are inside of an `scf.if`, since only accesses
      below 2 GiB can use the bounds check of buffer instructions; barriers
      order shared memory only; `conv.schedule_fence` is
      a scheduling barrier, after the order in which matrix instructions and
      loads before it take turns, if there are any.
    * Keeps: every other op.
    * Fails: if `conv.target` is not an AMD chip. Its atoms are then all that the
      verifier of `conv.mma` lets through.

    Before:
    ```mlir
    %d = conv.mma <mfma 32 x 32 x 8> %a, %b, %c
        : vector<4xf16>, vector<4xf16>, vector<16xf32>
    conv.guarded_store %v, %y[%offset] if %guard
        : vector<1xf16>, memref<1073741824xf16>, i64
    ```

    After:
    ```mlir
    %d = amdgpu.mfma 32x32x8 %a * %b + %c blgp = none
        : vector<4xf16>, vector<4xf16>, vector<16xf32>
    scf.if %guard {
      %true = arith.constant true
      conv.guarded_store %v, %y[%offset] if %true
          : vector<1xf16>, memref<1073741824xf16>, i64
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::ROCDL::ROCDLDialect", "::mlir::amdgpu::AMDGPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ConvertKernelsToROCDLPass
    : Pass<"conv-convert-kernels-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower kernels to the LLVM and ROCDL dialects";
  let description = [{
    One full conversion with upstream patterns and those for
    `conv.guarded_load` and `conv.guarded_store`. Upstream's
    `convert-gpu-to-rocdl` is not used: it prints errors and succeeds, and
    leaves casts in the IR. Kernels take bare pointers; `index` is 32 bits, since
    offsets into global memory have a width of their own.

    A guarded access below 2 GiB is a buffer instruction whose offset is out of
    range where the guard is false, so that the hardware reads zero or stores
    nothing. A larger load reads the first elements instead and selects zero.

    * Input: kernels without `conv.mma`, without structured control flow and
      without stores of 64-bit offset that have a guard.
    * Output: `llvm.func` with ops of the LLVM and ROCDL dialects.
    * Keeps: the `gpu.module` and the names of its kernels.
    * Fails: if `conv.target` is not an AMD chip, or if anything else is left.

    Before:
    ```mlir
    %v = conv.guarded_load %x[%i] if %g
        : memref<1024xf16, #gpu.address_space<global>>, i32 -> vector<8xf16>
    ```

    After:
    ```mlir
    %resource = rocdl.make.buffer.rsrc %x, %stride, %bytes, %flags : <1> to <8>
    %2 = llvm.mul %i, %two : i32
    %3 = llvm.select %g, %2, %outOfRange : i1, i32
    %4 = rocdl.raw.ptr.buffer.load %resource, %3, %zero, %zero : vector<4xi32>
    %v = llvm.bitcast %4 : vector<4xi32> to vector<8xf16>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def ConvertKernelsToHostPass
    : Pass<"conv-convert-kernels-to-host", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower kernels to the LLVM dialect for the CPU";
  let description = [{
    A workgroup of a host kernel is one call of a function: `gpu.block_id` is
    read from its argument and private memory is on its stack
    (`conv/Backend/Host.h` has the signature). The name of the processor is
    exported beside the kernels.

    * Input: kernels on static buffers, without shared memory and without
      structured control flow; bf16 only in loads and stores.
    * Output: `llvm.func` with ops of the LLVM dialect.
    * Keeps: the `gpu.module` and the names of its kernels.
    * Fails: if `conv.target` is not the host, or if anything else is left.

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

def ConvertKernelOpsToNVVMPass
    : Pass<"conv-convert-kernel-ops-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Choose NVIDIA instructions for matrix atoms";
  let description = [{
    * Input: kernels of the gpu stage.
    * Output: `conv.mma` is `nvvm.mma.sync` or multiply-adds; stores with a
      guard are inside of an `scf.if`; quotients of vectors of f32 are
      multiply-adds, and an `scf.if` with the division for all elements where
      one of them would overflow or underflow on the way.
    * Keeps: every other op.
    * Fails: if `conv.target` is not an NVIDIA chip. Its atoms are then all that
      the verifier of `conv.mma` lets through.

    Before:
    ```mlir
    conv.guarded_store %v, %y[%offset] if %guard : vector<8xf16>, memref<64xf16>, i32
    ```

    After:
    ```mlir
    scf.if %guard {
      %true = arith.constant true
      conv.guarded_store %v, %y[%offset] if %true : vector<8xf16>, memref<64xf16>, i32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ConvertKernelsToNVVMPass
    : Pass<"conv-convert-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower kernels to the LLVM and NVVM dialects";
  let description = [{
    One full conversion with upstream patterns and those for
    `conv.guarded_load`, `conv.guarded_copy` and `conv.guarded_store`. Kernels
    take bare pointers, and tensor maps by value; `index` is 32 bits, since
    offsets into global memory have a width of their own. A guarded load reads
    the first elements where its guard is false, and selects zero; a copy is
    `cp.async` of no bytes then. `conv.resident_workgroups` becomes
    `nvvm.minctasm`.

    * Input: kernels without `conv.mma`, without structured control flow and
      without stores that have a guard.
    * Output: `llvm.func` with ops of the LLVM and NVVM dialects. Functions that
      PTX does not have are calls of libdevice.
    * Keeps: the `gpu.module` and the names of its kernels.
    * Fails: if `conv.target` is not an NVIDIA chip, or if anything else is left.

    Before:
    ```mlir
    %v = conv.guarded_load %x[%i] if %g
        : memref<1024xf16, #gpu.address_space<global>>, i32 -> vector<8xf16>
    ```

    After:
    ```mlir
    %2 = llvm.select %g, %i, %zero : i1, i32
    %3 = llvm.getelementptr %x[%2] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %4 = llvm.load %3 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    %5 = llvm.select %g, %4, %zeros : i1, vector<4xi32>
    %v = llvm.bitcast %5 : vector<4xi32> to vector<8xf16>
    ```
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
    beside its bytes. Where none of these places has a `ptxas`, the object is the
    PTX (`assembly`), which the driver compiles when it is loaded.

    * Input: `gpu.module` of the LLVM and NVVM dialects.
    * Output: `gpu.binary` of the same name.
    * Keeps: functions and their launches.
    * Fails: if `conv.target` is not an NVIDIA chip, if there is no `ptxas` in a
      folder that was given, if a kernel needs libdevice and there is none, or if
      LLVM or `ptxas` fails.

    Before:
    ```mlir
    gpu.module @kernels { llvm.func @f_0() attributes {nvvm.kernel} { ... } }
    ```

    After:
    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">,
        kernels = <[#gpu.kernel_metadata<"f_0", ...>]>, bin = "\7FELF...">]
    ```
  }];
  let options = [
    Option<"toolkit", "toolkit", "std::string", "\"\"",
           "Folder of the CUDA toolkit, with bin/ptxas and nvvm/libdevice "
           "(default: where the environment says)">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

def JoinWgmmaPass : Pass<"conv-join-wgmma", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Join matrix instructions of a warpgroup to one piece of assembly";
  let description = [{
    The instructions of a step that add to the same sums follow each other. As
    one piece of inline assembly, they name the registers of the sums once,
    which takes LLVM less time. `ptxas` made the same code of 268 kernels
    (`bench/results`).

    * Input: inline assembly of one `wgmma.mma_async` each, with sums that are
      operands and results, and text that names the sums by the numbers of the
      results: `$0`, and neither `${0:x}` nor `$$`.
    * Output: one piece for those between which there are only values.
    * Keeps: other assembly, what is alone, and what has sums that something
      else reads in between.
    * Fails: never.

    Before:
    ```mlir
    %one = llvm.mlir.constant(1 : i32) : i32
    %minus = llvm.mlir.constant(-1 : i32) : i32
    %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async A {$0, $1}, $4, $5, $6;",
        "=f,=f,0,1,l,l,n" %x, %y, %a, %b, %one : (f32, f32, i64, i64, i32) -> !llvm.struct<(f32, f32)>
    %moved = llvm.add %a, %b : i64
    %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
    %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
    %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async B {$0, $1}, $4, $5, $6;",
        "=f,=f,0,1,l,l,n" %1, %2, %moved, %b, %minus : (f32, f32, i64, i64, i32) -> !llvm.struct<(f32, f32)>
    ```

    After:
    ```mlir
    %moved = llvm.add %a, %b : i64
    %3 = llvm.inline_asm has_side_effects asm_dialect = att
        "wgmma.mma_async A {$0, $1}, $4, $5, 1;wgmma.mma_async B {$0, $1}, $6, $5, -1;",
        "=f,=f,0,1,l,l,l" %x, %y, %a, %b, %moved : (f32, f32, i64, i64, i64) -> !llvm.struct<(f32, f32)>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SerializeAMDGPUPass : Pass<"conv-serialize-amdgpu", "::mlir::ModuleOp"> {
  let summary = "Compile each gpu.module for an AMD GPU into a gpu.binary";
  let description = [{
    Compiles with LLVM and links in process; nothing is looked for in the PATH,
    and there is no assembly in between. The object of the `gpu.binary` has the kernels' own metadata
    (registers, shared memory, spills) beside its bytes.

    * Input: `gpu.module` of the LLVM and ROCDL dialects.
    * Output: `gpu.binary` of the same name.
    * Keeps: functions and their launches.
    * Fails: if `conv.target` is not an AMD chip, or if LLVM or lld fails.

    Before:
    ```mlir
    gpu.module @kernels { llvm.func @f_0() attributes {rocdl.kernel} { ... } }
    ```

    After:
    ```mlir
    gpu.binary @kernels [#gpu.object<#rocdl.target<chip = "gfx942">,
        kernels = <[#gpu.kernel_metadata<"f_0", ...>]>, bin = "\7FELF...">]
    ```
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
    an epilogue calls its functions, and nothing else.

    * Input: `gpu.module` of the LLVM dialect; the host as `conv.target`.
    * Output: `gpu.binary` of the same name.
    * Keeps: functions and their launches.
    * Fails: if `conv.target` is not the host, if LLVM or lld fails, or if a
      kernel needs a function that neither libc nor libm has.

    Before:
    ```mlir
    gpu.module @kernels { llvm.func @f_0(%parameters: !llvm.ptr, %workgroup: !llvm.ptr) { ... } }
    ```

    After:
    ```mlir
    gpu.binary @kernels [#gpu.object<#conv.target<"host">, bin = "\7FELF...">]
    ```
  }];
  let dependentDialects = ["::mlir::conv::ConvDialect", "::mlir::gpu::GPUDialect"];
}

#endif // CONV_BACKEND_PASSES_TD
