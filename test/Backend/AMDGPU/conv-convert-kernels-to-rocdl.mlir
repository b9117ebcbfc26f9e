// RUN: conv-opt %s --pass-pipeline='builtin.module(gpu.module(conv-convert-kernels-to-rocdl,canonicalize))' --split-input-file | FileCheck %s

// Bare pointers, and buffer instructions whose offset is out of range where the
// guard is false. The resource has the exact size of the tensor.
// CHECK:       llvm.func @small(%[[X:.+]]: !llvm.ptr<1>, %[[Y:.+]]: !llvm.ptr<1>, %[[I:.+]]: i32, %[[G:.+]]: i1)
// CHECK-SAME:    rocdl.flat_work_group_size = "128,128"
// CHECK-SAME:    rocdl.kernel
// CHECK-SAME:    rocdl.reqd_work_group_size = array<i32: 128, 1, 1>
// CHECK-DAG:     %[[BYTES:.+]] = llvm.mlir.constant(2048 : i64) : i64
// CHECK-DAG:     %[[OUT:.+]] = llvm.mlir.constant(-2147483648 : i32) : i32
// CHECK:         %[[SCALED:.+]] = llvm.mul %[[I]]
// CHECK:         %[[OFFSET:.+]] = llvm.select %[[G]], %[[SCALED]], %[[OUT]]
// CHECK:         %[[RSRC:.+]] = rocdl.make.buffer.rsrc %[[X]], %{{.+}}, %[[BYTES]], %{{.+}} : <1> to <8>
// CHECK:         %[[LOADED:.+]] = rocdl.raw.ptr.buffer.load %[[RSRC]], %[[OFFSET]], %{{.+}}, %{{.+}} : vector<4xi32>
// CHECK:         rocdl.raw.ptr.buffer.store %[[LOADED]]
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @small(%x: memref<1024xf16, #gpu.address_space<global>>, %y: memref<1024xf16, #gpu.address_space<global>>, %i: i32, %g: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %v = conv.guarded_load %x[%i] if %g : memref<1024xf16, #gpu.address_space<global>>, i32 -> vector<8xf16>
      conv.guarded_store %v, %y[%i] if %g : vector<8xf16>, memref<1024xf16, #gpu.address_space<global>>, i32
      gpu.return
    }
  }
}

// -----

// 2 GiB and more: a plain load from an address that exists.
// CHECK-LABEL: llvm.func @large
// CHECK:         %[[OFFSET:.+]] = llvm.select %[[G:.+]], %{{.+}}, %{{.+}} : i1, i64
// CHECK:         %[[ADDRESS:.+]] = llvm.getelementptr %{{.+}}[%[[OFFSET]]]
// CHECK:         %[[LOADED:.+]] = llvm.load %[[ADDRESS]] {alignment = 2 : i64}
// CHECK:         llvm.select %[[G]], %[[LOADED]], %{{.+}}
// CHECK:         llvm.store
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @large(%x: memref<1073741824xf16, #gpu.address_space<global>>, %i: i64, %g: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %true = arith.constant true
      %v = conv.guarded_load %x[%i] if %g : memref<1073741824xf16, #gpu.address_space<global>>, i64 -> vector<1xf16>
      conv.guarded_store %v, %x[%i] if %true : vector<1xf16>, memref<1073741824xf16, #gpu.address_space<global>>, i64
      gpu.return
    }
  }
}

// -----

// What lanes share of an address is an operand of its own: no instruction of
// the lanes adds it.
// CHECK:       llvm.func @placed(%{{.+}}: !llvm.ptr<1>, %[[PLACE:.+]]: i32, %[[DISTANCE:.+]]: i32)
// CHECK:         %[[LOADED:.+]] = rocdl.raw.ptr.buffer.load %{{.+}}, %[[PLACE]], %[[DISTANCE]], %{{.+}} : vector<4xi32>
// CHECK:         rocdl.raw.ptr.buffer.store %[[LOADED]]
module attributes {conv.target = #conv.target<"gfx1201">} {
  gpu.module @kernels {
    gpu.func @placed(%x: memref<1024xf16, #gpu.address_space<global>>, %place: i32, %distance: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %true = arith.constant true
      %zero = arith.constant 0 : i32
      %v = conv.placed_load %x[%place + %distance] : memref<1024xf16, #gpu.address_space<global>> -> vector<8xf16>
      conv.guarded_store %v, %x[%zero] if %true : vector<8xf16>, memref<1024xf16, #gpu.address_space<global>>, i32
      gpu.return
    }
  }
}

// -----

// The resource of places with a lead starts so many bytes before the tensor.
// CHECK:       llvm.func @placed_before(%[[X:.+]]: !llvm.ptr<1>, %{{.+}}: i32, %{{.+}}: i32)
// CHECK:         %[[BYTES:.+]] = llvm.mlir.constant(2304 : i64) : i64
// CHECK:         %[[START:.+]] = llvm.getelementptr %[[X]][-256] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
// CHECK:         rocdl.make.buffer.rsrc %[[START]], %{{.+}}, %[[BYTES]], %{{.+}}
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @placed_before(%x: memref<1024xf16, #gpu.address_space<global>>, %place: i32, %distance: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %true = arith.constant true
      %zero = arith.constant 0 : i32
      %v = conv.placed_load %x[%place + %distance] {lead = 256} : memref<1024xf16, #gpu.address_space<global>> -> vector<8xf16>
      conv.guarded_store %v, %x[%zero] if %true : vector<8xf16>, memref<1024xf16, #gpu.address_space<global>>, i32
      gpu.return
    }
  }
}
