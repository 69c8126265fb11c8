#include "dreamgym/apps/lm/concurrent_door.h"

#include <deque>
#include <istream>
#include <map>
#include <ostream>

#include "dreamgym/nn/running_batch.h"

namespace dreamgym::lm {
namespace {

class Door {
 public:
  Door(ModelDoors& model, std::size_t concurrent)
      : model_(model),
        concurrent_(concurrent),
        batch_(model.engine(),
               {.max_running = concurrent, .max_waiting = concurrent + kMostReplies},
               clock_) {}

  void answer(std::istream& in, std::ostream& out) {
    bool more = true;
    while (more || !batch_.idle()) {
      while (more && batch_.num_running() + batch_.num_waiting() < concurrent_) {
        more = ask_next(in);
      }
      for (RunningBatch::Ended& ended : batch_.step()) {
        const auto [asked, index] = askers_.at(ended.ticket);
        asked->replies[index] = std::move(ended.reply);
        ++asked->num_replied;
        askers_.erase(ended.ticket);
      }
      write_what_is_ready(out);
    }
  }

 private:
  struct Asked {
    std::vector<GenerationRequest> requests;
    std::vector<GenerationReply> replies;
    std::size_t num_replied = 0;
  };

  // False at the end of the lines.
  bool ask_next(std::istream& in) {
    const auto line = next_line(in, line_number_);
    if (!line) {
      return false;
    }
    Asked& asked = asked_.emplace_back();  // a deque: those before it stay where they are
    of_line(line_number_, [&] {
      asked.requests = model_.requests_of(*line);
      asked.replies.resize(asked.requests.size());
      for (std::size_t i = 0; i < asked.requests.size(); ++i) {
        const auto ticket = batch_.submit({.request = asked.requests[i], .owner = line_number_});
        check(ticket.has_value(), "there is room for a line's replies");
        askers_[*ticket] = {&asked, i};
      }
    });
    return true;
  }

  void write_what_is_ready(std::ostream& out) {
    while (!asked_.empty() && asked_.front().num_replied == asked_.front().requests.size()) {
      const Asked& done = asked_.front();
      for (const Json& said : model_.lines_of(done.requests, done.replies)) {
        write_line(out, said);
      }
      out.flush();
      asked_.pop_front();
    }
  }

  ModelDoors& model_;
  std::size_t concurrent_;
  SteadyClock clock_;
  RunningBatch batch_;
  std::deque<Asked> asked_;  // by line
  std::map<RunningBatch::Ticket, std::pair<Asked*, std::size_t>> askers_;
  std::size_t line_number_ = 0;
};

}  // namespace

void generate_concurrently(ModelDoors& model,
                           std::size_t concurrent,
                           std::istream& in,
                           std::ostream& out) {
  Door(model, concurrent).answer(in, out);
}

}  // namespace dreamgym::lm
