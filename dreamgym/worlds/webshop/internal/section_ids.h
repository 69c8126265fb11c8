// Which section of a parsed catalogue holds what (docs/formats/webshop_catalogue.md).
#pragma once

#include <cstdint>

namespace dreamgym::webshop::section_ids {

// Tables of texts take three numbers each.
inline constexpr std::uint32_t kAsins = 10;  ///< by product
inline constexpr std::uint32_t kCategories = 13;
inline constexpr std::uint32_t kQueries = 16;
inline constexpr std::uint32_t kAttributes = 19;  ///< of synthetic instructions
inline constexpr std::uint32_t kTerms = 22;       ///< of the search index

inline constexpr std::uint32_t kProducts = 40;       ///< records
inline constexpr std::uint32_t kProductBegins = 41;  ///< [products] of their records
inline constexpr std::uint32_t kAttributeRecords = 42;
inline constexpr std::uint32_t kAttributeBegins = 43;  ///< [products] kNoRecord = none
inline constexpr std::uint32_t kInstructions = 44;
inline constexpr std::uint32_t kInstructionBegins = 45;  ///< as above
inline constexpr std::uint32_t kPrices = 46;             ///< [products]
inline constexpr std::uint32_t kCategoryNumbers = 47;    ///< [products]
inline constexpr std::uint32_t kQueryNumbers = 48;       ///< [products]
inline constexpr std::uint32_t kHumanGoals = 49;
inline constexpr std::uint32_t kSyntheticGoals = 50;
inline constexpr std::uint32_t kAttributeCounts = 51;  ///< [attributes] over all goals

inline constexpr std::uint32_t kTermTable = 60;
inline constexpr std::uint32_t kPostings = 61;
inline constexpr std::uint32_t kNorms = 62;
inline constexpr std::uint32_t kIdRanks = 63;
inline constexpr std::uint32_t kNumTokens = 64;

}  // namespace dreamgym::webshop::section_ids
