# The commands people and CI type. `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help quickstart test test-slow test-asan test-tsan fuzz setup build bench tidy format check-format clean

JOBS ?= $(shell nproc)
SECONDS ?= 60
FUZZ_TARGETS = safetensors gguf tokenizer chat reply
CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

quickstart: build ## set up, build, run the main job; ends with its table and the path of the report
	build/release/dreamgym quickstart --out runs/quickstart

test: build ## set up, build, run the fast tests
	$(CTEST) --test-dir build/release -L fast

test-slow: build ## the tests that take minutes (learning, kill and resume)
	$(CTEST) --test-dir build/release -L slow -j 1

test-asan: setup ## the fast tests under the address and undefined-behaviour sanitizers
	cmake --preset asan-ubsan --log-level=WARNING
	cmake --build --preset asan-ubsan -j $(JOBS)
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/leaks.supp:print_suppressions=0 $(CTEST) --test-dir build/asan-ubsan -L fast

test-tsan: setup ## the fast tests of the rooms without torch under the thread sanitizer
	cmake --preset tsan --log-level=WARNING
	cmake --build --preset tsan -j $(JOBS)
	$(CTEST) --test-dir build/tsan -L fast

fuzz: ## fuzz the readers of other people's files, SECONDS each (clang-19: LINT=1 make setup)
	cmake --preset fuzz --log-level=WARNING
	cmake --build --preset fuzz -j $(JOBS)
	@for target in $(FUZZ_TARGETS); do \
	  mkdir -p build/fuzz/corpus/$$target && echo "fuzz $$target" && \
	  build/fuzz/fuzz_$$target -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
	    -artifact_prefix=build/fuzz/$$target- build/fuzz/corpus/$$target tests/fuzz/corpus/$$target || exit 1; \
	done

setup: ## packages and libtorch; does only what is missing (CUDA=1, LINT=1 for more)
	@tools/setup.sh

build: setup ## the release build, in build/release
	@cmake --preset release --log-level=WARNING
	cmake --build --preset release -j $(JOBS)

bench: build ## the benchmark programs, in build/release
	cmake --build --preset release -j $(JOBS) --target benchmarks

tidy: ## clang-tidy on the files changed since BASE (default: the last commit)
	@tools/tidy.sh

format: ## clang-format on every source file
	@git ls-files -z -co --exclude-standard '*.h' '*.cc' | xargs -0 clang-format-19 -i

check-format: ## fails if `make format` would change something
	@git ls-files -z -co --exclude-standard '*.h' '*.cc' | xargs -0 clang-format-19 --dry-run -Werror

clean: ## the build folders, not the runs
	rm -rf build
