// Sums of functions of a convolution's result, one kind in each function: arguments are within what they are defined on.
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#map = affine_map<(n, p, q, k) -> (n, p, q, k)>

func.func @steps(%input: tensor<1x3x5x4xf32>, %filter: tensor<8x1x1x4xf32>) -> tensor<1x3x5x8xf32> {
  %sum = conv.forward %input, %filter window = #window layouts = #layouts
      : tensor<1x3x5x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x3x5x8xf32>
  %init = tensor.empty() : tensor<1x3x5x8xf32>
  %output = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<1x3x5x8xf32>) outs(%init : tensor<1x3x5x8xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %f0 = math.absf %x : f32
    %f1 = math.floor %x : f32
    %s1 = arith.addf %f0, %f1 : f32
    %f2 = math.ceil %x : f32
    %s2 = arith.addf %s1, %f2 : f32
    %f3 = math.trunc %x : f32
    %s3 = arith.addf %s2, %f3 : f32
    %f4 = math.round %x : f32
    %s4 = arith.addf %s3, %f4 : f32
    %f5 = math.roundeven %x : f32
    %s5 = arith.addf %s4, %f5 : f32
    linalg.yield %s5 : f32
  } -> tensor<1x3x5x8xf32>
  return %output : tensor<1x3x5x8xf32>
}

func.func @positive(%input: tensor<1x3x5x4xf32>, %filter: tensor<8x1x1x4xf32>) -> tensor<1x3x5x8xf32> {
  %sum = conv.forward %input, %filter window = #window layouts = #layouts
      : tensor<1x3x5x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x3x5x8xf32>
  %init = tensor.empty() : tensor<1x3x5x8xf32>
  %output = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<1x3x5x8xf32>) outs(%init : tensor<1x3x5x8xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %square = arith.mulf %x, %x : f32
    %small = arith.constant 0.125 : f32
    %positive = arith.addf %square, %small : f32
    %f0 = math.sqrt %positive : f32
    %f1 = math.rsqrt %positive : f32
    %s1 = arith.addf %f0, %f1 : f32
    %f2 = math.exp %positive : f32
    %s2 = arith.addf %s1, %f2 : f32
    %f3 = math.exp2 %positive : f32
    %s3 = arith.addf %s2, %f3 : f32
    %f4 = math.expm1 %positive : f32
    %s4 = arith.addf %s3, %f4 : f32
    %f5 = math.log %positive : f32
    %s5 = arith.addf %s4, %f5 : f32
    %f6 = math.log2 %positive : f32
    %s6 = arith.addf %s5, %f6 : f32
    %f7 = math.log10 %positive : f32
    %s7 = arith.addf %s6, %f7 : f32
    %f8 = math.log1p %positive : f32
    %s8 = arith.addf %s7, %f8 : f32
    %f9 = math.cbrt %positive : f32
    %s9 = arith.addf %s8, %f9 : f32
    %power = math.powf %positive, %x : f32
    %all = arith.addf %s9, %power : f32
    linalg.yield %all : f32
  } -> tensor<1x3x5x8xf32>
  return %output : tensor<1x3x5x8xf32>
}

func.func @anywhere(%input: tensor<1x3x5x4xf32>, %filter: tensor<8x1x1x4xf32>) -> tensor<1x3x5x8xf32> {
  %sum = conv.forward %input, %filter window = #window layouts = #layouts
      : tensor<1x3x5x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x3x5x8xf32>
  %init = tensor.empty() : tensor<1x3x5x8xf32>
  %output = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<1x3x5x8xf32>) outs(%init : tensor<1x3x5x8xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %f0 = math.tanh %x : f32
    %f1 = math.erf %x : f32
    %s1 = arith.addf %f0, %f1 : f32
    %f2 = math.sin %x : f32
    %s2 = arith.addf %s1, %f2 : f32
    %f3 = math.cos %x : f32
    %s3 = arith.addf %s2, %f3 : f32
    %f4 = math.tan %x : f32
    %s4 = arith.addf %s3, %f4 : f32
    %f5 = math.atan %x : f32
    %s5 = arith.addf %s4, %f5 : f32
    linalg.yield %s5 : f32
  } -> tensor<1x3x5x8xf32>
  return %output : tensor<1x3x5x8xf32>
}

func.func @inside(%input: tensor<1x3x5x4xf32>, %filter: tensor<8x1x1x4xf32>) -> tensor<1x3x5x8xf32> {
  %sum = conv.forward %input, %filter window = #window layouts = #layouts
      : tensor<1x3x5x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x3x5x8xf32>
  %init = tensor.empty() : tensor<1x3x5x8xf32>
  %output = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<1x3x5x8xf32>) outs(%init : tensor<1x3x5x8xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %t = math.tanh %x : f32
    %half = arith.constant 0.5 : f32
    %inside = arith.mulf %t, %half : f32
    %two = arith.constant 2.0 : f32
    %above = arith.addf %inside, %two : f32
    %f0 = math.asin %inside : f32
    %f1 = math.acos %inside : f32
    %s1 = arith.addf %f0, %f1 : f32
    %f2 = math.atanh %inside : f32
    %s2 = arith.addf %s1, %f2 : f32
    %f3 = math.sinh %inside : f32
    %s3 = arith.addf %s2, %f3 : f32
    %f4 = math.cosh %inside : f32
    %s4 = arith.addf %s3, %f4 : f32
    %f5 = math.asinh %inside : f32
    %s5 = arith.addf %s4, %f5 : f32
    %f6 = math.acosh %above : f32
    %s6 = arith.addf %s5, %f6 : f32
    linalg.yield %s6 : f32
  } -> tensor<1x3x5x8xf32>
  return %output : tensor<1x3x5x8xf32>
}

func.func @conditions(%input: tensor<1x3x5x4xf32>, %filter: tensor<8x1x1x4xf32>) -> tensor<1x3x5x8xf32> {
  %sum = conv.forward %input, %filter window = #window layouts = #layouts
      : tensor<1x3x5x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x3x5x8xf32>
  %init = tensor.empty() : tensor<1x3x5x8xf32>
  %output = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<1x3x5x8xf32>) outs(%init : tensor<1x3x5x8xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %true = arith.constant true
    %low = arith.cmpf olt, %x, %zero : f32
    %high = arith.cmpf ogt, %x, %one : f32
    %outside = arith.ori %low, %high : i1
    %within = arith.xori %outside, %true : i1
    %both = arith.andi %low, %within : i1
    %clipped = arith.select %within, %x, %one : f32
    %r = arith.select %both, %zero, %clipped : f32
    %minus = arith.sitofp %low : i1 to f32
    %lowered = arith.addf %r, %minus : f32
    linalg.yield %lowered : f32
  } -> tensor<1x3x5x8xf32>
  return %output : tensor<1x3x5x8xf32>
}
