// Does a shopping episode's own text bear out the reward it claims, and does it contradict itself?
//
// Contradictions: a page of another kind than the action leads to; a page that changes where the
// action was not possible; another instruction; a product whose title, price, options, description
// or features differ from what was shown of it before; other results for the same query and page; a
// purchase of another product, or with options that were not chosen.
// A success is borne out if something was bought whose shown price is within the limit, all of the
// instruction's option values that the product offers were chosen, and nine tenths of the
// instruction's words stand in what was shown of the product: a purchase by luck is not borne out.
// Episodes of the engine have no contradictions (tested).
// Reads the modes "text", "text_rich" and "abstract" without earlier observations in front.
#pragma once

#include <memory>

#include "dreamgym/env/episode_auditor.h"

namespace dreamgym::webshop {

std::unique_ptr<EpisodeAuditor> make_text_auditor();

}  // namespace dreamgym::webshop
