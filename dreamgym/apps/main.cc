#include "dreamgym/apps/command_line.h"

int main(int argc, char** argv) { return dreamgym::run_command_line(argc, argv); }
