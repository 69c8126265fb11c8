#include "dreamgym/apps/commands/commands.h"

namespace dreamgym {

void add_all_commands(CLI::App& app) {
  add_quickstart_command(app);
  add_train_command(app);
  add_reproduce_command(app);
  add_eval_command(app);
  add_report_command(app);
  add_play_command(app);
  add_webshop_command(app);
  add_worlds_command(app);
  add_collect_command(app);
  add_import_command(app);
  add_export_command(app);
  add_annotate_command(app);
  add_data_command(app);
  add_index_command(app);
  add_lm_command(app);
  add_sft_command(app);
  add_pretrain_command(app);
  add_doctor_command(app);
  add_bench_command(app);
}

}  // namespace dreamgym
