#include "dreamgym/worlds/webshop/internal/porter_stemmer.h"

#include <cstddef>
#include <string_view>

namespace dreamgym::webshop {
namespace {

struct Replacement {
  std::string_view suffix;
  std::string_view by;
};

// In the order of the paper; of two suffixes of which one ends the other, the longer comes first.
constexpr Replacement kStep2[] = {
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
    {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
    {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
    {"logi", "log"}};
constexpr Replacement kStep3[] = {{"icate", "ic"},
                                  {"ative", ""},
                                  {"alize", "al"},
                                  {"iciti", "ic"},
                                  {"ical", "ic"},
                                  {"ful", ""},
                                  {"ness", ""}};
constexpr std::string_view kStep4[] = {"al",
                                       "ance",
                                       "ence",
                                       "er",
                                       "ic",
                                       "able",
                                       "ible",
                                       "ant",
                                       "ement",
                                       "ment",
                                       "ent",
                                       "ion",
                                       "ou",
                                       "ism",
                                       "ate",
                                       "iti",
                                       "ous",
                                       "ive",
                                       "ize"};

template <class Word>
class Stemmer {
 public:
  explicit Stemmer(Word& word) : word_(word) {}

  void run() {
    if (word_.size() <= 2) {
      return;
    }
    plural();
    past();
    y_to_i();
    replace_first(kStep2);
    replace_first(kStep3);
    drop_suffix();
    final_e();
    final_double_l();
  }

 private:
  [[nodiscard]] bool is_consonant(std::size_t i) const {
    switch (word_[i]) {
      case 'a':
      case 'e':
      case 'i':
      case 'o':
      case 'u':
        return false;
      case 'y':
        return i == 0 || !is_consonant(i - 1);
      default:
        return true;
    }
  }
  /// Number of vowel-consonant sequences in the first `length` characters.
  [[nodiscard]] std::size_t measure(std::size_t length) const {
    std::size_t count = 0;
    bool after_vowel = false;
    for (std::size_t i = 0; i < length; ++i) {
      const bool consonant = is_consonant(i);
      count += consonant && after_vowel ? 1 : 0;
      after_vowel = !consonant;
    }
    return count;
  }
  [[nodiscard]] bool has_vowel(std::size_t length) const {
    for (std::size_t i = 0; i < length; ++i) {
      if (!is_consonant(i)) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool ends_in_double_consonant() const {
    const std::size_t n = word_.size();
    return n >= 2 && word_[n - 1] == word_[n - 2] && is_consonant(n - 1);
  }
  /// consonant - vowel - consonant (not w, x, y) at the end of the first `length` characters.
  [[nodiscard]] bool ends_in_cvc(std::size_t length) const {
    if (length < 3 || !is_consonant(length - 1) || is_consonant(length - 2) ||
        !is_consonant(length - 3)) {
      return false;
    }
    const auto last = word_[length - 1];
    return last != 'w' && last != 'x' && last != 'y';
  }
  [[nodiscard]] bool ends_with(std::string_view suffix) const {
    if (suffix.size() > word_.size()) {
      return false;
    }
    const std::size_t begin = word_.size() - suffix.size();
    for (std::size_t i = 0; i < suffix.size(); ++i) {
      if (word_[begin + i] != static_cast<typename Word::value_type>(suffix[i])) {
        return false;
      }
    }
    return true;
  }
  void drop(std::size_t count) { word_.erase(word_.size() - count); }
  void append(std::string_view text) {
    for (const char c : text) {
      word_ += static_cast<typename Word::value_type>(c);
    }
  }

  void plural() {
    if (ends_with("sses") || ends_with("ies")) {
      drop(2);
    } else if (ends_with("s") && word_[word_.size() - 2] != 's') {
      drop(1);
    }
  }
  void past() {
    if (ends_with("eed")) {
      if (measure(word_.size() - 3) > 0) {
        drop(1);
      }
      return;
    }
    for (const std::string_view suffix : {"ed", "ing"}) {
      if (ends_with(suffix)) {
        if (has_vowel(word_.size() - suffix.size())) {
          drop(suffix.size());
          mend();
        }
        return;
      }
    }
  }
  /// What is left of a past form gets its "e" back or loses a doubled consonant.
  void mend() {
    if (ends_with("at") || ends_with("bl") || ends_with("iz")) {
      append("e");
    } else if (ends_in_double_consonant()) {
      if (!ends_with("l") && !ends_with("s") && !ends_with("z")) {
        drop(1);
      }
    } else if (measure(word_.size()) == 1 && ends_in_cvc(word_.size())) {
      append("e");
    }
  }
  void y_to_i() {
    if (ends_with("y") && has_vowel(word_.size() - 1)) {
      word_.back() = 'i';
    }
  }
  /// The first suffix that is there decides, whether or not enough of the word is left.
  template <std::size_t count>
  void replace_first(const Replacement (&replacements)[count]) {
    for (const Replacement& replacement : replacements) {
      if (ends_with(replacement.suffix)) {
        if (measure(word_.size() - replacement.suffix.size()) > 0) {
          drop(replacement.suffix.size());
          append(replacement.by);
        }
        return;
      }
    }
  }
  void drop_suffix() {
    for (const std::string_view suffix : kStep4) {
      if (!ends_with(suffix)) {
        continue;
      }
      const std::size_t rest = word_.size() - suffix.size();
      if (suffix == "ion" && (rest == 0 || (word_[rest - 1] != 's' && word_[rest - 1] != 't'))) {
        continue;
      }
      if (measure(rest) > 1) {
        word_.erase(rest);
      }
      return;
    }
  }
  void final_e() {
    if (!ends_with("e")) {
      return;
    }
    const std::size_t rest = word_.size() - 1;
    const std::size_t count = measure(rest);
    if (count > 1 || (count == 1 && !ends_in_cvc(rest))) {
      word_.erase(rest);
    }
  }
  void final_double_l() {
    if (ends_with("l") && ends_in_double_consonant() && measure(word_.size()) > 1) {
      drop(1);
    }
  }

  Word& word_;
};

}  // namespace

void porter_stem(std::string& word) {
  Stemmer<std::string>(word).run();
}

void porter_stem(std::u16string& word) {
  Stemmer<std::u16string>(word).run();
}

}  // namespace dreamgym::webshop
