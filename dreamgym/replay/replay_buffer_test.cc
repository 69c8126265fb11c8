#include "dreamgym/replay/replay_buffer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

std::shared_ptr<const Embedder> embedder() {
  return std::make_shared<HashedNgramEmbedder>();
}

StoredTransition step(const std::string& state,
                      const std::string& action,
                      const std::string& episode,
                      Provenance provenance = Provenance::kReal) {
  StoredTransition record;
  record.world = "toy";
  record.split = "train";
  record.episode_id = episode;
  record.provenance = provenance;
  record.transition.observation.text = state;
  record.transition.action = action;
  record.transition.next_observation.text = "after " + action;
  return record;
}

std::vector<std::string> episodes(const std::vector<ReplayHit>& hits) {
  std::vector<std::string> ids;
  for (const auto& hit : hits) {
    ids.push_back(hit.record->episode_id);
  }
  return ids;
}

// A small house of random moves, with repetitions, dreams and two worlds.
std::vector<StoredTransition> random_records(Rng& rng, std::size_t count) {
  std::vector<StoredTransition> records;
  for (std::size_t i = 0; i < count; ++i) {
    auto record = step(fmt::format("You are at desk {}", rng.below(6)),
                       fmt::format("take mug {}", rng.below(6)),
                       fmt::format("e{}", rng.below(12)),
                       rng.below(3) == 0 ? Provenance::kDreamed : Provenance::kReal);
    record.world = rng.below(4) == 0 ? "other" : "toy";
    record.split = rng.below(6) == 0 ? "valid_seen" : "train";
    record.instruction = fmt::format("task {}", rng.below(3));
    record.id = content_id(record);
    records.push_back(record);
  }
  return records;
}

// An episode of one look at a drawer, in a room that begins with `opening`.
std::vector<StoredTransition> look(const std::string& opening,
                                   const std::string& episode,
                                   const std::string& contents,
                                   Provenance provenance = Provenance::kReal) {
  std::vector<StoredTransition> records = {step(opening, "look around", episode, provenance),
                                           step("You look around.", "open drawer 1", episode, provenance)};
  records[1].step_index = 1;
  records[1].transition.next_observation.text = contents;
  return records;
}

TEST(ReplayBuffer, PrefersWhatTheSameActionReallyLedToInTheSamePlace) {
  ReplayBuffer buffer(embedder());
  buffer.add(look("Room one.", "e1", "A mug 1."));
  buffer.add(look("Room two.", "e2", "A pen 1."));
  buffer.add(look("Room two.", "e3", "A dreamed cup 1.", Provenance::kDreamed));
  // The state is exactly that of a step in room one's drawer; the place is room two.
  ReplayQuery query{"You look around.", "open drawer 1", "toy", "", "Room two."};
  auto hits = buffer.search(std::span(&query, 1), {.k = 2})[0];
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].record->episode_id, "e2");
  EXPECT_EQ(hits[0].similarity, 1.0);
  EXPECT_EQ(hits[1].record->episode_id, "e1");
  query.episode_id = "e2";  // never the own episode
  EXPECT_EQ(buffer.search(std::span(&query, 1), {.k = 1})[0][0].record->episode_id, "e1");
  query.episode_id.clear();
  query.opening.clear();
  EXPECT_EQ(buffer.search(std::span(&query, 1), {.k = 1})[0][0].record->episode_id, "e1");
}

