#include "dreamgym/replay/internal/index_file.h"

#include <faiss/impl/FaissException.h>
#include <faiss/impl/io.h>
#include <faiss/index_io.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::replay_internal {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "dreamgym vector index";
constexpr int kVersion = 1;
constexpr std::size_t kMaxHeadBytes = 4096;
constexpr std::size_t kChecksumBytes = 8;  // hexadecimal digits
constexpr const char* kHint = "remove the file: it is made anew from the store";

using Sink = std::function<void(std::string_view)>;

// Hands bytes on and sums them up.
struct SummingWriter final : faiss::IOWriter {
  explicit SummingWriter(const Sink& to) : sink(to) {}
  void put(std::string_view bytes) {
    sum = checksum(bytes, sum);
    sink(bytes);
  }
  std::size_t operator()(const void* data, std::size_t size, std::size_t count) override {
    put({static_cast<const char*>(data), size * count});
    return count;
  }
  const Sink& sink;
  std::uint32_t sum = 0;
};

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

// Reads bytes and sums them up; fewer than asked for are an error of the file.
struct SummingReader final : faiss::IOReader {
  explicit SummingReader(const Path& path) : where(path.string()), file(std::fopen(path.c_str(), "rb")) {
    if (!file) {
      throw Error(ErrorKind::kNotFound, fmt::format("{}: {}", where, std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe): glibc's is safe
    }
  }
  std::size_t operator()(void* data, std::size_t size, std::size_t count) override {
    const std::size_t got = std::fread(data, size, count, file.get());
    sum = checksum({static_cast<const char*>(data), size * got}, sum);
    return got;
  }
  void take(void* data, std::size_t bytes) {
    if (bytes > 0 && (*this)(data, bytes, 1) != 1) {
      throw Error(ErrorKind::kCorrupt, where + ": is cut short", kHint);
    }
  }
  std::string line() {
    std::string text;
    for (char c = 0; text.size() < kMaxHeadBytes; text += c) {
      take(&c, 1);
      if (c == '\n') {
        return text;
      }
    }
    return text;
  }
  std::string where;
  std::unique_ptr<std::FILE, CloseFile> file;
  std::uint32_t sum = 0;
};

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string checksum_text(std::uint32_t sum) { return fmt::format("{:08x}", sum); }

Json read_head(SummingReader& reader) {
  const Json head = Json::parse(reader.line(), nullptr, false);
  if (!head.is_object() || head.value("format", "") != kFormat) {
    throw Error(ErrorKind::kCorrupt, reader.where + ": is no vector index", "name another file");
  }
  if (head.value("version", 0) != kVersion) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: is a vector index of version {}, expected {}", reader.where, head.value("version", 0), kVersion),
                kHint);
  }
  for (const char* key : {"rows", "tail_rows", "dimension"}) {
    if (!head.contains(key) || !head[key].is_number_unsigned()) {
      throw Error(ErrorKind::kCorrupt, fmt::format("{}: its head has no \"{}\"", reader.where, key), kHint);
    }
  }
  return head;
}

void check_same(const std::string& where, const Json& head, const IndexFileHead& expected) {
  const std::string embedder = head.value("embedder", "");
  const std::string kind = head.value("kind", "");
  const auto dimension = head["dimension"].get<std::size_t>();
  if (embedder != expected.embedder || kind != expected.kind || dimension != expected.dimension) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{}: is of the embedder {} ({} dimensions, {}), expected {} ({} dimensions, {})",
                            where,
                            embedder,
                            dimension,
                            kind,
                            expected.embedder,
                            expected.dimension,
                            expected.kind),
                "use the embedder it was made with, or remove the file: it is made anew from the store");
  }
}

template <class T>
std::vector<T> read_list(SummingReader& reader, std::size_t count) {
  std::vector<T> values;
  constexpr std::size_t kPiece = 1U << 20U;  // a damaged count must not ask for all memory at once
  while (values.size() < count) {
    const std::size_t begin = values.size();
    values.resize(std::min(count, begin + kPiece));
    reader.take(values.data() + begin, (values.size() - begin) * sizeof(T));
  }
  return values;
}

}  // namespace

void write_index_file(const Path& file,
                      const IndexFileHead& head,
                      const faiss::Index& structure,
                      const std::vector<IndexedRow>& tail_rows,
                      const std::vector<float>& tail_vectors) {
  write_file(file, [&](const Sink& sink) {
    SummingWriter writer(sink);
    writer.put(Json{{"format", kFormat},
                    {"version", kVersion},
                    {"embedder", head.embedder},
                    {"kind", head.kind},
                    {"dimension", head.dimension},
                    {"rows", head.rows.size()},
                    {"tail_rows", tail_rows.size()}}
                   .dump() +
               "\n");
    writer.put(bytes_of(head.rows));
    writer.put(bytes_of(tail_rows));
    writer.put(bytes_of(tail_vectors));
    faiss::write_index(&structure, &writer);
    sink(checksum_text(writer.sum));
  });
}

IndexFile read_index_file(const Path& path, const IndexFileHead& expected) {
  SummingReader reader(path);
  const Json head = read_head(reader);
  check_same(reader.where, head, expected);
  IndexFile read;
  read.head = expected;
  read.head.rows = read_list<IndexedRow>(reader, head["rows"].get<std::size_t>());
  read.tail_rows = read_list<IndexedRow>(reader, head["tail_rows"].get<std::size_t>());
  read.tail_vectors = read_list<float>(reader, read.tail_rows.size() * expected.dimension);
  try {
    read.structure.reset(faiss::read_index(&reader));
  } catch (const faiss::FaissException& error) {
    throw Error(ErrorKind::kCorrupt, fmt::format("{}: {}", reader.where, shorten(error.what(), 120)), kHint);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::kCorrupt, reader.where + ": asks for more memory than there is", kHint);
  }
  const std::string sum = checksum_text(reader.sum);
  std::string stored(kChecksumBytes, ' ');
  reader.take(stored.data(), stored.size());
  if (stored != sum || static_cast<std::size_t>(read.structure->ntotal) != read.head.rows.size()) {
    throw Error(ErrorKind::kCorrupt, reader.where + ": its checksum does not fit", kHint);
  }
  return read;
}

}  // namespace dreamgym::replay_internal
