#include "dreamgym/worlds/webshop/internal/product_kinds.h"

namespace dreamgym::webshop {
namespace {

using Names = std::string_view[];

constexpr Names kColors = {"black", "white", "navy", "red", "green", "pink", "grey", "purple", "teal", "brown"};
constexpr Names kSizes = {"small", "medium", "large", "x-large", "xx-large"};
constexpr Names kShoeSizes = {"6", "7", "8", "9", "10", "11"};
constexpr Names kPacks = {"pack of 1", "pack of 2", "pack of 4", "pack of 6", "pack of 12"};
constexpr Names kFlavors = {"vanilla", "chocolate", "peanut butter", "maple", "cinnamon", "sea salt", "lemon", "coconut"};
constexpr Names kScents = {"lavender", "mint", "rose", "citrus", "unscented", "eucalyptus"};
constexpr Names kVolumes = {"2 ounce", "4 ounce", "8 ounce", "16 ounce"};
constexpr Names kLengths = {"3 feet", "6 feet", "10 feet", "15 feet"};
constexpr Names kBedSizes = {"twin", "full", "queen", "king"};
constexpr Names kShelves = {"2 tier", "3 tier", "4 tier", "5 tier"};

constexpr Names kClothing = {"machine wash", "long sleeve", "short sleeve", "slim fit", "relaxed fit", "quick drying", "elastic waist", "moisture wicking", "hand wash", "classic fit"};
constexpr Names kFootwear = {"rubber sole", "non slip", "arch support", "memory foam", "water resistant", "ankle strap", "slip resistant", "ethylene vinyl"};
constexpr Names kFood = {"gluten free", "sugar free", "non gmo", "dairy free", "low carb", "keto friendly", "plant based", "high protein", "usda organic"};
constexpr Names kCare = {"cruelty free", "paraben free", "fragrance free", "long lasting", "sulfate free", "alcohol free", "dry skin", "sensitive skin", "tea tree"};
constexpr Names kDevices = {"fast charging", "high speed", "noise cancelling", "wireless bluetooth", "gold plated", "water proof", "high definition", "easy install"};
constexpr Names kHome = {"solid wood", "easy assemble", "space saving", "easy clean", "heavy duty", "super soft", "eco friendly", "living room", "stainless steel"};

constexpr ProductKind kKinds[] = {
    {"fashion", "men's t-shirts", "Clothing, Shoes & Jewelry › Men › Clothing › Shirts › T-Shirts", "T-Shirt", kClothing, "color", kColors, "size", kSizes, 8, 40},
    {"fashion", "men's shorts", "Clothing, Shoes & Jewelry › Men › Clothing › Shorts", "Shorts", kClothing, "color", kColors, "size", kSizes, 10, 45},
    {"fashion", "women's dresses", "Clothing, Shoes & Jewelry › Women › Clothing › Dresses", "Dress", kClothing, "color", kColors, "size", kSizes, 18, 90},
    {"fashion", "women's sweaters", "Clothing, Shoes & Jewelry › Women › Clothing › Sweaters", "Sweater", kClothing, "color", kColors, "size", kSizes, 20, 80},
    {"fashion", "women's sandals", "Clothing, Shoes & Jewelry › Women › Shoes › Sandals", "Sandals", kFootwear, "color", kColors, "size", kShoeSizes, 15, 70},
    {"fashion", "men's boots", "Clothing, Shoes & Jewelry › Men › Shoes › Boots", "Boots", kFootwear, "color", kColors, "size", kShoeSizes, 40, 160},
    {"fashion", "men's sneakers", "Clothing, Shoes & Jewelry › Men › Shoes › Sneakers", "Sneakers", kFootwear, "color", kColors, "size", kShoeSizes, 30, 120},
    {"grocery", "protein bars", "Grocery & Gourmet Food › Snack Foods › Bars › Protein", "Protein Bars", kFood, "flavor name", kFlavors, "size", kPacks, 6, 40},
    {"grocery", "granola", "Grocery & Gourmet Food › Breakfast Foods › Cereals › Granola", "Granola", kFood, "flavor name", kFlavors, "size", kPacks, 5, 35},
    {"grocery", "cookies", "Grocery & Gourmet Food › Snack Foods › Cookies", "Cookies", kFood, "flavor name", kFlavors, "size", kPacks, 4, 30},
    {"grocery", "protein powder", "Grocery & Gourmet Food › Beverages › Powders", "Protein Powder", kFood, "flavor name", kFlavors, "size", kVolumes, 15, 60},
    {"beauty", "body lotions", "Beauty & Personal Care › Skin Care › Body › Lotions", "Body Lotion", kCare, "scent", kScents, "size", kVolumes, 6, 45},
    {"beauty", "shampoo", "Beauty & Personal Care › Hair Care › Shampoo", "Shampoo", kCare, "scent", kScents, "size", kVolumes, 7, 40},
    {"beauty", "face masks", "Beauty & Personal Care › Skin Care › Face › Masks", "Face Mask", kCare, "scent", kScents, "size", kPacks, 8, 50},
    {"beauty", "deodorant", "Beauty & Personal Care › Deodorants", "Deodorant", kCare, "scent", kScents, "size", kPacks, 5, 30},
    {"electronics", "hdmi cables", "Electronics › Accessories › Cables › HDMI Cables", "HDMI Cable", kDevices, "color", kColors, "size", kLengths, 6, 40},
    {"electronics", "headphones", "Electronics › Headphones › Over-Ear", "Headphones", kDevices, "color", kColors, "", {}, 20, 250},
    {"electronics", "bluetooth speakers", "Electronics › Portable Audio › Speakers", "Portable Speaker", kDevices, "color", kColors, "", {}, 18, 180},
    {"electronics", "chargers", "Electronics › Accessories › Chargers", "Wall Charger", kDevices, "color", kColors, "size", kLengths, 9, 60},
    {"garden", "bookcases", "Home & Kitchen › Furniture › Living Room › Bookcases", "Bookcase", kHome, "color", kColors, "size", kShelves, 45, 320},
    {"garden", "bed frames", "Home & Kitchen › Furniture › Bedroom › Beds", "Bed Frame", kHome, "color", kColors, "size", kBedSizes, 90, 480},
    {"garden", "throw blankets", "Home & Kitchen › Bedding › Blankets", "Throw Blanket", kHome, "color", kColors, "size", kBedSizes, 15, 80},
    {"garden", "coffee tables", "Home & Kitchen › Furniture › Living Room › Tables", "Coffee Table", kHome, "color", kColors, "", {}, 60, 350},
    {"garden", "shower curtains", "Home & Kitchen › Bath › Shower Curtains", "Shower Curtain", kHome, "color", kColors, "size", kSizes, 12, 55},
};

constexpr Names kSyllables = {"bel", "nor", "vi", "ta", "mor", "ka", "lin", "sol", "ru", "den", "fa", "zel", "or", "mi", "tan", "qu", "es", "bro", "hu", "lo", "gar", "pe"};
constexpr Names kLines = {"Classic", "Everyday", "Premium", "Original", "Essential", "Signature", "Comfort", "Studio", "Heritage", "Active", "Urban", "Pure"};

}  // namespace

std::span<const ProductKind> product_kinds() {
  return kKinds;
}

std::span<const std::string_view> brand_syllables() {
  return kSyllables;
}

std::span<const std::string_view> line_names() {
  return kLines;
}

}  // namespace dreamgym::webshop
