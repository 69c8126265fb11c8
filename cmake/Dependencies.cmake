# Everything from the distribution, and libtorch as unpacked by tools/setup.sh. Nothing is fetched here.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL 7.85 REQUIRED)
find_package(ICU 72 REQUIRED COMPONENTS uc)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)

# Faiss as Debian builds it: a static library that wants BLAS, LAPACK and OpenMP's runtime. Its own CMake file names
# the runtime by its path, which would hide the one that libtorch brings.
find_path(DREAMGYM_FAISS_INCLUDE faiss/IndexHNSW.h REQUIRED)
find_library(DREAMGYM_FAISS faiss REQUIRED)
find_library(DREAMGYM_BLAS blas REQUIRED)
find_library(DREAMGYM_LAPACK lapack REQUIRED)
add_library(dreamgym_faiss INTERFACE)
target_include_directories(dreamgym_faiss SYSTEM INTERFACE ${DREAMGYM_FAISS_INCLUDE})
target_link_libraries(dreamgym_faiss INTERFACE ${DREAMGYM_FAISS} ${DREAMGYM_LAPACK} ${DREAMGYM_BLAS} gomp)

if(DREAMGYM_TESTS)
  find_package(GTest REQUIRED)
endif()
if(DREAMGYM_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

if(DREAMGYM_TORCH)
  if(DEFINED ENV{DREAMGYM_CACHE})
    set(_dreamgym_cache $ENV{DREAMGYM_CACHE})
  else()
    set(_dreamgym_cache $ENV{HOME}/.cache/dreamgym)
  endif()
  set(DREAMGYM_TORCH_ROOT ${_dreamgym_cache}/torch-2.15.0-cpu CACHE PATH
      "Folder that holds torch/ and nvidia/ as unpacked from the wheels (tools/setup.sh)")
  if(NOT EXISTS ${DREAMGYM_TORCH_ROOT}/torch/lib/libtorch_cpu.so)
    message(FATAL_ERROR "libtorch not found under ${DREAMGYM_TORCH_ROOT}. Run tools/setup.sh, "
                        "or set DREAMGYM_TORCH_ROOT, or configure with -DDREAMGYM_TORCH=OFF.")
  endif()
  add_library(dreamgym_torch INTERFACE)
  # After the system's folders: the wheel carries headers of other libraries (fmt 12) whose code it lacks.
  target_compile_options(dreamgym_torch INTERFACE
    "SHELL:-idirafter ${DREAMGYM_TORCH_ROOT}/torch/include"
    "SHELL:-idirafter ${DREAMGYM_TORCH_ROOT}/torch/include/torch/csrc/api/include")
  target_compile_definitions(dreamgym_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
  # --no-as-needed: only static constructors of libtorch_cpu register its kernels.
  target_link_libraries(dreamgym_torch INTERFACE
    -Wl,--no-as-needed ${DREAMGYM_TORCH_ROOT}/torch/lib/libtorch_cpu.so
    ${DREAMGYM_TORCH_ROOT}/torch/lib/libc10.so -Wl,--as-needed)
  # RPATH rather than RUNPATH, so that it also serves the wheel's own indirect needs.
  target_link_options(dreamgym_torch INTERFACE
    -Wl,--disable-new-dtags
    -Wl,-rpath,${DREAMGYM_TORCH_ROOT}/torch/lib
    -Wl,-rpath,${DREAMGYM_TORCH_ROOT}/nvidia/cu13/lib
    -Wl,-rpath-link,${DREAMGYM_TORCH_ROOT}/torch/lib
    -Wl,-rpath-link,${DREAMGYM_TORCH_ROOT}/nvidia/cu13/lib)
endif()

add_library(dreamgym_flags INTERFACE)
target_compile_options(dreamgym_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -fno-math-errno)
target_include_directories(dreamgym_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_link_libraries(dreamgym_flags INTERFACE Threads::Threads)
if(DREAMGYM_WERROR)
  target_compile_options(dreamgym_flags INTERFACE -Werror)
endif()
if(DREAMGYM_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "DREAMGYM_FUZZ needs clang (libFuzzer), and the compiler is ${CMAKE_CXX_COMPILER_ID}. "
                        "Use `make fuzz`, or configure with -DCMAKE_CXX_COMPILER=clang++-19.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(DREAMGYM_SANITIZE)
  add_compile_options(-fsanitize=${DREAMGYM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DREAMGYM_SANITIZE})
endif()
