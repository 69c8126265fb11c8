# Compiler cache where there is one; rebuilds and second clones then cost seconds.
find_program(DREAMGYM_CCACHE ccache)
if(DREAMGYM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths are taken relative to the checkout, so that clones share what they compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_NOHASHDIR=true CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${DREAMGYM_CCACHE})
endif()
