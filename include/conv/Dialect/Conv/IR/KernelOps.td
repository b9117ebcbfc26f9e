//===- KernelOps.td - ops inside kernels -------------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNEL_OPS_TD
#define CONV_KERNEL_OPS_TD

include "conv/Dialect/Conv/IR/ScheduleAttr.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Conv_Offset : AnyTypeOf<[I32, I64]>;
def Conv_Fragment : VectorOfRankAndType<[1], [Conv_Number, I64]>;

def Conv_GuardedLoadOp : Conv_Op<"guarded_load",
    [AllElementTypesMatch<["source", "result"]>]> { // G3
  let summary = "Loads consecutive elements, or zero";
  let description = [{
    Loads the elements of `source`, seen as contiguous from its first element,
    that start at `offset` (in elements); all zero where `guard` is false.

    Upstream has nothing that back ends can turn into their own bounds checks:
    AMD's buffer loads read zero out of range, cp.async takes a source size.

    Constraints:
      * (G1) `source` is static and contiguous.
      * (G2) `offset` is i64 if `source` has 2 GiB or more, else i32: back ends
        use 32-bit byte offsets for the latter.
      * (G3) Elements of `source` and `result` have the same type.
      * (G5) `result` has at most 16 bytes, the widest access of a lane.

    Where `guard` is true, `offset` is a multiple of the length of `result`, and
    the elements are inside `source`. Only a run knows that: back ends rely on
    it for the alignment of accesses, and the simulator checks each access.
  }];
  let arguments = (ins
    Arg<Conv_Buffer, "", [MemRead]>:$source, Conv_Offset:$offset, I1:$guard);
  let results = (outs Conv_Fragment:$result);
  let assemblyFormat = [{
    $source `[` $offset `]` `if` $guard attr-dict
    `:` type($source) `,` type($offset) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Conv_PlacedLoadOp : Conv_Op<"placed_load",
    [AllElementTypesMatch<["source", "result"]>]> { // G3
  let summary = "Loads consecutive elements from a lane's place, or zero";
  let description = [{
    Like `conv.guarded_load` of the elements `place + distance - lead` bytes into
    `source`; all zero where `place` is negative. A loop keeps the place of each
    lane, with its guard, as long as both move on together: `distance` is the
    same for all lanes, and takes none of their instructions. With a `lead`, a
    lane's part of an address need not be in `source` by itself: that of an image
    is where its window starts, which may be in front of the image.

    Upstream's amdgpu.raw_buffer_load counts elements, which takes a shift for
    each access.

    Constraints: G1, G3 and G5 of `conv.guarded_load`, and
      * (G9) `source` and `lead` together have less than 2 GiB, and `lead` is not
        negative.

    At run time, `distance` is not negative, and where `place` is not negative
    either, the element at `place + distance - lead` is at a multiple of the bytes
    of `result`.

    Example:
    ```mlir
    %v = conv.placed_load %x[%place + %distance] : memref<64xf16> -> vector<8xf16>
    ```
  }];
  let arguments = (ins
    Arg<Conv_Buffer, "", [MemRead]>:$source, I32:$place, I32:$distance,
    DefaultValuedAttr<I64Attr, "0">:$lead);
  let results = (outs Conv_Fragment:$result);
  let assemblyFormat = [{
    $source `[` $place `+` $distance `]` attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Conv_GuardedCopyOp : Conv_Op<"guarded_copy"> {
  let summary = "Starts a copy of consecutive elements, or zero, to shared memory";
  let description = [{
    Like `conv.guarded_load` of `elements` elements from `source[offset]`, which
    arrive in `destination[index]` without a register on their way: when a wait
    for them is over. If they are `cached`, they stay in the first-level cache
    on targets whose copies may bypass it, for other copies of their sectors.

    Upstream's nvgpu.device_async_copy takes indices of one width, which are too
    narrow for some tensors, and reads an address even where the guard is false.

    Constraints: G1 and G2 of `conv.guarded_load`, and
      * (G7) `destination` is in shared memory and contiguous, with elements of
        the type of those of `source`.
      * (G8) The copy has a power of two of bytes, from what the target can copy
        that way to 16.

    At run time, `offset` and `index` are multiples of `elements`.
  }];
  let arguments = (ins
    Arg<Conv_Buffer, "", [MemRead]>:$source, Conv_Offset:$offset,
    Arg<Conv_Buffer, "", [MemWrite]>:$destination, Index:$index,
    I1:$guard, I64Attr:$elements, UnitAttr:$cached);
  let assemblyFormat = [{
    (`cached` $cached^)? $elements `of` $source `[` $offset `]` `,` $destination `[` $index `]` `if` $guard
    attr-dict `:` type($source) `,` type($offset) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Conv_GuardedStoreOp : Conv_Op<"guarded_store",
    [AllElementTypesMatch<["destination", "value"]>]> { // G3
  let summary = "Stores consecutive elements, or nothing";
  let description = [{
    The counterpart of `conv.guarded_load`: stores `value` at `offset` where
    `guard` is true.

    Constraints: G1 to G3 and G5 of `conv.guarded_load`, and what holds at run
    time, with `destination` and `value`.
  }];
  let arguments = (ins
    Conv_Fragment:$value,
    Arg<Conv_Buffer, "", [MemWrite]>:$destination, Conv_Offset:$offset, I1:$guard);
  let assemblyFormat = [{
    $value `,` $destination `[` $offset `]` `if` $guard attr-dict
    `:` type($value) `,` type($destination) `,` type($offset)
  }];
  let hasVerifier = 1;
}

def Conv_AddressOp : Conv_Op<"address", [Pure]> {
  let summary = "The address of a buffer in global memory";
  let description = [{
    For instructions of a target that take addresses: copies that no lane waits
    for.

    Constraints:
      * (G6) `buffer` is static and contiguous.

    Example: `%pointer = conv.address %x : memref<4x8xf16> -> !llvm.ptr<1>`
  }];
  let arguments = (ins Conv_Buffer:$buffer);
  let results = (outs LLVM_PointerInAddressSpace<1>:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Conv_MmaOp : Conv_Op<"mma", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "One matrix instruction of a subgroup";
  let description = [{
    `result = accumulator + a * transpose(b)` with the lane layouts that
    `MatrixAtom` in `conv/Chip/Chip.h` describes. Every lane of the subgroup
    must execute it.

    Constraints:
      * (M1) The target has `atom` for the element type of `a`.
      * (M2) `a` and `b` have the same element type or are 8-bit floats of one
        family (OCP or FNUZ), the accumulator has that of their sums, and each
        has as many elements as a lane of that atom holds.
  }];
  let arguments = (ins
    Conv_AtomAttr:$atom, Conv_Fragment:$a, Conv_Fragment:$b, Conv_Fragment:$accumulator);
  let results = (outs Conv_Fragment:$result);
  let assemblyFormat = [{
    $atom $a `,` $b `,` $accumulator attr-dict
    `:` type($a) `,` type($b) `,` type($accumulator)
  }];
  let extraClassDeclaration = [{
    /// The type in which the target's atom multiplies `a` and `b`.
    ::conv::NumericType getMultipliedType();
  }];
  let hasVerifier = 1;
}

def Conv_ScheduleFenceOp : Conv_Op<"schedule_fence"> {
  let summary = "Keeps accesses to memory on their side of it";
  let description = [{
    A code generator moves instructions past each other as long as they compute
    the same: a load, for instance, down to its first use, where it is waited
    for. Accesses to memory do not move across this op on targets that can say
    so; on others nothing becomes of it. Matrix instructions before it may
    follow later, to fill the time that a wait takes. It orders nothing between
    work-items and waits for nothing.

    Example: `conv.schedule_fence`
  }];
  let assemblyFormat = "attr-dict";
}

def Conv_SetPriorityOp : Conv_Op<"set_priority"> {
  let summary = "Which subgroups go first from here on";
  let description = [{
    Of the subgroups that share a SIMD unit, those of the highest level go
    first, and the oldest one of a level. The level of a subgroup is 0 until it
    executes this op. It changes the time that a kernel takes, and nothing else;
    on targets without levels, nothing becomes of it. All lanes of a subgroup
    must execute it.

    Example: `conv.set_priority 3`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<3>]>:$level);
  let assemblyFormat = "$level attr-dict";
}

#endif // CONV_KERNEL_OPS_TD
