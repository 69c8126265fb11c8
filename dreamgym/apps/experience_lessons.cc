#include "dreamgym/apps/experience_lessons.h"

#include <algorithm>
#include <iterator>

#include "dreamgym/curriculum/task_generator.h"
#include "dreamgym/experience/training_data.h"

namespace dreamgym {

std::vector<TrainingSequence> experience_lessons(const ExperimentConfig& config,
                                                 const std::shared_ptr<const BpeTokenizer>& tokenizer,
                                                 const std::vector<Trajectory>& stories,
                                                 const std::vector<Task>& tasks,
                                                 const ReplayBuffer& buffer,
                                                 const Rng& rng) {
  const ExperiencePrompt prompt(tokenizer, config.experience.max_demonstration_tokens);
  auto lessons =
      experience_sequences(prompt, stories, &buffer, config.experience_data, rng.fork("experience data"));
  std::ranges::move(TaskGenerator::training_sequences(*tokenizer, tasks, rng.fork("variation data")),
                    std::back_inserter(lessons));
  return lessons;
}

}  // namespace dreamgym
