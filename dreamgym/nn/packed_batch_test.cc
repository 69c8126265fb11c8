#include "dreamgym/nn/packed_batch.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/internal/segment_plan.h"

namespace dreamgym {
namespace {

const std::vector<TokenId> kFour{7, 8, 9, 10};
const std::vector<TokenId> kTwo{3, 4};

TEST(PackedBatch, LaysSegmentsSideBySide) {
  PackedBatch batch;
  const auto trunk = batch.add_segment(kFour);
  const auto branch = batch.add_segment(kTwo, trunk, 3);
  EXPECT_EQ(batch.tokens, (std::vector<TokenId>{7, 8, 9, 10, 3, 4}));
  EXPECT_EQ(batch.segments[branch].begin, 4U);
  EXPECT_EQ(batch.segments[branch].end, 6U);
}

TEST(PackedBatch, AsksForATokenGivenTheOneBefore) {
  PackedBatch batch;
  const auto trunk = batch.add_segment(kFour);
  batch.add_query(trunk, 2, 0.5F);
  EXPECT_EQ(batch.queries[0].source, 1U);
  EXPECT_EQ(batch.queries[0].target, 9);
  EXPECT_EQ(batch.queries[0].temperature, 0.5F);
}

TEST(PackedBatch, AsksForABranchesFirstTokenGivenTheParentsLastVisible) {
  PackedBatch batch;
  const auto trunk = batch.add_segment(kFour);
  const auto branch = batch.add_segment(kTwo, trunk, 3);
  batch.add_query(branch, 0);
  EXPECT_EQ(batch.queries[0].source, 2U);
  EXPECT_EQ(batch.queries[0].target, 3);
}

TEST(PackedBatch, KeepsTheAllowedIdsOfEachQuery) {
  PackedBatch batch;
  const auto trunk = batch.add_segment(kFour);
  batch.add_query(trunk, 1, 1.0F, kFour);
  batch.add_query(trunk, 2, 1.0F, std::vector<TokenId>{9});
  EXPECT_EQ(batch.queries[1].allowed_begin, 4U);
  EXPECT_EQ(batch.queries[1].allowed_end, 5U);
  EXPECT_EQ(batch.allowed.back(), 9);
}

TEST(PackedBatch, TakesABrokenSegmentForABug) {
  PackedBatch batch;
  EXPECT_THROW(batch.add_segment({}), LogicError);
  EXPECT_THROW(batch.add_segment(kTwo, 0, 1), LogicError);
  const auto trunk = batch.add_segment(kTwo);
  EXPECT_THROW(batch.add_segment(kTwo, trunk, 0), LogicError);
  EXPECT_THROW(batch.add_segment(kTwo, trunk, 3), LogicError);
}

TEST(PackedBatch, TakesAQueryNothingPredictsForABug) {
  PackedBatch batch;
  const auto trunk = batch.add_segment(kTwo);
  EXPECT_THROW(batch.add_query(trunk, 0), LogicError);
  EXPECT_THROW(batch.add_query(trunk, 2), LogicError);
  EXPECT_THROW(batch.add_query(trunk, 1, 0.0F), LogicError);
}

TEST(SegmentPlan, FollowsTheChainOfAncestors) {
  PackedBatch batch;
  const auto trunk = batch.add_segment(kFour);
  const auto branch = batch.add_segment(kTwo, trunk, 3);
  batch.add_segment(kTwo, branch, 1);
  const auto plan = internal::plan_segments(batch, 16);
  EXPECT_EQ(plan.position, (std::vector<std::int32_t>{0, 1, 2, 3, 3, 4, 4, 5}));
  EXPECT_EQ(plan.predecessor, (std::vector<std::int32_t>{8, 0, 1, 2, 2, 4, 4, 6}));
  EXPECT_EQ(plan.segments[2].num_context_tokens, 4U);
  const auto context = plan.context(plan.segments[2]);
  ASSERT_EQ(context.size(), 2U);
  EXPECT_EQ(context[0].begin, 0U);
  EXPECT_EQ(context[0].end, 3U);
  EXPECT_EQ(context[1].begin, 4U);
  EXPECT_EQ(context[1].end, 5U);
}

TEST(SegmentPlan, NamesEachTokenQueriesReadOnce) {
  PackedBatch batch;
  const auto trunk = batch.add_segment(kFour);
  const auto branch = batch.add_segment(kTwo, trunk, 2);
  batch.add_query(branch, 0);
  batch.add_query(trunk, 2);
  batch.add_query(trunk, 1);
  EXPECT_EQ(internal::query_sources(batch), (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace dreamgym
