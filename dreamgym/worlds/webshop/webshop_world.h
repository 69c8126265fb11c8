// WebShop in the catalogue: a generated shop, or the benchmark's own files.
//
// Without a data folder tasks are goals of a generated shop, split by product; with one they are
// the benchmark's goals: 0..499 test, 500..1499 dev, the rest train, or with fewer than 2,000 goals
// the first quarter, the second quarter and the rest. Extra options of tasks(): "goals" ("human",
// "synthetic"), "mode" ("text", "text_rich", "html", "url", "abstract"), "prices", "nouns" (recorded files),
// "price_seed", "num_prev_obs", "num_prev_actions"; "draw" ("uniform", or "weighted": as the
// original draws goals without a session number); "cache" (folder of the parsed catalogue); of
// generated shops "products", "instructions", "shop_seed".
#pragma once

#include <map>
#include <memory>
#include <string>

#include "dreamgym/worlds/world.h"

namespace dreamgym {

std::unique_ptr<World> make_webshop_world();

namespace webshop {

/// The task of one session number, in whatever split; settings as shop_library.h names them, with
/// "data" or "generated" among them.
/// @param world  the world "webshop", whose environments will play it.
/// @throws Error as the shop's loading, kInvalidArgument if there are fewer goals.
Task session_task(const World& world,
                  std::size_t session,
                  const std::map<std::string, std::string>& settings);

/// What a page's info would say at the start (WebshopEnvironment::info); empty for environments of
/// other worlds.
std::map<std::string, std::string> start_info(const Environment& environment);

}  // namespace webshop
}  // namespace dreamgym
