// One function a format: from a record's JSON to an episode.
#pragma once

#include "dreamgym/data/importers/dialogue.h"

namespace dreamgym::internal {

ImportedEpisode import_messages(const JsonObject& record, const ImportOptions& options);
ImportedEpisode import_sharegpt(const JsonObject& record, const ImportOptions& options);
ImportedEpisode import_agentgym(const JsonObject& record, const ImportOptions& options);
ImportedEpisode import_alfworld_log(const JsonObject& record, const ImportOptions& options);
ImportedEpisode import_webshop_log(const JsonObject& record, const ImportOptions& options);

/// A person's session: its page views in order, one JSON object each; not empty.
ImportedEpisode import_webshop_session(const Json& views);

}  // namespace dreamgym::internal
