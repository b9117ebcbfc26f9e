// What main loops expect of a tiled convolution. The function below is one; each
// run breaks one thing.
// RUN: conv-opt %s --conv-verify-stage=stage=tiled
// RUN: sed 's/} {conv.schedule = .*/}/' %s | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: sed 's/step (1, 4, 4)/step (1, 2, 4)/' %s | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: sed 's/return %%y/%%u = tensor.cast %%t : tensor<1x8x8xf32> to tensor<?x8x8xf32>\n  return %%y/' %s | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: sed 's/scatter %%t into %%empty view = .*/scatter %%matrices into %%t view = #whole : tensor<1x8x8xf32> into tensor<1x8x8xf32>/; s/return %%y/return %%empty/' %s | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: sed 's/ins(%%a, %%b/ins(%%whole, %%b/' %s | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: sed 's/indexing_maps = \[#element, #element/indexing_maps = [#element, #row/' %s | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=MAP
// RUN: sed 's/addf %%s, %%r/addf %%s, %%captured/' %s | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s --check-prefix=CAPTURE

// SCHEDULE: 'scf.forall' op expects a conv.schedule
// STEP:     'scf.forall' op expects one result, tiled by [1, 4, 4]
// SCATTER:  'scf.forall' op expects a result that only a conv.scatter stores
// OPERAND:  'scf.forall' op expects operands that are tiles of a conv.gather
// MAP:      'linalg.generic' op expects operands of the result's shape, but got affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CAPTURE:  'linalg.generic' op expects an epilogue that captures only constants

#element = affine_map<(g, m, n) -> (g, m, n)>
#row = affine_map<(g, m, n) -> (g, n, m)>
#m_k = affine_map<(g, m, n, k) -> (g, m, k)>
#n_k = affine_map<(g, m, n, k) -> (g, n, k)>
#m_n = affine_map<(g, m, n, k) -> (g, m, n)>
#view = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, n) -> (m, n)>>
#whole = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, n) -> (g, m, n)>>

func.func @tiled(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %whole: tensor<1x4x8xf32>, %captured: f32) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %f0 = arith.constant 0.0 : f32
  %matrices = tensor.empty() : tensor<1x8x8xf32>
  %empty = tensor.empty() : tensor<8x8xf32>
  %t = scf.forall (%g, %m, %n) = (0, 0, 0) to (1, 8, 8) step (1, 4, 4) shared_outs(%o = %matrices) -> (tensor<1x8x8xf32>) {
    %zero = tensor.extract_slice %o[%g, %m, %n] [1, 4, 4] [1, 1, 1] : tensor<1x8x8xf32> to tensor<1x4x4xf32>
    %start = linalg.fill ins(%f0 : f32) outs(%zero : tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %c = scf.for %k = %c0 to %c8 step %c8 iter_args(%carried = %start) -> (tensor<1x4x4xf32>) {
      %a = conv.gather %x[%g, %m, %k] view = #view : tensor<8x8xf32> -> tensor<1x4x8xf32>
      %b = conv.gather %w[%g, %n, %k] view = #view : tensor<8x8xf32> -> tensor<1x4x8xf32>
      %p = linalg.batch_matmul indexing_maps = [#m_k, #n_k, #m_n] ins(%a, %b : tensor<1x4x8xf32>, tensor<1x4x8xf32>) outs(%carried : tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
      scf.yield %p : tensor<1x4x4xf32>
    }
    %e = conv.gather %x[%g, %m, %n] view = #view : tensor<8x8xf32> -> tensor<1x4x4xf32>
    %d = linalg.generic {indexing_maps = [#element, #element, #element], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%c, %e : tensor<1x4x4xf32>, tensor<1x4x4xf32>) outs(%zero : tensor<1x4x4xf32>) {
    ^bb0(%s: f32, %r: f32, %u: f32):
      %sum = arith.addf %s, %r : f32
      linalg.yield %sum : f32
    } -> tensor<1x4x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%g, %m, %n] [1, 4, 4] [1, 1, 1] : tensor<1x4x4xf32> into tensor<1x8x8xf32>
    }
  } {conv.schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [4, 4], subgroup = [4, 4], gemm_k = 8, stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>>}
  %y = conv.scatter %t into %empty view = #view : tensor<1x8x8xf32> into tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
