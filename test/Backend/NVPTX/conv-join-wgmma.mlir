// RUN: conv-opt %s --pass-pipeline='builtin.module(gpu.module(conv-join-wgmma))' | FileCheck %s

gpu.module @kernels {
// Instructions that add to the same sums are one piece of assembly. Constants are in its text, and what several read is one
// operand.
// CHECK-LABEL: llvm.func @step(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32, %[[Y:[a-z0-9]+]]: f32, %[[A:[a-z0-9]+]]: i64, %[[B:[a-z0-9]+]]: i64
// CHECK:         %[[MOVED:.+]] = llvm.add %[[A]], %[[B]]
// CHECK:         %[[ALL:.+]] = llvm.inline_asm has_side_effects asm_dialect = att
// CHECK-SAME:      "wgmma.mma_async A {$0, $1}, $4, $5, 1;wgmma.mma_async B {$0, $1}, $6, $5, -1;", "=f,=f,0,1,l,l,l" %[[X]], %[[Y]], %[[A]], %[[B]], %[[MOVED]] :
// CHECK-NEXT:    llvm.return %[[ALL]]
llvm.func @step(%x: f32, %y: f32, %a: i64, %b: i64) -> !llvm.struct<(f32, f32)> {
  %one = llvm.mlir.constant(1 : i32) : i32
  %minus = llvm.mlir.constant(-1 : i32) : i32
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async A {$0, $1}, $4, $5, $6;", "=f,=f,0,1,l,l,n" %x, %y, %a, %b, %one
      : (f32, f32, i64, i64, i32) -> !llvm.struct<(f32, f32)>
  %moved = llvm.add %a, %b : i64
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async B {$0, $1}, $4, $5, $6;", "=f,=f,0,1,l,l,n" %1, %2, %moved, %b, %minus
      : (f32, f32, i64, i64, i32) -> !llvm.struct<(f32, f32)>
  llvm.return %3 : !llvm.struct<(f32, f32)>
}

// Nothing is joined over other instructions.
// CHECK-LABEL: llvm.func @groups(
// CHECK-COUNT-2: "wgmma.mma_async C {$0, $1}, $4;", "=f,=f,0,1,l"
llvm.func @groups(%x: f32, %y: f32, %a: i64) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async C {$0, $1}, $4;", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async C {$0, $1}, $4;", "=f,=f,0,1,l" %1, %2, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %3 : !llvm.struct<(f32, f32)>
}

// Nor where something else reads a sum, or where two atoms take turns.
// CHECK-LABEL: llvm.func @read(
// CHECK-COUNT-2: "wgmma.mma_async D {$0, $1}, $4;", "=f,=f,0,1,l"
llvm.func @read(%x: f32, %y: f32, %a: i64) -> f32 {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async D {$0, $1}, $4;", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async D {$0, $1}, $4;", "=f,=f,0,1,l" %1, %2, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %4 = llvm.extractvalue %3[0] : !llvm.struct<(f32, f32)>
  %5 = llvm.fadd %4, %2 : f32
  llvm.return %5 : f32
}

// CHECK-LABEL: llvm.func @turns(
// CHECK-COUNT-3: "wgmma.mma_async E {$0, $1}, $4;", "=f,=f,0,1,l"
llvm.func @turns(%x: f32, %y: f32, %a: i64) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async E {$0, $1}, $4;", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %1 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async E {$0, $1}, $4;", "=f,=f,0,1,l" %y, %x, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %3 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %4 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async E {$0, $1}, $4;", "=f,=f,0,1,l" %2, %3, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %4 : !llvm.struct<(f32, f32)>
}

// Three are one piece as well.
// CHECK-LABEL: llvm.func @three(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32, %[[Y:[a-z0-9]+]]: f32, %[[A:[a-z0-9]+]]: i64, %[[B:[a-z0-9]+]]: i64
// CHECK-NEXT:    %[[ALL:.+]] = llvm.inline_asm has_side_effects asm_dialect = att
// CHECK-SAME:      "wgmma.mma_async F {$0, $1}, $4;wgmma.mma_async G {$0, $1}, $5;wgmma.mma_async H {$0, $1}, $4;", "=f,=f,0,1,l,l" %[[X]], %[[Y]], %[[A]], %[[B]] :
// CHECK-NEXT:    llvm.return %[[ALL]]
llvm.func @three(%x: f32, %y: f32, %a: i64, %b: i64) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async F {$0, $1}, $4;", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async G {$0, $1}, $4;", "=f,=f,0,1,l" %1, %2, %b
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %4 = llvm.extractvalue %3[0] : !llvm.struct<(f32, f32)>
  %5 = llvm.extractvalue %3[1] : !llvm.struct<(f32, f32)>
  %6 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async H {$0, $1}, $4;", "=f,=f,0,1,l" %4, %5, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %6 : !llvm.struct<(f32, f32)>
}

