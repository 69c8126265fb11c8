// Names of the marker tokens that structure every prompt of the house.
//
// Experience model (experience/prompt.h):
//   <|dream|><|task|>instruction<|state|>first observation
//   then per past step <|action|>a<|trace|>R<|observation|>o<|continue|>
//   then the rolled-back tail: per demonstration <|demonstration|>a<|observation|>o, then
//   <|action|>a<|trace|> and the reply R<|observation|>o and one of the three end flags.
// Agent (agent/prompt.h):
//   <|agent|><|task|>instruction<|state|>first observation<|action|>a<|observation|>o<|action|>...
// Task variation (curriculum):
//   <|vary|><|state|>first observation<|task|>seed task<|task|>new task<|end|>
#pragma once

#include <array>
#include <string_view>

namespace dreamgym::markers {

inline constexpr std::string_view kDream = "<|dream|>";
inline constexpr std::string_view kAgent = "<|agent|>";
inline constexpr std::string_view kVary = "<|vary|>";
inline constexpr std::string_view kTask = "<|task|>";
inline constexpr std::string_view kState = "<|state|>";
inline constexpr std::string_view kAction = "<|action|>";
inline constexpr std::string_view kTrace = "<|trace|>";
inline constexpr std::string_view kObservation = "<|observation|>";
inline constexpr std::string_view kDemonstration = "<|demonstration|>";
inline constexpr std::string_view kContinue = "<|continue|>";  ///< reward 0, not over
inline constexpr std::string_view kSuccess = "<|success|>";    ///< reward 1, over
inline constexpr std::string_view kFailure = "<|failure|>";    ///< reward 0, over
inline constexpr std::string_view kEnd = "<|end|>";

inline constexpr std::array kAll = {kDream,
                                    kAgent,
                                    kVary,
                                    kTask,
                                    kState,
                                    kAction,
                                    kTrace,
                                    kObservation,
                                    kDemonstration,
                                    kContinue,
                                    kSuccess,
                                    kFailure,
                                    kEnd};

}  // namespace dreamgym::markers
