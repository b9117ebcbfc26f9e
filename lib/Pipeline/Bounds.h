#ifndef CONV_PIPELINE_BOUNDS_H
#define CONV_PIPELINE_BOUNDS_H
#include "conv/Dialect/Conv/IR/ConvShape.h"
namespace mlir::conv {
struct ErrorBound { double accumulation, outputUlp; };
inline ErrorBound computeErrorBound(ForwardOp op) {
  return {double(ForwardShape::get(op).computeReduction()), 0.5};
}
}
#endif
