// RUN: conv-opt %s --split-input-file --verify-diagnostics

#global = #gpu.address_space<global>
#shared = #gpu.address_space<workgroup>

// G7.
func.func @copy_to_global(%x: memref<64xf16, #global>, %y: memref<64xf16, #global>, %i: i32, %j: index, %g: i1) {
  // expected-error @below {{expects a contiguous destination of 'f16' in shared memory, but got 'memref<64xf16, #gpu.address_space<global>>'}}
  conv.guarded_copy 8 of %x[%i], %y[%j] if %g : memref<64xf16, #global>, i32, memref<64xf16, #global>
  return
}

// -----

#global = #gpu.address_space<global>
#shared = #gpu.address_space<workgroup>

// G7.
func.func @copy_of_types(%x: memref<64xf16, #global>, %y: memref<64xbf16, #shared>, %i: i32, %j: index, %g: i1) {
  // expected-error @below {{expects a contiguous destination of 'f16' in shared memory}}
  conv.guarded_copy 8 of %x[%i], %y[%j] if %g : memref<64xf16, #global>, i32, memref<64xbf16, #shared>
  return
}

// -----

#global = #gpu.address_space<global>
#shared = #gpu.address_space<workgroup>

// G8.
module attributes {conv.target = #conv.target<"sm_80">} {
func.func @copy_of_two_bytes(%x: memref<64xf16, #global>, %y: memref<64xf16, #shared>, %i: i32, %j: index, %g: i1) {
  // expected-error @below {{expects a copy that the target has, but got 2 bytes}}
  conv.guarded_copy 1 of %x[%i], %y[%j] if %g : memref<64xf16, #global>, i32, memref<64xf16, #shared>
  return
}
}

// -----

#global = #gpu.address_space<global>
#shared = #gpu.address_space<workgroup>

// G8.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @copy_without_instruction(%x: memref<64xf16, #global>, %y: memref<64xf16, #shared>, %i: i32, %j: index, %g: i1) {
  // expected-error @below {{expects a copy that the target has, but got 16 bytes}}
  conv.guarded_copy 8 of %x[%i], %y[%j] if %g : memref<64xf16, #global>, i32, memref<64xf16, #shared>
  return
}
}

// -----

#global = #gpu.address_space<global>
#shared = #gpu.address_space<workgroup>

// G2.
func.func @copy_from_large(%x: memref<2147483648xi8, #global>, %y: memref<64xi8, #shared>, %i: i32, %j: index, %g: i1) {
  // expected-error @below {{expects an i64 offset into 2147483648 bytes, but got 'i32'}}
  conv.guarded_copy 16 of %x[%i], %y[%j] if %g : memref<2147483648xi8, #global>, i32, memref<64xi8, #shared>
  return
}

// -----

#global = #gpu.address_space<global>
#shared = #gpu.address_space<workgroup>

// Elements of buffers are numbers.
func.func @copy_of_indices(%x: memref<16xindex, #global>, %y: memref<16xindex, #shared>, %i: i32, %j: index, %g: i1) {
  // expected-error @below {{operand #0 must be statically shaped memref of 32-bit float or}}
  conv.guarded_copy 4 of %x[%i], %y[%j] if %g : memref<16xindex, #global>, i32, memref<16xindex, #shared>
  return
}

// -----

// The same.
func.func @map_of_indices(%x: memref<1x56x56x64xindex>) {
  // expected-error @below {{operand #0 must be statically shaped memref of 32-bit float or}}
  %map = conv.tensor_map %x <sizes = [64, 3136], strides = [128], box = [64, 64],
      element_strides = [1, 1], swizzle = 128> : memref<1x56x56x64xindex> -> !llvm.ptr
  return
}