TEST(ReplayBuffer, OffersAPoolOnlyWhereTheSamePlaceDoesNotAnswer) {
  ReplayBuffer buffer(embedder());
  buffer.add(look("Room one.", "e1", "A mug 1."));
  buffer.add(look("Room two.", "e2", "A pen 1."));
  buffer.add(look("Room three.", "e3", "A cup 1."));
  const auto offered = [&](const std::string& opening, SearchOptions options) {
    const ReplayQuery query{
        .state = "You look around.", .action = "open drawer 1", .world = {}, .episode_id = {}, .opening = opening};
    return episodes(buffer.search(std::span(&query, 1), options).front());
  };
  EXPECT_EQ(offered("Room two.", {.k = 1, .pool = 3}), (std::vector<std::string>{"e2"}));
  EXPECT_EQ(offered("Room two.", {.k = 2, .pool = 3}).front(), "e2") << "the place first";
  EXPECT_EQ(offered("Room two.", {.k = 2, .pool = 3}).size(), 3U);
  EXPECT_EQ(offered("Room four.", {.k = 1, .pool = 3}), offered("Room four.", {.k = 3}));
  EXPECT_EQ(offered("Room four.", {.k = 2, .pool = 1}), offered("Room four.", {.k = 2}));
  EXPECT_EQ(offered("Room four.", {.k = 1, .pool = 3, .most_dreamed = 0}).size(), 3U);
}

TEST(ReplayBuffer, FindsTheMostSimilarFirst) {
  ReplayBuffer buffer(embedder());
  buffer.add(std::vector{step("You are at desk 1.", "open drawer 1", "a"),
                         step("You are at desk 1.", "take mug 1", "b"),
                         step("You are at fridge 1.", "heat egg 1", "c")});
  const std::vector<ReplayQuery> queries = {
      {.state = "You are at desk 1.", .action = "take mug 1", .world = {}, .episode_id = {}},
      {.state = "You are at fridge 1.", .action = "heat egg 2", .world = {}, .episode_id = {}}};
  const auto hits = buffer.search(queries, {.k = 2});
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(episodes(hits[0]), (std::vector<std::string>{"b", "a"}));
  EXPECT_NEAR(hits[0][0].similarity, 1.0, 1e-5);
  EXPECT_LT(hits[0][1].similarity, 0.9);
  EXPECT_EQ(episodes(hits[1])[0], "c");
  EXPECT_EQ(hits[0][0].record, buffer.find(hits[0][0].record->id));
}

TEST(ReplayBuffer, NeverReturnsTheQuerysOwnEpisode) {
  ReplayBuffer buffer(embedder());
  buffer.add(std::vector{step("here", "look", "own"), step("there", "go", "other")});
  const std::vector<ReplayQuery> queries = {
      {.state = "here", .action = "look", .world = {}, .episode_id = "own"}};
  EXPECT_EQ(episodes(buffer.search(queries)[0]), std::vector<std::string>{"other"});
}

TEST(ReplayBuffer, OffersTheSameContentFromAnotherEpisode) {
  ReplayBuffer buffer(embedder());
  buffer.add(std::vector{step("here", "look", "first"), step("here", "look", "second")});
  EXPECT_EQ(buffer.size(), 1U);
  const auto ask = [&](const std::string& own) {
    const std::vector<ReplayQuery> queries = {
        {.state = "here", .action = "look", .world = {}, .episode_id = own}};
    return episodes(buffer.search(queries)[0]);
  };
  EXPECT_EQ(ask("first"), std::vector<std::string>{"second"});
  EXPECT_EQ(ask("second"), std::vector<std::string>{"first"});
  EXPECT_EQ(ask(""), std::vector<std::string>{"first"});
}

TEST(ReplayBuffer, TakesInNothingOfAHeldOutSplit) {
  ReplayBuffer buffer(embedder());
  auto secret = step("here", "look", "exam");
  secret.split = "valid_unseen";
  const auto report = buffer.add(std::vector{secret, step("here", "wait", "a")});
  EXPECT_EQ(report.held_out, 1U);
  EXPECT_EQ(report.added, 1U);
  const std::vector<ReplayQuery> queries = {
      {.state = "here", .action = "look", .world = {}, .episode_id = {}}};
  EXPECT_EQ(episodes(buffer.search(queries)[0]), std::vector<std::string>{"a"});
}

TEST(ReplayBuffer, PutsRealBeforeDreamedAtEqualSimilarity) {
  ReplayBuffer buffer(embedder());
  auto dream = step("here", "look", "dream", Provenance::kDreamed);
  dream.transition.next_observation.text = "something else";
  buffer.add(std::vector{dream});
  buffer.add(std::vector{step("here", "look", "real")});
  const std::vector<ReplayQuery> queries = {
      {.state = "here", .action = "look", .world = {}, .episode_id = {}}};
  EXPECT_EQ(episodes(buffer.search(queries)[0]), (std::vector<std::string>{"real", "dream"}));
  const SearchOptions real_only{.include_dreamed = false};
  EXPECT_EQ(episodes(buffer.search(queries, real_only)[0]), std::vector<std::string>{"real"});
}

