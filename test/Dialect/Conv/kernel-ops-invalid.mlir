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

// -----

// G1: loads.
func.func @load_of_columns(%x: memref<4x8xf16, strided<[1, 4]>>, %i: i32, %g: i1) -> vector<4xf16> {
  // expected-error @below {{expects a contiguous buffer, but got 'memref<4x8xf16, strided<[1, 4]>>'}}
  %v = conv.guarded_load %x[%i] if %g : memref<4x8xf16, strided<[1, 4]>>, i32 -> vector<4xf16>
  return %v : vector<4xf16>
}

// -----

// G2: an offset that is wider than it has to be.
func.func @store_with_wide_offset(%v: vector<4xf16>, %y: memref<32xf16>, %i: i64, %g: i1) {
  // expected-error @below {{expects an i32 offset into 64 bytes, but got 'i64'}}
  conv.guarded_store %v, %y[%i] if %g : vector<4xf16>, memref<32xf16>, i64
  return
}

// -----

// G3.
func.func @load_of_types(%x: memref<32xf16>, %i: i32, %g: i1) -> vector<4xbf16> {
  // expected-error @below {{failed to verify that all of {source, result} have same element type}}
  %v = conv.guarded_load %x[%i] if %g : memref<32xf16>, i32 -> vector<4xbf16>
  return %v : vector<4xbf16>
}

// -----

// G5.
func.func @load_of_32_bytes(%x: memref<32xf16>, %i: i32, %g: i1) -> vector<16xf16> {
  // expected-error @below {{expects an access of at most 16 bytes, but got 32}}
  %v = conv.guarded_load %x[%i] if %g : memref<32xf16>, i32 -> vector<16xf16>
  return %v : vector<16xf16>
}

// -----

// G6.
func.func @address_of_columns(%x: memref<4x8xf16, strided<[1, 4]>>) -> !llvm.ptr<1> {
  // expected-error @below {{expects a contiguous buffer, but got 'memref<4x8xf16, strided<[1, 4]>>'}}
  %p = conv.address %x : memref<4x8xf16, strided<[1, 4]>> -> !llvm.ptr<1>
  return %p : !llvm.ptr<1>
}

// -----

// M1.
module attributes {conv.target = #conv.target<"gfx90a">} {
func.func @mma_of_another_chip(%a: vector<8xf16>, %b: vector<8xf16>, %c: vector<8xf32>) -> vector<8xf32> {
  // expected-error @below {{expects an atom of gfx90a for 'f16', but got #conv.atom<wmma 16 x 16 x 16>}}
  %d = conv.mma <wmma 16 x 16 x 16> %a, %b, %c : vector<8xf16>, vector<8xf16>, vector<8xf32>
  return %d : vector<8xf32>
}
}

// -----

// M2: factors.
func.func @mma_of_two_types(%a: vector<4xf16>, %b: vector<4xbf16>, %c: vector<16xf32>) -> vector<16xf32> {
  // expected-error @below {{expects a and b of one element type or one family of 8-bit floats, but got 'vector<4xf16>' and 'vector<4xbf16>'}}
  %d = conv.mma <mfma 32 x 32 x 8> %a, %b, %c : vector<4xf16>, vector<4xbf16>, vector<16xf32>
  return %d : vector<16xf32>
}

// -----

// M2: sums.
func.func @mma_in_f16(%a: vector<4xf16>, %b: vector<4xf16>, %c: vector<16xf16>) -> vector<16xf16> {
  // expected-error @below {{expects an accumulator of 'f32' for 'f16', but got 'f16'}}
  %d = conv.mma <mfma 32 x 32 x 8> %a, %b, %c : vector<4xf16>, vector<4xf16>, vector<16xf16>
  return %d : vector<16xf16>
}

// -----

// M2: as many elements as a lane holds.
module attributes {conv.target = #conv.target<"gfx90a">} {
func.func @mma_of_long_fragment(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<16xf32>) -> vector<16xf32> {
  // expected-error @below {{expects a to have 4 elements, but got 8}}
  %d = conv.mma <mfma 32 x 32 x 8> %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<16xf32>
  return %d : vector<16xf32>
}
}

// -----

// M2: sums of all lanes.
module attributes {conv.target = #conv.target<"gfx90a">} {
func.func @mma_of_short_sums(%a: vector<4xf16>, %b: vector<4xf16>, %c: vector<4xf32>) -> vector<4xf32> {
  // expected-error @below {{expects accumulator to have 16 elements, but got 4}}
  %d = conv.mma <mfma 32 x 32 x 8> %a, %b, %c : vector<4xf16>, vector<4xf16>, vector<4xf32>
  return %d : vector<4xf32>
}
}

// -----

#global = #gpu.address_space<global>

// G9.
func.func @placed_load_from_large(%x: memref<2147483648xi8, #global>, %i: i32) {
  // expected-error @below {{expects less than 2 GiB, but got 2147483648 bytes}}
  %v = conv.placed_load %x[%i + %i] : memref<2147483648xi8, #global> -> vector<16xi8>
  return
}

// -----

#global = #gpu.address_space<global>

// G9.
func.func @placed_load_with_large_lead(%x: memref<64xi8, #global>, %i: i32) {
  // expected-error @below {{expects less than 2 GiB, but got 64 bytes and a lead of 2147483600}}
  %v = conv.placed_load %x[%i + %i] {lead = 2147483600} : memref<64xi8, #global> -> vector<16xi8>
  return
}

// -----

#global = #gpu.address_space<global>

// G9.
func.func @placed_load_with_negative_lead(%x: memref<64xi8, #global>, %i: i32) {
  // expected-error @below {{expects a lead that is not negative, but got -16}}
  %v = conv.placed_load %x[%i + %i] {lead = -16} : memref<64xi8, #global> -> vector<16xi8>
  return
}

// -----

#global = #gpu.address_space<global>

// G5.
func.func @placed_load_of_lines(%x: memref<64xf16, #global>, %i: i32) {
  // expected-error @below {{expects an access of at most 16 bytes, but got 32}}
  %v = conv.placed_load %x[%i + %i] : memref<64xf16, #global> -> vector<16xf16>
  return
}

// -----

func.func @priority_of_no_level() {
  // expected-error @below {{'conv.set_priority' op attribute 'level' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  conv.set_priority 4
  return
}
