// A host application that compiles a convolution for the device that it runs
// on, and calls it:
//
//   c++ -std=c++17 jit.cpp -lconv_compiler -lconv_runtime -o jit
//   ./jit host
//
// A 3x3 convolution of ones with relu counts the elements of the window: 4 at
// the corners and 9 inside, times 8 channels.

#include "conv/conv.hpp"

#include <iostream>

int main(int argc, char **argv) try {
  conv::Problem problem;
  problem.n = 1, problem.c = 8, problem.k = 16;
  problem.input = {6, 6}, problem.filter = {3, 3}, problem.low = {1, 1};
  problem.activation = "relu";

  conv::Device device(argc > 1 ? argv[1] : "host");
  conv::Function layer = conv::Jit().load(device, problem.module());

  std::vector<float> x(6 * 6 * 8, 1), w(16 * 3 * 3 * 8, 1), y(6 * 6 * 16);
  auto bytes = [](const std::vector<float> &v) {
    return int64_t(v.size() * sizeof(float));
  };
  conv::Buffer input(device, bytes(x)), filter(device, bytes(w)),
      output(device, bytes(y));
  conv::Buffer workspace(device, std::max<int64_t>(layer.workspaceBytes(), 1));
  input.copyFrom(x.data(), bytes(x));
  filter.copyFrom(w.data(), bytes(w));
  layer.run({input.get(), filter.get(), output.get()}, workspace.get());
  device.synchronize();
  output.copyTo(y.data(), bytes(y));
  std::cout << "on " << layer.target() << ": corner " << y[0] << ", inside "
            << y[(1 * 6 + 1) * 16] << "\n";
} catch (const conv::Error &error) {
  std::cerr << "jit: error: " << error.what() << "\n";
  return error.status;
}
