//===- ViewTest.cpp - digits of views by their roles ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ViewLookup.h"

#include "mlir/AsmParser/AsmParser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::conv;

namespace {

class ViewTest : public testing::Test {
protected:
  ViewTest() { context.loadDialect<ConvDialect>(); }

  ViewAttr parse(StringRef text) {
    return dyn_cast_or_null<ViewAttr>(parseAttribute(text.trim(), &context));
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

/// Windows of 3 x 2 elements over two groups of 4 channels: stride 2 and
/// dilation 3, with padding 1, along the last dimension.
constexpr StringLiteral kWindows = R"(
  #conv.view<batch = [g = 2], rows = [n = 8, p = 5, q = 7],
    columns = [r = 3, s = 2, c = 4],
    map = affine_map<(g, n, p, q, r, s, c) ->
                     (n, p + r, q * 2 + s * 3 - 1, g * 4 + c)>>)";

TEST_F(ViewTest, FindsDigits) {
  ViewAttr view = parse(kWindows);
  ASSERT_TRUE(view);
  EXPECT_EQ(view.find('g'), 0u);
  EXPECT_EQ(view.find('q'), 3u);
  EXPECT_EQ(view.find('c'), 6u);
  EXPECT_EQ(view.find('k'), std::nullopt);
  EXPECT_EQ(view.find({'p', DigitPart::Tile}), std::nullopt);
  EXPECT_EQ(view.getSize('g'), 2);
  EXPECT_EQ(view.getSize('q'), 7);
  EXPECT_EQ(view.getSize('c'), 4);
  EXPECT_EQ(view.getSize('k'), 1);
  EXPECT_EQ(view.getBatchRoles(), ArrayRef<DigitRole>({'g'}));
  EXPECT_EQ(view.getRowRoles(), ArrayRef<DigitRole>({'n', 'p', 'q'}));
  EXPECT_EQ(view.getColumnRoles(), ArrayRef<DigitRole>({'r', 's', 'c'}));
  EXPECT_EQ(findChannel(view.getColumnRoles()), 2u);
  EXPECT_EQ(findChannel(view.getRowRoles()), std::nullopt);
}

TEST_F(ViewTest, SaysHowAWindowMoves) {
  ViewAttr view = parse(kWindows);
  auto coordinates = view.getCoordinates();
  ViewAttr::Window vertical = view.getWindow(coordinates[1], 1);
  EXPECT_EQ(vertical.position, DigitRole('p'));
  EXPECT_EQ(vertical.stride, 1);
  EXPECT_EQ(vertical.dilation, 1);
  EXPECT_EQ(vertical.low, 0);
  ViewAttr::Window horizontal = view.getWindow(coordinates[2], 2);
  EXPECT_EQ(horizontal.tap, DigitRole('s'));
  EXPECT_EQ(horizontal.stride, 2);
  EXPECT_EQ(horizontal.dilation, 3);
  EXPECT_EQ(horizontal.low, 1);
  // There is no third dimension.
  EXPECT_EQ(view.getWindow(coordinates[1], 0).stride, 0);

  // The gradient of the input moves in the other direction.
  ViewAttr backward = parse(R"(
    #conv.view<batch = [g = 1], rows = [n = 1, w = 9], columns = [s = 2, k = 4],
      map = affine_map<(g, n, w, s, k) -> (n, w - s * 3 + 1, k)>>)");
  ViewAttr::Window window = backward.getWindow(backward.getCoordinates()[1], 2);
  EXPECT_EQ(window.position, DigitRole('w'));
  EXPECT_EQ(window.dilation, -3);
  EXPECT_EQ(window.low, -1);
}

TEST_F(ViewTest, SaysWhatMovesACoordinate) {
  ViewAttr view = parse(kWindows);
  auto coordinates = view.getCoordinates();
  EXPECT_EQ(view.getCoefficient(coordinates[3], 'g'), 4);
  EXPECT_EQ(view.getCoefficient(coordinates[3], 'n'), 0);
  EXPECT_EQ(view.getCoefficient(coordinates[3], 'k'), 0);
  EXPECT_TRUE(view.isOnlyMovedBy(coordinates[3], {'g', 'c'}));
  EXPECT_FALSE(view.isOnlyMovedBy(coordinates[3], DigitRole('c')));
  EXPECT_TRUE(view.isOnlyMovedBy(coordinates[0], {'n', 'k'}));
}

// Digits without a role have no name.
TEST_F(ViewTest, DigitsNeedNoRole) {
  ViewAttr view = parse("#conv.view<batch = [2], rows = [3], columns = [4], "
                        "map = affine_map<(b, m, k) -> (b, m, k)>>");
  ASSERT_TRUE(view);
  EXPECT_TRUE(view.getRoles().empty());
  EXPECT_TRUE(view.getRowRoles().empty());
  EXPECT_EQ(view.find('n'), std::nullopt);
  EXPECT_EQ(view.find(DigitRole()), std::nullopt);
  EXPECT_FALSE(view.isOnlyMovedBy(view.getCoordinates()[1], DigitRole()));

  ViewAttr some = parse("#conv.view<batch = [2], rows = [n = 3, 5], columns = "
                        "[4], map = affine_map<(b, n, m, k) -> (b, n, m, k)>>");
  ASSERT_TRUE(some);
  EXPECT_EQ(some.find('n'), 1u);
  EXPECT_EQ(some.find(DigitRole()), std::nullopt);
  EXPECT_FALSE(some.isOnlyMovedBy(some.getCoordinates()[2], DigitRole()));
}

TEST_F(ViewTest, RolesAreOfAllDigits) {
  // V5.
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  Location loc = UnknownLoc::get(&context);
  SmallVector<int64_t> sizes = {2}, limits;
  SmallVector<DigitRole> roles = {'n'};
  EXPECT_TRUE(failed(
      ViewAttr::verify([&] { return emitError(loc); }, sizes, sizes, sizes,
                       roles, AffineMap::getMultiDimIdentityMap(3, &context),
                       limits, PaddingMode::Zeros)));
  EXPECT_EQ(message, "expects 3 roles of digits, but got 1");
}

// Every name of the table is read as it is written; no other name is.
TEST(DigitRoleTest, HasOneName) {
  for (StringRef name :
       {"g",      "n",       "c",       "k",      "d",       "h",
        "w",      "t",       "r",       "s",      "z",       "p",
        "q",      "p.split", "c.split", "w.tile", "z.block", "q.in",
        "k.tile", "c.in",    "h.phase", "d.gap",  "g.left",  "g.right"}) {
    std::optional<DigitRole> role = DigitRole::parse(name);
    ASSERT_TRUE(role) << name.str();
    EXPECT_EQ(role->str(), name);
  }
  for (StringRef name : {"", "P", "m", "p.", "p.part", "pq", "n.tile",
                         "c.block", "r.in", "p.phase", "g.split", "c.left"})
    EXPECT_FALSE(DigitRole::parse(name)) << name.str();
}

TEST(DigitRoleTest, HasAnAxis) {
  for (auto [axis, letters] :
       llvm::enumerate(std::array<StringRef, 3>{"dzt", "hpr", "wqs"}))
    for (char letter : letters)
      EXPECT_EQ(DigitRole(letter).getAxis(), axis);
  EXPECT_TRUE(DigitRole('w').isPosition());
  EXPECT_TRUE(DigitRole('p', DigitPart::Tile).isPosition());
  EXPECT_FALSE(DigitRole('n').isPosition());
  EXPECT_FALSE(DigitRole().isPosition());
  EXPECT_TRUE(DigitRole('k').isChannel());
  EXPECT_FALSE(DigitRole('g').isChannel());
}

/// The tensor of `kWindows`, with every second row in memory unused.
ViewedTensor getImages(ViewAttr view) {
  auto type =
      RankedTensorType::get({8, 7, 16, 8}, Float32Type::get(view.getContext()));
  return {view, type, {1792, 256, 8, 1}};
}

TEST_F(ViewTest, FindsWhatMovesACoordinate) {
  ViewAttr view = parse(kWindows);
  auto coordinates = view.getCoordinates();
  EXPECT_EQ(getMovingRoles(view, coordinates[2]),
            SmallVector<DigitRole>({'q', 's'}));
  EXPECT_TRUE(isCountedBy(view, coordinates[0], 'n'));
  EXPECT_FALSE(isCountedBy(view, coordinates[1], 'p')); // So does r.
  EXPECT_FALSE(isCountedBy(view, coordinates[0], 'k'));
  EXPECT_EQ(findDimension(getImages(view), 'n'), 0u);
  EXPECT_EQ(findDimension(getImages(view), 'c'), std::nullopt);
}

// A digit of one value moves nothing, but gives the coordinate's value.
TEST_F(ViewTest, DigitsOfOneValueMoveNothing) {
  ViewAttr view = parse(R"(
    #conv.view<batch = [g = 1], rows = [n = 2], columns = [r = 1, c = 1],
      map = affine_map<(g, n, r, c) -> (n + r, g + c)>>)");
  auto coordinates = view.getCoordinates();
  EXPECT_EQ(getMovingRoles(view, coordinates[0]),
            SmallVector<DigitRole>{DigitRole('n')});
  EXPECT_TRUE(getMovingRoles(view, coordinates[1]).empty());
  EXPECT_TRUE(isCountedBy(view, coordinates[0], 'n'));
  EXPECT_TRUE(isCountedBy(view, coordinates[1], 'c'));
}

TEST_F(ViewTest, MeasuresDistancesInMemory) {
  ViewedTensor images = getImages(parse(kWindows));
  EXPECT_EQ(getDistances(images),
            SmallVector<int64_t>({4, 1792, 256, 16, 256, 24, 1}));
  EXPECT_EQ(getDistance(images, 'q'), 16);
  EXPECT_EQ(getDistance(images, 'k'), 0);
  EXPECT_EQ(getStart(images), -8);
}

// Only the condition of the first view concerns the last dimension.
TEST_F(ViewTest, ClipsWhatIsOutsideOfTheTensor) {
  auto isClippedTo = [&](StringRef limit) {
    ViewAttr view = parse(("#conv.view<batch = [], rows = [n = 4], "
                           "columns = [c = 8], map = affine_map<(n, c) -> "
                           "(n, c, c)>, limits = [" +
                           limit + "]>")
                              .str());
    auto type = RankedTensorType::get({4, 6}, Float32Type::get(&context));
    return view && isClipped({view, type, {6, 1}});
  };
  EXPECT_TRUE(isClippedTo("6"));
  EXPECT_FALSE(isClippedTo("5"));
}

} // namespace
