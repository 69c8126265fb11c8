// Memory that was freed and stays with the process.
#pragma once

namespace dreamgym::internal {

/// Gives it back to the system where the program's allocator is jemalloc, which our programs tell to
/// keep it; does nothing elsewhere. After something large is freed for good.
/// Thread safety: any thread.
void return_freed_memory();

}  // namespace dreamgym::internal
