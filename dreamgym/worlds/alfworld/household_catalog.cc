// Data and its tables. See household_catalog.h for where the numbers come from.
#include "dreamgym/worlds/alfworld/household_catalog.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/game_description.h"

namespace dreamgym::alfworld {
namespace {

struct ObjectRow {
  std::string_view pddl;
  int abilities;
  std::string_view places;  // "kind:percent ..."
  std::string_view fits;
};

constexpr ObjectRow kObjects[] = {
    {"AlarmClock",
     kPickupable,
     "desk:34 dresser:23 sidetable:21 shelf:17 diningtable:6",
     "countertop desk diningtable dresser shelf sidetable"},
    {"Apple",
     kPickupable | kCleanable | kHeatable | kCoolable | kSliceable,
     "fridge:26 countertop:25 diningtable:15 microwave:14 garbagecan:12 sinkbasin:7",
     "countertop diningtable fridge garbagecan microwave sidetable sinkbasin"},
    {"Book",
     kPickupable,
     "bed:35 desk:12 drawer:11 dresser:10 countertop:9 cabinet:7 diningtable:5 "
     "sidetable:3 sofa:3 coffeetable:2 armchair:2",
     "armchair bed cabinet coffeetable countertop desk diningtable drawer dresser "
     "ottoman shelf sidetable sofa"},
    {"Bowl",
     kPickupable | kCleanable | kCoolable | kHoldsThings,
     "cabinet:30 fridge:17 countertop:16 diningtable:12 desk:8 shelf:5 sinkbasin:5 "
     "dresser:2 microwave:2 sidetable:2",
     "cabinet coffeetable countertop desk diningtable dresser fridge microwave shelf "
     "sidetable sinkbasin"},
    {"Box",
     kPickupable | kHoldsThings,
     "diningtable:33 coffeetable:26 sofa:20 dresser:8 sidetable:5 shelf:3 armchair:2 "
     "desk:2",
     "armchair cabinet coffeetable desk diningtable dresser ottoman shelf sidetable "
     "sofa"},
    {"Bread",
     kPickupable | kHeatable | kCoolable | kSliceable,
     "countertop:48 diningtable:30 fridge:18",
     "countertop diningtable fridge garbagecan microwave sidetable"},
    {"ButterKnife",
     kPickupable | kCleanable,
     "countertop:53 diningtable:31 drawer:10 sinkbasin:5",
     "countertop diningtable drawer sidetable sinkbasin"},
    {"CD",
     kPickupable,
     "drawer:27 desk:18 sidetable:14 dresser:13 shelf:9 garbagecan:9 diningtable:5 "
     "cabinet:2",
     "cabinet countertop desk diningtable drawer dresser garbagecan safe shelf "
     "sidetable"},
    {"Candle",
     kPickupable,
     "toilet:29 countertop:20 cabinet:16 shelf:8 sidetable:8 diningtable:5 drawer:5 "
     "cart:3 coffeetable:3 dresser:3",
     "cabinet cart coffeetable countertop diningtable drawer dresser shelf sidetable "
     "toilet"},
    {"CellPhone",
     kPickupable,
     "bed:22 drawer:22 dresser:12 desk:11 sidetable:7 countertop:7 shelf:7 "
     "armchair:5 coffeetable:4 diningtable:3",
     "armchair bed coffeetable countertop desk diningtable drawer dresser ottoman "
     "safe shelf sidetable sofa"},
    {"Cloth",
     kPickupable | kCleanable,
     "cabinet:31 bathtubbasin:19 countertop:15 drawer:15 sinkbasin:14 shelf:4 "
     "toilet:2",
     "armchair bathtubbasin cabinet cart countertop desk drawer dresser garbagecan "
     "laundryhamper shelf sidetable sinkbasin toilet"},
    {"CreditCard",
     kPickupable,
     "drawer:23 sidetable:15 dresser:11 coffeetable:11 shelf:10 desk:8 armchair:7 "
     "sofa:4 diningtable:4 countertop:4",
     "armchair coffeetable countertop desk diningtable drawer dresser ottoman safe "
     "shelf sidetable sofa"},
    {"Cup",
     kPickupable | kCleanable | kHeatable | kCoolable | kHoldsThings,
     "cabinet:23 countertop:23 fridge:20 diningtable:12 sinkbasin:9 microwave:8 "
     "shelf:4",
     "cabinet countertop diningtable fridge microwave shelf sidetable sinkbasin"},
    {"DeskLamp", kToggleable, "sidetable:46 desk:33 dresser:16 shelf:4 coffeetable:2", ""},
    {"DishSponge",
     kPickupable | kCleanable,
     "countertop:28 cabinet:25 diningtable:16 drawer:14 sinkbasin:6 shelf:4 "
     "garbagecan:3 toilet:2 bathtubbasin:2",
     "bathtubbasin cabinet cart countertop diningtable drawer garbagecan shelf "
     "sidetable sinkbasin toilet"},
    {"Egg",
     kPickupable | kCleanable | kHeatable | kCoolable | kSliceable,
     "fridge:27 countertop:22 sinkbasin:14 garbagecan:14 microwave:13 diningtable:8",
     "countertop diningtable fridge garbagecan microwave sidetable sinkbasin"},
    {"Fork",
     kPickupable | kCleanable,
     "countertop:45 diningtable:27 drawer:17 sinkbasin:9",
     "countertop diningtable drawer sidetable sinkbasin"},
    {"Glassbottle",
     kPickupable,
     "countertop:30 diningtable:22 cabinet:22 sinkbasin:13 fridge:6 shelf:5",
     "cabinet countertop diningtable fridge microwave shelf sinkbasin"},
    {"HandTowel",
     kPickupable,
     "handtowelholder:89 countertop:11",
     "bathtubbasin cabinet cart countertop drawer garbagecan handtowelholder shelf "
     "sidetable sinkbasin toilet"},
    {"Kettle",
     kPickupable | kCleanable,
     "countertop:37 stoveburner:35 cabinet:22 diningtable:4 sinkbasin:2",
     "cabinet countertop diningtable shelf sidetable sinkbasin stoveburner"},
    {"KeyChain",
     kPickupable,
     "drawer:21 sidetable:12 desk:11 dresser:11 armchair:9 shelf:8 diningtable:7 "
     "coffeetable:7 sofa:5 safe:5",
     "armchair coffeetable countertop desk diningtable drawer dresser ottoman safe "
     "shelf sidetable sofa"},
    {"Knife",
     kPickupable | kCleanable,
     "countertop:52 diningtable:27 drawer:17 sinkbasin:3",
     "countertop diningtable drawer sidetable sinkbasin"},
    {"Ladle",
     kPickupable | kCleanable,
     "countertop:46 drawer:21 cabinet:17 diningtable:15",
     "cabinet countertop diningtable drawer sinkbasin"},
    {"Laptop",
     kPickupable,
     "bed:45 diningtable:13 desk:10 sofa:9 sidetable:7 coffeetable:5 dresser:4 "
     "armchair:4",
     "armchair bed coffeetable countertop desk diningtable dresser ottoman sidetable "
     "sofa"},
    {"Lettuce",
     kPickupable | kCleanable | kCoolable | kSliceable,
     "countertop:39 diningtable:32 fridge:25 sinkbasin:3",
     "countertop diningtable fridge garbagecan sidetable sinkbasin"},
    {"Mug",
     kPickupable | kCleanable | kHeatable | kCoolable | kHoldsThings,
     "countertop:23 fridge:14 coffeemachine:13 cabinet:12 diningtable:11 sinkbasin:7 "
     "microwave:5 desk:4 sidetable:4 shelf:4 dresser:3",
     "cabinet coffeemachine countertop desk diningtable dresser fridge microwave "
     "shelf sidetable sinkbasin"},
    {"Newspaper",
     kPickupable,
     "diningtable:27 sofa:20 coffeetable:16 shelf:12 sidetable:10 armchair:6 "
     "drawer:4 ottoman:2 dresser:2",
     "armchair cabinet coffeetable diningtable drawer dresser garbagecan ottoman "
     "shelf sidetable sofa"},
    {"Pan",
     kPickupable | kCleanable | kCoolable | kHoldsThings,
     "stoveburner:51 countertop:33 cabinet:7 diningtable:6 fridge:3",
     "cabinet countertop diningtable fridge sidetable sinkbasin stoveburner"},
    {"Pen",
     kPickupable,
     "desk:24 dresser:18 sidetable:16 drawer:13 diningtable:10 shelf:9 countertop:4 "
     "coffeetable:3 garbagecan:3",
     "coffeetable countertop desk diningtable drawer dresser garbagecan shelf "
     "sidetable"},
    {"Pencil",
     kPickupable,
     "drawer:22 sidetable:20 desk:17 dresser:10 shelf:9 diningtable:7 countertop:6 "
     "garbagecan:5 coffeetable:4",
     "coffeetable countertop desk diningtable drawer dresser garbagecan shelf "
     "sidetable"},
    {"PepperShaker",
     kPickupable,
     "cabinet:38 countertop:28 drawer:15 diningtable:13 shelf:4 sidetable:2",
     "cabinet countertop diningtable drawer shelf sidetable"},
    {"Pillow", kPickupable, "bed:63 sofa:31 armchair:5", "armchair bed ottoman sofa"},
    {"Plate",
     kPickupable | kCleanable | kHeatable | kCoolable | kHoldsThings,
     "cabinet:34 countertop:24 diningtable:20 fridge:10 shelf:4 microwave:3 "
     "coffeetable:2",
     "cabinet coffeetable countertop diningtable dresser fridge microwave shelf "
     "sidetable sinkbasin"},
    {"Pot",
     kPickupable | kCleanable | kCoolable | kHoldsThings,
     "stoveburner:76 countertop:10 diningtable:6 fridge:5 cabinet:3",
     "cabinet countertop diningtable fridge shelf sidetable sinkbasin stoveburner"},
    {"Potato",
     kPickupable | kCleanable | kHeatable | kCoolable | kSliceable,
     "countertop:29 fridge:22 diningtable:16 microwave:12 sinkbasin:12 garbagecan:6 "
     "sidetable:4",
     "countertop diningtable fridge garbagecan microwave sidetable sinkbasin"},
    {"RemoteControl",
     kPickupable,
     "sofa:20 coffeetable:18 armchair:12 sidetable:11 drawer:9 dresser:8 "
     "diningtable:6 shelf:5 desk:4",
     "armchair coffeetable countertop desk diningtable drawer dresser ottoman shelf "
     "sidetable sofa"},
    {"SaltShaker",
     kPickupable,
     "cabinet:31 countertop:25 diningtable:21 drawer:16 shelf:4 sidetable:3",
     "cabinet countertop diningtable drawer shelf sidetable"},
    {"SoapBar",
     kPickupable | kCleanable,
     "countertop:30 sinkbasin:18 toilet:17 cabinet:10 drawer:7 shelf:6 garbagecan:5 "
     "bathtubbasin:3 cart:2",
     "bathtubbasin cabinet cart countertop drawer garbagecan shelf sidetable "
     "sinkbasin toilet"},
    {"SoapBottle",
     kPickupable,
     "countertop:33 cabinet:26 diningtable:15 garbagecan:10 toilet:8 shelf:5 "
     "sidetable:3",
     "cabinet cart countertop diningtable drawer garbagecan shelf sidetable toilet"},
    {"Spatula",
     kPickupable | kCleanable,
     "countertop:45 diningtable:28 drawer:22 sinkbasin:5",
     "countertop diningtable drawer sidetable sinkbasin"},
    {"Spoon",
     kPickupable | kCleanable,
     "countertop:34 drawer:28 diningtable:23 sinkbasin:13",
     "countertop diningtable drawer sidetable sinkbasin"},
    {"SprayBottle",
     kPickupable,
     "countertop:38 toilet:19 cabinet:17 garbagecan:8 diningtable:6 cart:4 "
     "sidetable:4 shelf:2 dresser:2",
     "cabinet cart countertop diningtable drawer dresser garbagecan shelf sidetable "
     "toilet"},
    {"Statue",
     kPickupable,
     "shelf:26 coffeetable:19 sidetable:16 countertop:16 diningtable:15 dresser:4",
     "coffeetable countertop desk diningtable dresser safe shelf sidetable"},
    {"TissueBox",
     kPickupable,
     "sidetable:22 diningtable:19 coffeetable:18 shelf:9 countertop:9 drawer:8 "
     "desk:4 dresser:4 cart:4",
     "cabinet cart coffeetable countertop desk diningtable drawer dresser garbagecan "
     "shelf sidetable tvstand toilet"},
    {"ToiletPaper",
     kPickupable,
     "toilet:25 cabinet:19 countertop:18 toiletpaperhanger:11 garbagecan:10 shelf:8 "
     "drawer:6 sidetable:2",
     "cabinet cart countertop drawer dresser garbagecan shelf sidetable toilet "
     "toiletpaperhanger"},
    {"Tomato",
     kPickupable | kCleanable | kHeatable | kCoolable | kSliceable,
     "fridge:32 countertop:32 diningtable:18 garbagecan:9 sinkbasin:7",
     "countertop diningtable fridge garbagecan microwave sidetable sinkbasin"},
    {"Towel", kPickupable, "towelholder:98", "towelholder"},
    {"Vase",
     kPickupable,
     "shelf:42 countertop:18 cabinet:14 sidetable:7 diningtable:7 dresser:5 "
     "coffeetable:3",
     "cabinet coffeetable countertop desk diningtable dresser safe shelf sidetable"},
    {"Watch",
     kPickupable,
     "coffeetable:27 dresser:15 diningtable:15 sidetable:12 shelf:8 drawer:8",
     "coffeetable desk diningtable drawer dresser shelf sidetable"},
    {"WineBottle",
     kPickupable | kCoolable,
     "diningtable:29 cabinet:29 countertop:24 garbagecan:11 shelf:6",
     "cabinet countertop diningtable fridge garbagecan shelf sidetable"},
};

struct ReceptacleRow {
  std::string_view pddl;
  bool openable;
};

constexpr ReceptacleRow kReceptacles[] = {
    {"ArmChair", false},      {"BathtubBasin", false}, {"Bed", false},
    {"Cabinet", true},        {"Cart", false},         {"CoffeeMachine", false},
    {"CoffeeTable", false},   {"CounterTop", false},   {"Desk", false},
    {"DiningTable", false},   {"Drawer", true},        {"Dresser", false},
    {"Fridge", true},         {"GarbageCan", false},   {"HandTowelHolder", false},
    {"LaundryHamper", false}, {"Microwave", true},     {"Ottoman", false},
    {"Safe", true},           {"Shelf", false},        {"SideTable", false},
    {"SinkBasin", false},     {"Sofa", false},         {"StoveBurner", false},
    {"Toaster", false},       {"Toilet", false},       {"ToiletPaperHanger", false},
    {"TowelHolder", false},   {"TVStand", false}};

struct RoomRow {
  std::string_view name;
  double weight;
  std::string_view required;
  std::string_view optional;  // "kind:weight ..."
  std::string_view objects;
  int first_floor_plan;
};

constexpr RoomRow kRooms[] = {
    {"kitchen",
     0.46,
     "countertop fridge microwave sinkbasin",
     "cabinet:50 drawer:25 countertop:10 stoveburner:14 diningtable:9 shelf:8 garbagecan:10 "
     "coffeemachine:10 toaster:6 sidetable:4",
     "apple bowl bread butterknife cup dishsponge egg fork glassbottle kettle knife ladle lettuce "
     "mug pan peppershaker plate pot potato saltshaker soapbottle spatula spoon tomato winebottle",
     1},
    {"living room",
     0.15,
     "sofa sidetable",
     "drawer:26 shelf:20 coffeetable:14 armchair:14 sidetable:10 diningtable:9 garbagecan:12 "
     "dresser:8 ottoman:3 cabinet:5",
     "book box candle cellphone creditcard desklamp keychain laptop newspaper pillow "
     "remotecontrol statue tissuebox vase watch",
     201},
    {"bedroom",
     0.22,
     "bed desk",
     "drawer:34 shelf:24 sidetable:14 dresser:12 garbagecan:12 armchair:5 safe:6 laundryhamper:4 "
     "cabinet:5 diningtable:3",
     "alarmclock book bowl box cd cellphone creditcard desklamp keychain laptop mug pen pencil "
     "pillow statue tissuebox vase",
     301},
    {"bathroom",
     0.17,
     "sinkbasin toilet countertop",
     "cabinet:40 drawer:16 handtowelholder:14 towelholder:12 toiletpaperhanger:10 garbagecan:12 "
     "bathtubbasin:10 shelf:8 cart:5 sidetable:3",
     "candle cloth dishsponge handtowel soapbar soapbottle spraybottle tissuebox toiletpaper towel",
     401}};

/// "kind:number ..."; numbers are divided by `unit`.
std::vector<std::pair<std::string, double>> read_weights(std::string_view text, double unit) {
  std::vector<std::pair<std::string, double>> weights;
  for (const std::string& item : words(text)) {
    const std::size_t colon = item.find(':');
    int number = 0;
    std::from_chars(item.data() + colon + 1, item.data() + item.size(), number);
    weights.emplace_back(item.substr(0, colon), number / unit);
  }
  return weights;
}

const std::map<std::string, ReceptacleKind, std::less<>>& receptacle_kinds() {
  static const auto kKinds = [] {
    std::map<std::string, ReceptacleKind, std::less<>> kinds;
    for (const ReceptacleRow& row : kReceptacles) {
      const std::string name = to_lower(row.pddl);
      kinds[name] = {name, std::string(row.pddl), row.openable};
    }
    return kinds;
  }();
  return kKinds;
}

}  // namespace

std::span<const ObjectKind> object_kinds() {
  static const std::vector<ObjectKind> kKinds = [] {
    std::vector<ObjectKind> kinds;
    for (const ObjectRow& row : kObjects) {
      kinds.push_back({to_lower(row.pddl),
                       std::string(row.pddl),
                       static_cast<std::uint8_t>(row.abilities),
                       read_weights(row.places, 100.0),
                       words(row.fits)});
    }
    return kinds;
  }();
  return kKinds;
}

std::span<const RoomKind> room_kinds() {
  static const std::vector<RoomKind> kKinds = [] {
    std::vector<RoomKind> kinds;
    for (const RoomRow& row : kRooms) {
      kinds.push_back({std::string(row.name),
                       row.weight,
                       words(row.required),
                       read_weights(row.optional, 1.0),
                       words(row.objects),
                       row.first_floor_plan});
    }
    return kinds;
  }();
  return kKinds;
}

const ObjectKind* find_object_kind(std::string_view name) {
  static const auto kByName = [] {
    std::map<std::string, const ObjectKind*, std::less<>> by_name;
    for (const ObjectKind& kind : object_kinds()) {
      by_name[kind.name] = &kind;
    }
    return by_name;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? nullptr : found->second;
}

const ReceptacleKind* find_receptacle_kind(std::string_view name) {
  const auto found = receptacle_kinds().find(name);
  return found == receptacle_kinds().end() ? nullptr : &found->second;
}

double usual_share(std::string_view object, std::string_view receptacle) {
  const ObjectKind* kind = find_object_kind(object);
  if (kind == nullptr) {
    return 0;
  }
  const auto found =
      std::ranges::find(kind->places, receptacle, [](const auto& place) { return place.first; });
  return found == kind->places.end() ? 0 : found->second;
}

std::optional<bool> may_hold(std::string_view receptacle, std::string_view object) {
  const ObjectKind* kind = find_object_kind(object);
  if (kind == nullptr || find_receptacle_kind(receptacle) == nullptr) {
    return std::nullopt;
  }
  return std::ranges::find(kind->fits, receptacle) != kind->fits.end();
}

bool has_door(std::string_view receptacle) {
  const ReceptacleKind* kind = find_receptacle_kind(receptacle);
  return kind != nullptr && kind->openable;
}

}  // namespace dreamgym::alfworld
