// jemalloc reads this variable of the program before main: freed pages stay with the process, since
// a training loop asks for the same large tensors again at once.

extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:-1,muzzy_decay_ms:-1";
}
