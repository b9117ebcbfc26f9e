//===- LaunchAttr.td - launches of kernels -----------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LAUNCH_ATTR_TD
#define CONV_LAUNCH_ATTR_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"

def Conv_NextKernel : I32EnumAttr<"NextKernel", "when the next kernel may start", [
    I32EnumAttrCase<"AtOnce", 0, "at_once">,
    I32EnumAttrCase<"AfterLoads", 1, "after_loads">,
    I32EnumAttrCase<"AtEnd", 2, "at_end">
  ]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_LaunchAttr : Conv_Attr<"Launch", "launch"> {
  let summary = "How a kernel overlaps with its neighbours on a stream";
  let description = [{
    The kernel starts before the previous kernel of the stream has ended, and
    waits itself for the results of all previous kernels: programmatic dependent
    launch. A kernel without this attribute starts when the previous one has
    ended. `conv-select-launches` decides it, and `conv.launch` of the kernel's
    op (see the dialect) holds the decision and its constraints, P1 to P4.

    `next` says when the next kernel may start in the same way, as far as this
    kernel is concerned: `at_once`, when all of its workgroups run;
    `after_loads`, when all of its work-items have also started their loads; or
    `at_end`, when it ends.

    A kernel that `prefetches` brings the start of its operands to the cache
    that all compute units share, before it waits: of a `conv.scatter`, those
    that are arguments of the function, as many bytes as
    `LaunchCalibration::prefetchedBytes` says; of a `conv.causal_update`, all
    that its work-items read.

    Example: `#conv.launch<next = at_once, prefetches = true>`
  }];
  let parameters = (ins
    EnumParameter<Conv_NextKernel>:$next,
    DefaultValuedParameter<"bool", "false">:$prefetches
  );
  let assemblyFormat = "`<` `next` `=` $next (`,` `prefetches` `=` $prefetches^)? `>`";
  let genVerifyDecl = 0; // P1 to P4 are about the op.
}

#endif // CONV_LAUNCH_ATTR_TD
