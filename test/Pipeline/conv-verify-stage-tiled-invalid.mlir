// RUN: conv-opt %s --conv-convert-to-products --conv-tile-to-workgroups > %t
// RUN: conv-opt %t --conv-verify-stage=stage=tiled
// RUN: sed 's/to (1, 64, 32)/to (1, 32, 32)/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T1
// RUN: sed 's/= (0, 0, 0) to/= (0, 32, 0) to/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T1
// RUN: sed 's/columns = \[r = 3, s = 3, c = 16\], map = affine_map<(d0, d1, d2, d3, d4)/columns = [r = 3, s = 1, c = 16], map = affine_map<(d0, d1, d2, d3, d4)/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T2
// RUN: sed 's/\(conv.gather %arg1\[%[a-z0-9]*\), \(%[a-z0-9]*\), \(%[a-z0-9]*\)/\1, %c0, \3/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T3
// RUN: sed 's/\(conv.gather %arg2\[%[a-z0-9]*\), \(%[a-z0-9]*\), \(%[a-z0-9]*\)/\1, \3, \2/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T3
// RUN: sed 's/\(extract_slice %1\[%[a-z0-9]*\), \(%[a-z0-9]*\), \(%[a-z0-9]*\)/\1, \3, \2/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T3-SUM
// RUN: sed 's/\(extract_slice %arg6\[%[a-z0-9]*\), \(%[a-z0-9]*\), \(%[a-z0-9]*\)/\1, \3, \2/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T3-RESULT
// RUN: sed 's/0.000000e+00/1.000000e+00/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T4-INIT
// RUN: sed 's/to %c144/to %c32/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T4-STEPS
// RUN: sed 's/(d0, d2, d3)>$/(d0, d3, d2)>/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T5-MAPS
// RUN: sed 's/scf.yield %[0-9]*/scf.yield %arg9/; s/iter_args(%[a-z0-9]*/iter_args(%arg9/; s/outs(%arg8 /outs(%arg9 /' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T5-SUM
// RUN: sed 's/arith.addf %in, %in_[0-9]*/arith.addf %in, %out/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T6-READ
// RUN: sed 's/\(parallel_insert_slice .*\)\[%\([a-z0-9]*\), %[a-z0-9]*, /\1[%\2, 0, /' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T6-PLACE
// RUN: sed 's/columns = \[r = 3, s = 3, c = 16\], map = affine_map<(d0, d1, d2, d3, d4)/columns = [r = 1, s = 9, c = 16], map = affine_map<(d0, d1, d2, d3, d4)/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T7-OPERANDS
// RUN: sed 's/columns = \[k = 32\]/columns = [c = 32]/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T7-RESULT
// RUN: sed 's/(-d0 + 144, 32)/(-d0 + 143, 32)/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T8-REST
// RUN: sed 's/affine.min #map(%arg7)/affine.min #map(%arg4)/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T8-LOOP
// RUN: sed 's/sizes(%[0-9]*)/sizes(%c0)/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T8-SIZE
// RUN: sed 's/\(parallel_insert_slice .*\) \[1, 1, 1\]/\1 [1, 2, 1]/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T8-STRIDES
// RUN: sed 's/\(extract_slice %arg6.*\) \[1, 1, 1\]/\1 [1, 2, 1]/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T8-RESULT-STRIDES
// RUN: sed 's/\(extract_slice %1.*\) \[1, 1, 1\]/\1 [1, 2, 1]/' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T8-SUM-STRIDES
// The same with an epilogue that overwrites 144 rows, which its type does not say.
// RUN: sed 's/outs(%extracted_slice_0 : tensor<1x32x/outs(%%outs : tensor<1x?x/; s/} -> tensor<1x32x/} -> tensor<1x?x/; s/\(parallel_insert_slice.*\[\)1, 32\(.*: tensor<1x\)32x32/\11, %%c144\2?x32/' %t > %t.rows
// RUN: sed 's/%extracted_slice_0 = \(.*extract_slice.*\[\)1, 32\(.*to tensor<1x\)32x/%%outs = \11, %%c144\2?x/' %t.rows | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T8-SLICE
// RUN: sed 's/%extracted_slice_0 = .*/%%outs = tensor.empty(%%c144) : tensor<1x?x32xf32>/' %t.rows | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T8-FRESH
// RUN: sed 's/%extracted_slice_0 = .*/&\n%%outs = tensor.cast %extracted_slice_0 : tensor<1x32x32xf32> to tensor<1x?x32xf32>/' %t.rows | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=T8-CAST

// A tiled form whose parts say anything but what its views, schedule and epilogue
// do is refused: kernels are built from those alone.
// T1: expects loops from 0 to the sizes of 'tensor<1x64x32xf32>'
// T2: expects a view of 1, 32, 144 elements, but got 1, 32, 48
// T3: expects to start where the loops around it are
// T3-SUM: 'tensor.extract_slice' op expects to start where the loops around it are
// T3-RESULT: 'tensor.extract_slice' op expects to start where the loops around it are
// T4-INIT: expects a sum that starts with a linalg.fill of 0
// T4-STEPS: expects steps of 32 from 0 to 144
// T5-MAPS: expects lhs * transpose(rhs)
// T5-SUM: expects to be added to the sum of the loop
// T6-READ: expects not to read what it overwrites
// T6-PLACE: expects to insert the result of its linalg.generic where the loops are
// T7-OPERANDS: expects one size of the digits r, but got 3 and 1
// T7-RESULT: expects one size of the digits c, but got 16 and 32
// T8-REST: 'conv.gather' op expects a tile of 32 of 144, or of what is left of them
// T8-LOOP: 'conv.gather' op expects a tile of 32 of 144, or of what is left of them
// T8-SIZE: 'conv.gather' op expects a tile of 32 of 144, or of what is left of them, but got 0
// T8-STRIDES: 'tensor.parallel_insert_slice' op expects strides of 1
// T8-RESULT-STRIDES: 'tensor.extract_slice' op expects strides of 1
// T8-SUM-STRIDES: 'tensor.extract_slice' op expects strides of 1
// T8-SLICE: 'tensor.extract_slice' op expects a tile of 32 of 64, or of what is left of them, but got 144
// T8-FRESH: 'tensor.empty' op expects a tile of 32 of 64, or of what is left of them, but got 144
// T8-CAST: 'linalg.generic' op expects to overwrite a slice or a tensor.empty

func.func @tiled(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>, %bias: tensor<32xf32>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2,
                  atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
      epilogue(%bias : tensor<32xf32>) {
      ^bb0(%acc: f32, %b: f32):
        %s = arith.addf %acc, %b : f32
        conv.yield %s : f32
      } : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}