TEST(ReplayBuffer, ReturnsOneOfSeveralThatShowTheSame) {
  ReplayBuffer buffer(embedder());
  auto other_task = step("here", "look", "b");
  other_task.instruction = "another task";
  buffer.add(std::vector{step("here", "look", "a"), other_task, step("there", "go", "c")});
  EXPECT_EQ(buffer.size(), 3U);
  const std::vector<ReplayQuery> queries = {
      {.state = "here", .action = "look", .world = {}, .episode_id = {}},
      {.state = "here", .action = "look", .world = {}, .episode_id = "a"}};
  const auto hits = buffer.search(queries, {.k = 3});
  EXPECT_EQ(episodes(hits[0]), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(episodes(hits[1]), (std::vector<std::string>{"b", "c"}));
}

TEST(ReplayBuffer, KeepsEveryPromiseOnRandomContents) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    ReplayBuffer buffer(embedder(), {.dreamed_capacity = 20});
    const auto records = random_records(rng, 150);
    buffer.add(records);
    EXPECT_LE(buffer.num_dreamed(), 20U);
    EXPECT_EQ(buffer.num_real() + buffer.num_dreamed(), buffer.size());
    std::vector<ReplayQuery> queries;
    for (std::size_t i = 0; i < records.size(); i += 7) {
      queries.push_back({.state = records[i].transition.observation.text,
                         .action = records[i].transition.action,
                         .world = records[i].world,
                         .episode_id = records[i].episode_id});
    }
    const auto results = buffer.search(queries, {.k = 9, .num_threads = 2});
    for (std::size_t i = 0; i < queries.size(); ++i) {
      std::set<std::uint64_t> shown;
      double last = 2;
      for (const auto& hit : results[i]) {
        EXPECT_NE(hit.record->episode_id, queries[i].episode_id);
        EXPECT_EQ(hit.record->world, queries[i].world);
        EXPECT_EQ(hit.record->split, "train");
        EXPECT_TRUE(shown.insert(demonstration_hash(hit.record->transition)).second);
        EXPECT_LE(hit.similarity, last);
        last = hit.similarity;
      }
    }
  }
}

TEST(ReplayBuffer, OffersAtMostSoManyDreamsAndRealOnesFirst) {
  ReplayBuffer buffer(embedder());
  std::vector<StoredTransition> records;
  for (int i = 0; i < 4; ++i) {
    records.push_back(step("You are at desk 1", "take mug 1", fmt::format("d{}", i), Provenance::kDreamed));
    records.back().transition.next_observation.text = fmt::format("dream {}", i);
    records.push_back(step("You are at desk 1", "take the mug 1", fmt::format("r{}", i)));
    records.back().transition.next_observation.text = fmt::format("real {}", i);
  }
  (void)buffer.add(records);
  const ReplayQuery query{.state = "You are at desk 1", .action = "take mug 1", .world = "toy", .episode_id = "", .opening = ""};
  const auto dreams_in = [&](std::optional<std::size_t> most) {
    std::size_t dreams = 0;
    const auto hits = buffer.search(std::span(&query, 1), {.k = 4, .most_dreamed = most});
    for (const auto& hit : hits.front()) {
      dreams += hit.record->provenance == Provenance::kDreamed ? 1 : 0;
    }
    return dreams;
  };
  EXPECT_EQ(dreams_in(std::nullopt), 4U) << "the dreams are more similar";
  EXPECT_EQ(dreams_in(1), 1U);
  EXPECT_EQ(dreams_in(0), 0U);
}

