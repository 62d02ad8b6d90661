# The commands for developers. Each target installs missing packages, configures and builds first. `make help` lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS := $(shell nproc)
# The preset with libFuzzer, the seconds that each fuzz target runs, and its random seed (0: a different one each time).
FUZZ_BUILD := fuzz
SECONDS := 20
SEED := 0
# clang-tidy checks what changed since this commit; by default, since the newest commit that is a day old.
LINT_BASE = $(shell git rev-list -1 --before='1 day ago' HEAD)

# The files that are formatted and checked: those that git tracks.
SOURCES = $(shell git ls-files '*.cc' '*.h' '*.hpp' '*.c')

.PHONY: help deps build-deps test-deps run test bench costs lint format asan soak tsan coverage valgrind fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

deps: ## install every Debian package that any target needs
	@cmake/install_packages.sh build test check

build-deps:
	@cmake/install_packages.sh build

test-deps:
	@cmake/install_packages.sh build test

# $(call build,PRESET[,CMAKE TARGETS]): configures once, then builds what changed.
define build
	@test -f build/$(1)/build.ninja || cmake --preset $(1)
	@cmake --build --preset $(1) --parallel $(JOBS) $(if $(2),--target $(2))
endef

run: build-deps ## build, run the operators on a demonstration scene and write the HTML report
	$(call build,release,detops detops_cli)
	@build/release/bin/detops report -o build/release/report.html

test: test-deps ## build, then run every test
	$(call build,release)
	@ctest --preset release --parallel $(JOBS)
	@cat build/release/python_test/skipped 2>/dev/null || true

bench: build-deps ## build, then run all benchmarks
	$(call build,release)
	@for bench in build/release/bin/*_bench; do "$$bench" || exit 1; done

# The programs whose benchmarks may measure costs (bench/cost.h).
BENCHES = runtime_bench $(patsubst ops/%/bench.cc,%_bench,$(wildcard ops/*/bench.cc))

costs: build-deps ## print the estimated costs of each costs.h beside measured ones
	$(call build,release,$(BENCHES))
	@tools/costs.py $(BENCHES:%=build/release/bin/%)

asan: test-deps ## run the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call build,asan)
	@ctest --preset asan --parallel $(JOBS)

# The stress tests run for this many seconds each.
SOAK_SECONDS := 600

soak: test-deps ## run each stress test for SOAK_SECONDS seconds (default 600)
	$(call build,release)
	@DETOPS_SOAK_SECONDS=$(SOAK_SECONDS) ctest --preset release --timeout 100000 -L soak

tsan: test-deps ## run the tests that use threads under ThreadSanitizer
	$(call build,tsan,detops_threaded_tests)
	@ctest --preset tsan --parallel $(JOBS)

coverage: deps ## measure line coverage; fails below 95% or when an uncovered line has no reason
	$(call build,coverage)
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage --parallel $(JOBS)
	@testing/coverage.py build/coverage

valgrind: deps ## run a short test suite under Valgrind
	$(call build,release)
	@testing/valgrind.sh build/release

fuzz: deps ## run each fuzz target for SECONDS seconds (default 20)
	$(call build,$(FUZZ_BUILD),detops_fuzz_targets)
	@printf '%s\n' build/$(FUZZ_BUILD)/bin/*_fuzz | xargs -P $(JOBS) -I {} testing/run_fuzzer.sh {} $(SECONDS) $(SEED)

lint: deps ## check formatting and run cppcheck, and clang-tidy on what changed (LINT_BASE=commit; all: LINT_BASE=)
	@clang-format-14 --dry-run --Werror $(SOURCES)
	@cppcheck --quiet -j $(JOBS) --std=c++20 --language=c++ --library=googletest --error-exitcode=1 \
	    --enable=warning,performance,portability --suppressions-list=cmake/cppcheck.supp -Iinclude -I. \
	    $(filter-out python/% examples/% %/bind.cc,$(filter %.cc,$(SOURCES)))
	@test -f build/release/build.ninja || cmake --preset release
	@tools/tidy.sh build/release "$(LINT_BASE)" $(JOBS)

format: deps ## format the sources in place
	@clang-format-14 -i $(SOURCES)

clean: ## remove everything that was built
	@rm -rf build
