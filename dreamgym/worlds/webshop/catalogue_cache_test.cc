#include "dreamgym/worlds/webshop/catalogue_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <thread>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/catalogue_files.h"
#include "dreamgym/worlds/webshop/shop_generator.h"
#include "tests/temporary_folder.h"

namespace dreamgym::webshop {
namespace {

namespace fs = std::filesystem;

class ParsedCatalogue : public testing::Test {
 protected:
  void SetUp() override { write_catalogue(data(), options_); }

  [[nodiscard]] Path data() const { return folder_.path() / "data"; }
  [[nodiscard]] Path cache() const { return folder_.path() / "cache"; }
  [[nodiscard]] Path file() const { return cache_path(data(), cache()); }
  std::shared_ptr<const Catalogue> open() {
    notes_.clear();
    return open_catalogue(data(), {.folder = cache(), .note = [&](std::string_view line) {
                                     notes_ += std::string(line) + "\n";
                                   }});
  }
  void change_byte(std::size_t at, char by = 1) const {
    std::string bytes = read_file(file());
    bytes.at(at) = static_cast<char>(bytes[at] + by);
    write_file(file(), bytes);
  }
  void expect_made_anew(const std::string& why) {
    EXPECT_EQ(open()->size(), options_.num_products);
    EXPECT_TRUE(contains(notes_, why)) << notes_;
    EXPECT_TRUE(contains(notes_, "; it is made anew\n")) << notes_;
    open();
    EXPECT_EQ(notes_, "");
  }

  TemporaryFolder folder_;
  ShopOptions options_{.num_products = 300, .instructions_per_product = 2, .seed = 4};
  std::string notes_;
};

TEST_F(ParsedCatalogue, IsWhatTheFilesSay) {
  const auto first = open();
  EXPECT_TRUE(contains(notes_, "reading the catalogue in ")) << notes_;
  const auto mapped = open();
  EXPECT_EQ(notes_, "");
  const Catalogue read = load_catalogue(data());
  const std::vector<Product> products = generate_products(options_);
  for (const Catalogue* catalogue : {first.get(), mapped.get(), &read}) {
    ASSERT_EQ(catalogue->size(), products.size());
    for (ProductIndex i = 0; i < products.size(); ++i) {
      EXPECT_EQ(catalogue->product(i), products[i]);
      EXPECT_EQ(catalogue->find(products[i].asin), i);
      EXPECT_EQ(catalogue->title(i), products[i].title);
      EXPECT_EQ(catalogue->price_tag(i), products[i].price_tag);
      EXPECT_EQ(catalogue->options(i), products[i].options);
    }
    EXPECT_FALSE(catalogue->find("none"));
  }
  for (const char* query : {"black", "shoes for men", "size 9", "nothing known"}) {
    EXPECT_EQ(mapped->index().search(query, 50), read.index().search(query, 50));
  }
}

TEST_F(ParsedCatalogue, IsMadeAnewWhenAFileChanges) {
  open();
  options_.num_products = 200;
  write_catalogue(data(), options_);
  expect_made_anew("it was made from other files than are there now");
  fs::last_write_time(data() / "items_ins_v2.json",
                      fs::file_time_type::clock::now() + std::chrono::seconds(5));
  expect_made_anew("it was made from other files than are there now");
}

TEST_F(ParsedCatalogue, OfAnotherVersionIsMadeAnew) {
  open();
  change_byte(8);
  expect_made_anew("it is of version 2, expected 1");
}

TEST_F(ParsedCatalogue, CutShortAnywhereIsMadeAnew) {
  open();
  const std::string whole = read_file(file());
  for (const std::size_t size : {std::size_t{0},
                                 std::size_t{7},
                                 std::size_t{16},
                                 std::size_t{60},
                                 whole.size() / 2,
                                 whole.size() - 1}) {
    write_file(file(), std::string_view(whole).substr(0, size));
    expect_made_anew(size < 16 ? "it is no parsed catalogue" : "it is cut short");
  }
}

TEST_F(ParsedCatalogue, WithAnyDamagedByteIsFoundOutAndMadeAnew) {
  open();
  const std::string whole = read_file(file());
  const auto expected = load_catalogue(data());
  std::size_t at_start = 0;
  std::size_t on_touch = 0;
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 60) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    write_file(file(), bytes);
    const auto catalogue = open();
    if (!notes_.empty()) {
      ++at_start;
      continue;
    }
    try {
      for (ProductIndex i = 0; i < catalogue->size(); ++i) {
        ASSERT_EQ(catalogue->product(i), expected.product(i)) << at;
      }
      ASSERT_EQ(catalogue->index().search("black shoes soft", 50),
                expected.index().search("black shoes soft", 50))
          << at;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
      EXPECT_TRUE(contains(error.what(), "the checksum of block ")) << error.what();
      EXPECT_FALSE(fs::exists(file()));
      ++on_touch;
    }
  }
  EXPECT_GT(at_start, 8U);
  EXPECT_GT(on_touch, 8U);
  EXPECT_EQ(open()->size(), options_.num_products);
}

TEST_F(ParsedCatalogue, IsMadeByTwoAtOnceWithoutHarm) {
  std::vector<std::size_t> sizes(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      threads.emplace_back(
          [&, i] { sizes[i] = open_catalogue(data(), {.folder = cache()})->size(); });
    }
  }
  EXPECT_EQ(sizes, std::vector<std::size_t>(4, options_.num_products));
  std::size_t num_files = 0;
  for (const auto& entry : fs::directory_iterator(cache())) {
    EXPECT_EQ(entry.path(), file());
    ++num_files;
  }
  EXPECT_EQ(num_files, 1U);
}

TEST_F(ParsedCatalogue, OfABadFileLeavesNothingBehind) {
  write_file(data() / "items_human_ins.json", "{\"X\": [");
  EXPECT_THROW(open(), Error);
  EXPECT_TRUE(fs::is_empty(cache()));
}

TEST_F(ParsedCatalogue, IsNotKeptIfItIsSmallAndNobodyAsks) {
  EXPECT_EQ(open_catalogue(data())->size(), options_.num_products);
  EXPECT_FALSE(fs::exists(data() / ".dreamgym"));
}

TEST_F(ParsedCatalogue, IsKeptBesideItsFilesOrWhereTheEnvironmentSays) {
  open_catalogue(data(), {.kept_from_bytes = 0});
  EXPECT_TRUE(fs::exists(cache_path(data(), data() / ".dreamgym")));
  fs::remove_all(data() / ".dreamgym");
  write_file(data() / ".dreamgym", "a file stands where the folder should be");
  ASSERT_EQ(::setenv("DREAMGYM_CACHE", cache().c_str(), 1), 0);
  open_catalogue(data(), {.kept_from_bytes = 0});
  EXPECT_TRUE(fs::exists(cache_path(data(), cache() / "webshop")));
  ASSERT_EQ(::unsetenv("DREAMGYM_CACHE"), 0);
  try {
    open_catalogue(data(), {.kept_from_bytes = 0});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), (data() / ".dreamgym").string())) << error.what();
    EXPECT_TRUE(contains(error.what(), "--cache or $DREAMGYM_CACHE")) << error.what();
  }
}

TEST_F(ParsedCatalogue, SaysWhereItCannotBeKept) {
  write_file(cache(), "a file stands here");
  try {
    open();
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), cache().string())) << error.what();
  }
}

}  // namespace
}  // namespace dreamgym::webshop
