#include "dreamgym/apps/arm_titles.h"

namespace dreamgym {

const std::vector<ArmTitle>& arm_titles() {
  static const std::vector<ArmTitle> kTitles = {
      {"random", "Random", {}},
      {"zero_shot", "Zero-shot (the base model)", {}},
      {"start", "SFT policy (the start)", {"experience", "start"}},
      {"sft_all", "SFT on all logged successes", {"experience", "sft_all"}},
      {"dpo", "DPO on the offline data", {"experience", "start", "dpo"}},
      {"traditional_equal", "Traditional GRPO, S2R's real steps", {"experience", "start", "traditional_equal"}},
      {"traditional", "Traditional GRPO", {"experience", "start", "traditional"}},
      {"dream", "DreamGym (0 online real steps)", {"experience", "start", "dream"}},
      {"dream_uniform", "DreamGym without curriculum", {"experience", "start", "dream_uniform"}},
      {"s2r", "DreamGym-S2R", {"experience", "start", "dream", "s2r"}},
      {"traditional_ppo", "Traditional PPO", {"experience", "start", "traditional_ppo"}},
      {"dream_ppo", "DreamGym, PPO (0 online real steps)", {"experience", "start", "dream_ppo"}},
      {"s2r_ppo", "DreamGym-S2R, PPO", {"experience", "start", "dream_ppo", "s2r_ppo"}}};
  return kTitles;
}

const std::vector<ArmPair>& arm_pairs() {
  static const std::vector<ArmPair> kPairs = {{"dream", "start"},
                                              {"s2r", "traditional_equal"},
                                              {"s2r", "traditional"},
                                              {"s2r", "dream"},
                                              {"dream", "traditional"},
                                              {"dream", "sft_all"},
                                              {"dream", "dream_uniform"},
                                              {"traditional", "start"},
                                              {"dpo", "start"},
                                              {"dream_ppo", "start"},
                                              {"dream_ppo", "traditional_ppo"},
                                              {"s2r_ppo", "traditional_ppo"},
                                              {"dream", "dream_ppo"}};
  return kPairs;
}

}  // namespace dreamgym