TEST(ReplayBuffer, FiltersBySimilaritySplitPolicyAndAge) {
  ReplayBuffer buffer(embedder());
  std::vector<StoredTransition> records = {step("You are at desk 1", "take mug 1", "a"),
                                           step("qqq", "zzz", "b"),
                                           step("You are at desk 1", "take mug 2", "c", Provenance::kDreamed),
                                           step("You are at desk 1", "take mug 3", "d", Provenance::kDreamed)};
  records[0].split = "other";
  records[2].policy_version = "old";
  records[3].policy_version = "new";
  (void)buffer.add(records);
  const ReplayQuery query{.state = "You are at desk 1", .action = "take mug 1", .world = "", .episode_id = "", .opening = ""};
  const auto found = [&](SearchOptions options) {
    options.k = 4;
    auto ids = episodes(buffer.search(std::span(&query, 1), options).front());
    std::ranges::sort(ids);
    return ids;
  };
  EXPECT_EQ(found({.min_similarity = 0.5}), (std::vector<std::string>{"a", "c", "d"}));
  EXPECT_EQ(found({.split = "other"}), (std::vector<std::string>{"a"}));
  EXPECT_EQ(found({.policy_version = "new"}), (std::vector<std::string>{"a", "b", "d"}));
  EXPECT_EQ(found({.max_age = 1}), (std::vector<std::string>{"a", "b", "d"})) << "real ones never age";
}

TEST(ReplayBuffer, ChoosesUnlikeOnesWhereDiversityIsAskedFor) {
  ReplayBuffer buffer(embedder());
  std::vector<StoredTransition> records;
  for (int i = 0; i < 3; ++i) {
    records.push_back(step("You are at desk 1", "take mug 1", fmt::format("same{}", i)));
    records.back().transition.next_observation.text = fmt::format("You pick up the mug, {}.", i);
  }
  records.push_back(step("You are at desk 1", "open drawer 1", "unlike"));
  (void)buffer.add(records);
  const ReplayQuery query{.state = "You are at desk 1", .action = "take mug 1", .world = "", .episode_id = "", .opening = ""};
  EXPECT_EQ(episodes(buffer.search(std::span(&query, 1), {.k = 2}).front()), (std::vector<std::string>{"same0", "same1"}));
  EXPECT_EQ(episodes(buffer.search(std::span(&query, 1), {.k = 2, .diversity = 0.7}).front()),
            (std::vector<std::string>{"same0", "unlike"}));
}

TEST(ReplayBuffer, CanBeSearchedWhileItGrows) {
  Rng rng(4);
  ReplayBuffer buffer(embedder());
  const auto records = random_records(rng, 600);
  (void)buffer.add(std::span(records).first(100));
  std::atomic<bool> done{false};
  std::jthread writer([&] {
    for (std::size_t i = 100; i < records.size(); i += 20) {
      (void)buffer.add(std::span(records).subspan(i, 20));
    }
    done = true;
  });
  const ReplayQuery query{.state = "You are at desk 1", .action = "take mug 1", .world = "toy", .episode_id = "", .opening = ""};
  while (!done) {
    const auto hits = buffer.search(std::span(&query, 1), {.k = 4});
    for (const auto& hit : hits.front()) {
      EXPECT_EQ(hit.record->world, "toy");
    }
    EXPECT_GE(buffer.size(), buffer.num_dreamed());
  }
}

class ReplayBufferFile : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() /
            ("buffer_test_" + std::to_string(getpid()) + ".sqlite");
    TearDown();
  }
  void TearDown() override {
    for (const char* suffix : {"", "-wal", "-shm", ".hnsw"}) {
      std::filesystem::remove(file_.string() + suffix);
    }
  }
  std::filesystem::path file_;
};

void expect_same(const ReplayBuffer& one, const ReplayBuffer& two) {
  const auto left = one.records();
  const auto right = two.records();
  ASSERT_EQ(left.size(), right.size());
  std::vector<ReplayQuery> queries;
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(*left[i], *right[i]);
    queries.push_back({.state = left[i]->transition.observation.text,
                       .action = left[i]->transition.action,
                       .world = {},
                       .episode_id = left[i]->episode_id});
  }
  const auto of_one = one.search(queries);
  const auto of_two = two.search(queries);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ASSERT_EQ(of_one[i].size(), of_two[i].size());
    for (std::size_t j = 0; j < of_one[i].size(); ++j) {
      EXPECT_EQ(*of_one[i][j].record, *of_two[i][j].record);
      EXPECT_EQ(of_one[i][j].similarity, of_two[i][j].similarity);
    }
  }
}