// Nothing is joined over a store.
// CHECK-LABEL: llvm.func @store(
// CHECK-COUNT-2: "wgmma.mma_async I {$0, $1}, $4;", "=f,=f,0,1,l" %
llvm.func @store(%x: f32, %y: f32, %a: i64, %p: !llvm.ptr) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async I {$0, $1}, $4;", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.store %a, %p : i64, !llvm.ptr
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async I {$0, $1}, $4;", "=f,=f,0,1,l" %1, %2, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %3 : !llvm.struct<(f32, f32)>
}

// Assembly without sums is left alone.
// CHECK-LABEL: llvm.func @no_sums(
// CHECK-COUNT-2: "wgmma.mma_async J $0;", "l" %
llvm.func @no_sums(%a: i64) {
  llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async J $0;", "l" %a : (i64) -> ()
  llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async J $0;", "l" %a : (i64) -> ()
  llvm.return
}

// Text with a dollar of its own is left alone.
// CHECK-LABEL: llvm.func @dollar(
// CHECK-COUNT-2: "wgmma.mma_async K$$ {$0, $1}, $4;", "=f,=f,0,1,l" %
llvm.func @dollar(%x: f32, %y: f32, %a: i64) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async K$$ {$0, $1}, $4;", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async K$$ {$0, $1}, $4;", "=f,=f,0,1,l" %1, %2, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %3 : !llvm.struct<(f32, f32)>
}

// Text with a modifier of an operand is left alone.
// CHECK-LABEL: llvm.func @modifier(
// CHECK-COUNT-2: "wgmma.mma_async L {$0, $1}, ${4:x};", "=f,=f,0,1,l" %
llvm.func @modifier(%x: f32, %y: f32, %a: i64) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async L {$0, $1}, ${4:x};", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async L {$0, $1}, ${4:x};", "=f,=f,0,1,l" %1, %2, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %3 : !llvm.struct<(f32, f32)>
}

// Text with the number of an operand that is a result's register is left alone.
// CHECK-LABEL: llvm.func @tied(
// CHECK-COUNT-2: "wgmma.mma_async M {$0, $3}, $4;", "=f,=f,0,1,l" %
llvm.func @tied(%x: f32, %y: f32, %a: i64) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async M {$0, $3}, $4;", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async M {$0, $3}, $4;", "=f,=f,0,1,l" %1, %2, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %3 : !llvm.struct<(f32, f32)>
}

// Text with the number of no operand is left alone.
// CHECK-LABEL: llvm.func @no_operand(
// CHECK-COUNT-2: "wgmma.mma_async N {$0, $1}, $5;", "=f,=f,0,1,l" %
llvm.func @no_operand(%x: f32, %y: f32, %a: i64) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async N {$0, $1}, $5;", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async N {$0, $1}, $5;", "=f,=f,0,1,l" %1, %2, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %3 : !llvm.struct<(f32, f32)>
}

// Text of several instructions is left alone.
// CHECK-LABEL: llvm.func @several(
// CHECK-COUNT-2: "wgmma.mma_async O {$0, $1}, $4;wgmma.mma_async P {$0, $1}, $4;", "=f,=f,0,1,l" %
llvm.func @several(%x: f32, %y: f32, %a: i64) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async O {$0, $1}, $4;wgmma.mma_async P {$0, $1}, $4;", "=f,=f,0,1,l" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async O {$0, $1}, $4;wgmma.mma_async P {$0, $1}, $4;", "=f,=f,0,1,l" %1, %2, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %3 : !llvm.struct<(f32, f32)>
}

// Assembly that changes more than its results is left alone.
// CHECK-LABEL: llvm.func @clobber(
// CHECK-COUNT-2: "wgmma.mma_async Q {$0, $1}, $4;", "=f,=f,0,1,l,~{memory}" %
llvm.func @clobber(%x: f32, %y: f32, %a: i64) -> !llvm.struct<(f32, f32)> {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async Q {$0, $1}, $4;", "=f,=f,0,1,l,~{memory}" %x, %y, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(f32, f32)>
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async Q {$0, $1}, $4;", "=f,=f,0,1,l,~{memory}" %1, %2, %a
      : (f32, f32, i64) -> !llvm.struct<(f32, f32)>
  llvm.return %3 : !llvm.struct<(f32, f32)>
}
}
