// Any number of sequences of any length.
func.func @tokens(%input: tensor<?x?x8xf32> {conv.name = "input"}, %kernel: tensor<?x?x8x4xf32> {conv.name = "kernel"})
    -> (tensor<?x?x8xf32> {conv.name = "output"}) {
  %output = conv.dynamic_forward %input, %kernel order = BTGW
      : tensor<?x?x8xf32>, tensor<?x?x8x4xf32> -> tensor<?x?x8xf32>
  return %output : tensor<?x?x8xf32>
}
