# dreamgym_allocator: jemalloc for a program, with dirty_decay_ms:-1 (dreamgym/apps/allocator.cc).
# glibc's allocator gives every large tensor back to the kernel and pays for its pages again.
# Sanitizers bring allocators of their own, so the target is empty under them.
add_library(dreamgym_allocator INTERFACE)
if(NOT DREAMGYM_SANITIZE)
  find_library(DREAMGYM_JEMALLOC jemalloc REQUIRED)
  target_sources(dreamgym_allocator INTERFACE ${CMAKE_SOURCE_DIR}/dreamgym/apps/allocator.cc)
  # An option rather than a library, because options come first on the link line, and kept although
  # nothing calls it by name.
  target_link_options(dreamgym_allocator INTERFACE
    LINKER:--push-state,--no-as-needed ${DREAMGYM_JEMALLOC} LINKER:--pop-state)
endif()
