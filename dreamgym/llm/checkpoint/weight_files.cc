#include "dreamgym/llm/checkpoint/weight_files.h"

#include <fmt/format.h>

#include <set>

#include "dreamgym/llm/internal/json_fields.h"

namespace dreamgym {
namespace {

constexpr const char* kStem = "model";

/// Shard by array name. @throws Error kParse.
std::map<std::string, std::string> read_index(const Path& path) {
  const nlohmann::json json = parse_object(read_file(path), path.string());
  auto shards = field_of<std::map<std::string, std::string>>(json, path.string(), "weight_map");
  for (const auto& [name, shard] : shards) {
    if (shard.empty() || shard.find('/') != std::string::npos || shard.starts_with('.')) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}: \"{}\" lies in \"{}\", expected a file beside the index",
                              path.string(),
                              shorten(name, 80),
                              shorten(shard, 80)));
    }
  }
  return shards;
}

void check_index(const std::map<std::string, std::string>& shards,
                 const std::map<std::string, WeightFiles::Entry>& arrays,
                 const Path& folder,
                 const Path& index) {
  for (const auto& [name, shard] : shards) {
    const auto found = arrays.find(name);
    if (found == arrays.end() || found->second.file != (folder / shard).string()) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}: says that \"{}\" is in {}, which does not hold it",
                              index.string(),
                              shorten(name, 80),
                              shard));
    }
  }
  for (const auto& [name, entry] : arrays) {
    if (!shards.contains(name)) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}: does not name \"{}\", which is in {}",
                              index.string(),
                              shorten(name, 80),
                              entry.file));
    }
  }
}

std::string shard_name(std::size_t number, std::size_t count) {
  return fmt::format("{}-{:05}-of-{:05}.safetensors", kStem, number, count);
}

bool is_model_file(const std::string& name) {
  return name.starts_with(kStem) &&
         (name.ends_with(".safetensors") || name.ends_with(".safetensors.index.json"));
}

using Sources = std::map<std::string, ArraySource>;

/// Arrays in order, as many to a shard as fit; at least one.
std::vector<Sources> split_shards(const Sources& arrays,
                                  NumberType type,
                                  std::size_t max_shard_bytes) {
  std::vector<Sources> shards(1);
  std::size_t used = 0;
  for (const auto& [name, array] : arrays) {
    const std::size_t size = num_values(array.shape) * bytes_per_value(type);
    if (!shards.back().empty() && used + size > max_shard_bytes) {
      shards.emplace_back();
      used = 0;
    }
    shards.back().emplace(name, array);
    used += size;
  }
  return shards;
}

std::string index_text(const std::vector<Sources>& shards, NumberType type) {
  nlohmann::ordered_json index;
  std::size_t total = 0;
  index["metadata"]["total_size"] = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    for (const auto& [name, array] : shards[i]) {
      index["weight_map"][name] = shard_name(i + 1, shards.size());
      total += num_values(array.shape) * bytes_per_value(type);
    }
  }
  index["metadata"]["total_size"] = total;
  return index.dump(2) + "\n";
}

}  // namespace

WeightFiles::WeightFiles(const Path& folder, const std::string& stem) {
  const Path single = folder / (stem + ".safetensors");
  const Path index = folder / (stem + ".safetensors.index.json");
  if (std::filesystem::exists(single) || !std::filesystem::exists(index)) {
    add(single);
    return;
  }
  const auto shards = read_index(index);
  std::set<std::string> names;
  for (const auto& [name, shard] : shards) {
    names.insert(shard);
  }
  for (const std::string& name : names) {
    add(folder / name);
  }
  check_index(shards, arrays_, folder, index);
}

void WeightFiles::add(const Path& path) {
  const MappedFile& file = files_.emplace_back(path);
  Safetensors read = read_safetensors(file.bytes(), path.string());
  for (auto& [name, array] : read.arrays) {
    if (!arrays_.emplace(name, Entry{std::move(array), path.string()}).second) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}: \"{}\" is in another shard too", path.string(), name));
    }
  }
  metadata_.merge(read.metadata);
}

void write_weight_files(const Sources& arrays,
                        const std::map<std::string, std::string>& metadata,
                        NumberType type,
                        const Path& folder,
                        std::size_t max_shard_bytes) {
  make_folder(folder);
  const auto shards = split_shards(arrays, type, max_shard_bytes);
  std::set<std::string> written;
  const auto write_arrays = [&](const Sources& some, const std::string& name) {
    write_file(folder / name,
               [&](const auto& write) { write_safetensors(some, metadata, type, write); });
    written.insert(name);
  };
  if (shards.size() == 1) {
    write_arrays(shards.front(), fmt::format("{}.safetensors", kStem));
  } else {
    for (std::size_t i = 0; i < shards.size(); ++i) {
      write_arrays(shards[i], shard_name(i + 1, shards.size()));
    }
    const std::string index = fmt::format("{}.safetensors.index.json", kStem);
    write_file(folder / index, index_text(shards, type));
    written.insert(index);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (is_model_file(name) && !written.contains(name)) {
      std::filesystem::remove(entry.path());
    }
  }
}

}  // namespace dreamgym
