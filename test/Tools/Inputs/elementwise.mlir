// Element-wise work that no convolution takes in: each function has kernels for it beside those of its convolutions.
#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#same = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#all = affine_map<(n, p, q, k) -> (n, p, q, k)>
#channel = affine_map<(n, p, q, k) -> (k)>
#image = affine_map<(n, p, q, k) -> (n, k)>

// Batch norm and relu in front, of odd sizes.
func.func @pre_activation(%x: tensor<2x5x7x3xf16>, %scale: tensor<3xf16>, %shift: tensor<3xf16>, %w: tensor<5x3x3x3xf16>)
    -> tensor<2x5x7x5xf16> {
  %e = tensor.empty() : tensor<2x5x7x3xf16>
  %zero = arith.constant 0.0 : f16
  %a = linalg.generic {indexing_maps = [#all, #channel, #channel, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %scale, %shift : tensor<2x5x7x3xf16>, tensor<3xf16>, tensor<3xf16>) outs(%e : tensor<2x5x7x3xf16>) {
  ^bb0(%v: f16, %s: f16, %t: f16, %o: f16):
    %m = arith.mulf %v, %s : f16
    %p = arith.addf %m, %t : f16
    %r = arith.maximumf %p, %zero : f16
    linalg.yield %r : f16
  } -> tensor<2x5x7x3xf16>
  %y = conv.forward %a, %w window = #same layouts = #layouts : tensor<2x5x7x3xf16>, tensor<5x3x3x3xf16> -> tensor<2x5x7x5xf16>
  return %y : tensor<2x5x7x5xf16>
}

// A gate of each image's channels, as squeeze-and-excite has it, of two convolutions' results.
func.func @gate(%x: tensor<2x5x7x3xf32>, %w: tensor<11x1x1x3xf32>, %z: tensor<2x1x1x4xf32>, %v: tensor<11x1x1x4xf32>)
    -> tensor<2x5x7x11xf32> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts : tensor<2x5x7x3xf32>, tensor<11x1x1x3xf32> -> tensor<2x5x7x11xf32>
  %g = conv.forward %z, %v window = #unit layouts = #layouts : tensor<2x1x1x4xf32>, tensor<11x1x1x4xf32> -> tensor<2x1x1x11xf32>
  %flat = tensor.collapse_shape %g [[0, 1, 2], [3]] : tensor<2x1x1x11xf32> into tensor<2x11xf32>
  %e = tensor.empty() : tensor<2x5x7x11xf32>
  %r = linalg.generic {indexing_maps = [#all, #image, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %flat : tensor<2x5x7x11xf32>, tensor<2x11xf32>) outs(%e : tensor<2x5x7x11xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %n = arith.negf %b : f32
    %x0 = math.exp %n : f32
    %one = arith.constant 1.0 : f32
    %d = arith.addf %x0, %one : f32
    %m = arith.divf %a, %d : f32
    linalg.yield %m : f32
  } -> tensor<2x5x7x11xf32>
  return %r : tensor<2x5x7x11xf32>
}

// One sum in two types and two orders of the dimensions, and a square of it that the next convolution reads.
func.func @several_uses(%x: tensor<1x9x6x4xbf16>, %w: tensor<13x3x3x4xbf16>, %v: tensor<7x1x1x13xbf16>)
    -> (tensor<1x9x6x13xbf16>, tensor<1x13x9x6xf32>, tensor<1x9x6x7xbf16>) {
  %y = conv.forward %x, %w window = #same layouts = #layouts : tensor<1x9x6x4xbf16>, tensor<13x3x3x4xbf16> -> tensor<1x9x6x13xbf16>
  %e = tensor.empty() : tensor<1x13x9x6xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(n, k, p, q) -> (n, p, q, k)>, affine_map<(n, k, p, q) -> (n, k, p, q)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x9x6x13xbf16>) outs(%e : tensor<1x13x9x6xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %f = arith.extf %a : bf16 to f32
    linalg.yield %f : f32
  } -> tensor<1x13x9x6xf32>
  %s = arith.mulf %y, %y : tensor<1x9x6x13xbf16>
  %z = conv.forward %s, %v window = #unit layouts = #layouts : tensor<1x9x6x13xbf16>, tensor<7x1x1x13xbf16> -> tensor<1x9x6x7xbf16>
  return %y, %t, %z : tensor<1x9x6x13xbf16>, tensor<1x13x9x6xf32>, tensor<1x9x6x7xbf16>
}

// Slices that start inside, are strided, and end early; concatenations of two types of sources along the innermost and another
// dimension, one of them twice.
func.func @moved(%x: tensor<1x7x9x5xf16>, %w: tensor<3x3x3x5xf16>, %z: tensor<1x5x5x2xf16>) -> tensor<1x5x10x4xf16> {
  %s = tensor.extract_slice %x[0, 1, 0, 0] [1, 5, 5, 5] [1, 1, 2, 1] : tensor<1x7x9x5xf16> to tensor<1x5x5x5xf16>
  %y = conv.forward %s, %w window = #same layouts = #layouts : tensor<1x5x5x5xf16>, tensor<3x3x3x5xf16> -> tensor<1x5x5x3xf16>
  %c = tensor.concat dim(3) %y, %z : (tensor<1x5x5x3xf16>, tensor<1x5x5x2xf16>) -> tensor<1x5x5x5xf16>
  %d = tensor.extract_slice %c[0, 0, 0, 0] [1, 5, 5, 4] [1, 1, 1, 1] : tensor<1x5x5x5xf16> to tensor<1x5x5x4xf16>
  %r = tensor.concat dim(2) %d, %d : (tensor<1x5x5x4xf16>, tensor<1x5x5x4xf16>) -> tensor<1x5x10x4xf16>
  return %r : tensor<1x5x10x4xf16>
}

// Means: over windows, over pixels, and over channels.
func.func @means(%x: tensor<2x6x7x3xf32>, %w: tensor<5x3x3x3xf32>) -> (tensor<2x3x3x5xf32>, tensor<2x5xf32>, tensor<2x6x7xf32>) {
  %y = conv.forward %x, %w window = #same layouts = #layouts : tensor<2x6x7x3xf32>, tensor<5x3x3x3xf32> -> tensor<2x6x7x5xf32>
  %zero = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<2x3x3x5xf32>
  %wf = linalg.fill ins(%zero : f32) outs(%we : tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
  %size = tensor.empty() : tensor<2x2xf32>
  %windows = linalg.pooling_nhwc_sum {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%y, %size : tensor<2x6x7x5xf32>, tensor<2x2xf32>) outs(%wf : tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
  %quarter = arith.constant dense<0.25> : tensor<2x3x3x5xf32>
  %mean = arith.mulf %windows, %quarter : tensor<2x3x3x5xf32>
  %pe = tensor.empty() : tensor<2x5xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<2x5xf32>) -> tensor<2x5xf32>
  %pixels = linalg.reduce { arith.addf } ins(%y : tensor<2x6x7x5xf32>) outs(%pf : tensor<2x5xf32>) dimensions = [1, 2]
  %ce = tensor.empty() : tensor<2x6x7xf32>
  %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<2x6x7xf32>) -> tensor<2x6x7xf32>
  %channels = linalg.reduce { arith.addf } ins(%y : tensor<2x6x7x5xf32>) outs(%cf : tensor<2x6x7xf32>) dimensions = [3]
  return %mean, %pixels, %channels : tensor<2x3x3x5xf32>, tensor<2x5xf32>, tensor<2x6x7xf32>
}
