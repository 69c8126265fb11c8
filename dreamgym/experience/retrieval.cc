#include "dreamgym/experience/retrieval.h"

namespace dreamgym {

std::vector<Demonstration> to_demonstrations(const std::vector<ReplayHit>& hits) {
  std::vector<Demonstration> shown;
  for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
    const StoredTransition& record = *hit->record;
    shown.push_back(
        {record.id, record.transition.action, record.transition.next_observation.text});
  }
  return shown;
}

}  // namespace dreamgym