TEST_F(ReplayBufferFile, IsTheSameInMemoryAndReopened) {
  Rng rng(5);
  const ReplayBufferOptions options{.dreamed_capacity = 12};
  ReplayBuffer memory(embedder(), options);
  {
    ReplayBuffer stored(embedder(), file_, options);
    for (int i = 0; i < 5; ++i) {
      const auto records = random_records(rng, 40);
      memory.add(records);
      stored.add(records);
    }
    expect_same(memory, stored);
  }
  const ReplayBuffer reopened(embedder(), file_, options);
  expect_same(memory, reopened);
}

TEST_F(ReplayBufferFile, GoesBackToAMarkAndOnFromThereAsIfNothingHadHappened) {
  Rng rng(6);
  const ReplayBufferOptions options{.dreamed_capacity = 12};
  const auto first = random_records(rng, 60);
  const auto second = random_records(rng, 60);
  ReplayBuffer straight(embedder(), options);
  straight.add(first);
  straight.add(second);
  ReplayBuffer resumed(embedder(), file_, options);
  resumed.add(first);
  const auto mark = resumed.mark();
  resumed.add(random_records(rng, 60));
  resumed.roll_back_to(mark);
  resumed.add(second);
  expect_same(straight, resumed);
}

// Written by one process, grown and rolled back without it, opened again: the index follows the store.
TEST_F(ReplayBufferFile, KeepsAnApproximateIndexInStepWithTheStore) {
  Rng rng(11);
  ReplayBufferOptions options;
  options.index = IndexKind::kHnsw;
  options.approximate.first_build = 50;
  options.dreamed_capacity = 30;
  const auto records = random_records(rng, 400);
  const auto first_half = std::span(records).first(200);
  {
    ReplayBuffer buffer(embedder(), file_, options);
    (void)buffer.add(first_half);
    buffer.save_index();
    EXPECT_TRUE(std::filesystem::exists(buffer.index_file()));
  }
  {
    ReplayBufferOptions exact = options;
    exact.index = IndexKind::kExact;
    ReplayBuffer buffer(embedder(), file_, exact);
    const auto mark = buffer.mark();
    (void)buffer.add(std::span(records).subspan(200));
    buffer.roll_back_to(mark);
    (void)buffer.add(std::span(records).subspan(300));
  }
  ReplayBuffer reopened(embedder(), file_, options);
  EXPECT_EQ(reopened.index_note(), "");
  ReplayBufferOptions exact = options;
  exact.index = IndexKind::kExact;
  const ReplayBuffer truth(embedder(), file_, exact);
  const auto all = truth.records();
  ASSERT_EQ(reopened.size(), all.size());
  std::size_t same = 0;
  for (const auto& record : all) {
    const ReplayQuery query{.state = record->transition.observation.text, .action = record->transition.action, .world = record->world, .episode_id = "", .opening = ""};
    const auto found = reopened.search(std::span(&query, 1), {.k = 3}).front();
    const auto expected = truth.search(std::span(&query, 1), {.k = 3}).front();
    ASSERT_EQ(found.size(), expected.size());
    // Many are equally similar, so what is compared is how similar.
    same += std::ranges::equal(found, expected, [](const ReplayHit& a, const ReplayHit& b) { return std::abs(a.similarity - b.similarity) < 1e-5; }) ? 1 : 0;
  }
  EXPECT_GE(same * 100, all.size() * 95);

  write_file(reopened.index_file(), "no index\n");
  const ReplayBuffer rebuilt(embedder(), file_, options);
  EXPECT_NE(rebuilt.index_note().find("built anew"), std::string::npos) << rebuilt.index_note();
  EXPECT_EQ(rebuilt.size(), all.size());
}

}  // namespace
}  // namespace dreamgym
