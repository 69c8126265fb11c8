#include "dreamgym/report/grid.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

Grid grid() {
  Grid out;
  out.title = "A table of <this> & that";
  out.command = "dreamgym reproduce";
  out.our_backbone = "ours";
  out.backbones = {"3B", "8B"};
  out.num_seeds = 2;
  GridRow dream;
  dream.method = "GRPO, DreamGym";
  dream.published = {0.621, 0.663};
  dream.published_real = "0";
  dream.seeds = {0.7, 0.8};
  dream.success = {0.75, 0.1, 1.0};
  dream.num_tasks = 500;
  dream.offline_steps = 15123;
  dream.dreamed_steps = 40000;
  dream.tokens = 12.34e6;
  GridRow real = dream;
  real.method = "GRPO, traditional";
  real.online_steps = 1400;
  GridRow open;
  open.method = "DPO";
  out.rows = {dream, real, open};
  out.pairs = {{"GRPO, DreamGym", "GRPO, traditional", {0.01, -0.02}, Interval{-0.005, -0.2, 0.19}, {-0.005, -0.03, 0.02}, 0.00001}};
  out.notes = {"a note"};
  return out;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Grid, MarkdownPutsPublishedAndOwnFiguresSideBySide) {
  const std::string page = grid_markdown(grid());
  EXPECT_TRUE(has(page, "| GRPO, DreamGym | 62.1 / 66.3 | 0 | 75.0 [10.0, 100.0] | 70.0 / 80.0 | 500 |"))
      << page;
  EXPECT_TRUE(has(page, "0 online real steps (experience model saw 15,123 offline transitions)"));
  EXPECT_TRUE(has(page, "1,400 online, 15,123 offline"));
  EXPECT_TRUE(has(page, "| DPO | - | - | not run | - | - | - |"));
  EXPECT_TRUE(has(page, "| +1.0 / -2.0 | -0.5 [-20.0, +19.0] | -0.5 [-3.0, +2.0] | < 0.0001 |")) << page;
}

TEST(Grid, PageHoldsTheSameTablesAndNoForeignMarkup) {
  const std::string page = grid_html(grid());
  EXPECT_TRUE(has(page, "A table of &lt;this&gt; &amp; that"));
  EXPECT_TRUE(has(page, "75.0 [10.0, 100.0]"));
  EXPECT_TRUE(has(page, "<svg role=\"img\""));
  EXPECT_FALSE(has(page, "<script"));
  EXPECT_FALSE(has(page, "http"));
}

TEST(Grid, ChartHasRoomForTheLongestLabel) {
  Grid with = grid();
  with.rows.front().method.assign(60, 'm');
  EXPECT_TRUE(has(grid_html(with), "<text x=\"430\""));
}

TEST(Grid, ShowsCurvesAndTransferWhereTheyWereMeasured) {
  Grid with = grid();
  EXPECT_FALSE(has(grid_markdown(with), "While it trained"));
  with.curves = {{"GRPO, DreamGym", true, {{100, 0, 0.4}, {150, 0, 0.5}, {200, 0, 0.7}}},
                 {"GRPO, traditional", false, {{90, 100, 0.3}, {95, 300, 0.5}, {99, 1400, 0.6}}}};
  with.transfer_world = "webshop";
  with.transfers = {{"SFT, trained there", {0.2, 0.3}, {0.25, 0.1, 0.4}, 50, 0.61}};
  const std::string page = grid_markdown(with);
  EXPECT_TRUE(has(page, "| GRPO, DreamGym | the dream | 40.0 | 70.0 | 100 | 200 | 0 |")) << page;
  EXPECT_TRUE(has(page, "| GRPO, traditional | reality | 30.0 | 60.0 | 90 | 99 | 1,400 |")) << page;
  EXPECT_TRUE(has(page, "**Transfer to webshop: real success there, percent**"));
  EXPECT_TRUE(has(page, "| SFT, trained there | 25.0 [10.0, 40.0] | 20.0 / 30.0 | 50 | 0.610 |")) << page;
  const std::string html = grid_html(with);
  EXPECT_TRUE(has(html, "<polyline class=\"c0 dreamed\""));
  EXPECT_TRUE(has(html, "Over online real steps"));
}

}  // namespace
}  // namespace dreamgym
