// A causal convolution whose numbers of sequences and tokens are known at run
// time: sums of two neighbours of ones, for the module on standard input.

#include "conv/conv.hpp"

#include <iostream>
#include <iterator>

int main() try {
  std::string module(std::istreambuf_iterator<char>(std::cin), {});
  std::string text = conv::explain(module, "host");
  std::cout << text.substr(text.find("families and plans"), 18) << "\n";

  conv::Device device("host");
  conv::Function function(device, conv::compile(module, "host").artifact());
  for (int64_t tokens : {3, 5}) {
    std::vector<float> x(size_t(tokens * 4), 1), k(size_t(tokens * 8), 1),
        y(x.size());
    conv::Sizes sizes =
        function.findSizes({{1, tokens, 4}, {1, tokens, 4, 2}, {1, tokens, 4}});
    std::vector<char> workspace(size_t(sizes.workspaceBytes));
    function.run(sizes, {x.data(), k.data(), y.data()}, workspace.data());
    std::cout << tokens << " tokens: " << y.front() << " to " << y.back()
              << "\n";
  }
  function.findSizes({{1, 3, 4}, {1, 3, 4}, {1, 3, 4}});
} catch (const conv::Error &error) {
  std::cout << "status " << error.status << ": " << error.what() << "\n";
}
