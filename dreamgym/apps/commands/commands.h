// One function a verb: adds its options to the command line and runs it when it was asked for.
//
// A verb throws Error for what the world or the user got wrong; command_line.cc turns that into exit
// codes and messages.
#pragma once

namespace CLI {
class App;
}

namespace dreamgym {

/// All verbs, in the order --help shows them.
void add_all_commands(CLI::App& app);

void add_quickstart_command(CLI::App& app);
void add_train_command(CLI::App& app);
void add_reproduce_command(CLI::App& app);
void add_pretrain_command(CLI::App& app);
void add_eval_command(CLI::App& app);
/// Of the group `eval`.
void add_judge_verb(CLI::App& group);
void add_agreement_verb(CLI::App& group);
void add_report_command(CLI::App& app);
void add_lm_command(CLI::App& app);
void add_sft_command(CLI::App& app);
void add_doctor_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_index_command(CLI::App& app);
void add_play_command(CLI::App& app);
void add_webshop_command(CLI::App& app);
void add_worlds_command(CLI::App& app);
void add_collect_command(CLI::App& app);
void add_import_command(CLI::App& app);
void add_export_command(CLI::App& app);
void add_annotate_command(CLI::App& app);
void add_data_command(CLI::App& app);

}  // namespace dreamgym
