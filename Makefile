# The commands of detops. Each installs what it misses, configures, builds and does its job; `make help` lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS := $(shell nproc)
# The build that has libFuzzer, how long each fuzz target runs, and where its random numbers start: 0 somewhere else each time.
FUZZ_BUILD := fuzz
SECONDS := 20
SEED := 0

# What we format; what git does not track is not ours yet.
SOURCES = $(shell git ls-files '*.cc' '*.h' '*.hpp' '*.c')

.PHONY: help deps build-deps test-deps run test bench costs lint format asan tsan coverage valgrind fuzz clean

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

run: build-deps ## build, run the operators on a scene as a detector would, and write the report
	$(call build,release,detops detops_cli)
	@build/release/bin/detops report -o build/release/report.html

test: test-deps ## build, then run every test
	$(call build,release)
	@ctest --preset release --parallel $(JOBS)
	@cat build/release/python_test/skipped 2>/dev/null || true

bench: build-deps ## build, then run the benchmarks (medians of repeated runs)
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

tsan: test-deps ## run the tests under ThreadSanitizer
	$(call build,tsan)
	@ctest --preset tsan --parallel $(JOBS)

coverage: deps ## line coverage by folder; core, runtime and ops have 95% or more, or it fails
	$(call build,coverage)
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage --parallel $(JOBS)
	@testing/coverage.py build/coverage

valgrind: deps ## run a short suite under Valgrind's memcheck
	$(call build,release)
	@testing/valgrind.sh build/release

fuzz: deps ## run each fuzz target for SECONDS seconds (default 20)
	$(call build,$(FUZZ_BUILD),detops_fuzz_targets)
	@printf '%s\n' build/$(FUZZ_BUILD)/bin/*_fuzz | xargs -P $(JOBS) -I {} testing/run_fuzzer.sh {} $(SECONDS) $(SEED)

lint: deps ## formatting, cppcheck and clang-tidy, all without findings
	@clang-format-14 --dry-run --Werror $(SOURCES)
	@cppcheck --quiet -j $(JOBS) --std=c++17 --language=c++ --library=googletest --error-exitcode=1 \
	    --enable=warning,performance,portability --suppressions-list=cmake/cppcheck.supp -Iinclude -I. \
	    $(filter-out python/% examples/% %/bind.cc,$(filter %.cc,$(SOURCES)))
	@test -f build/release/build.ninja || cmake --preset release
	@sed -n 's|^ *"file": "\(.*\)".*|\1|p' build/release/compile_commands.json | grep -v "^$(CURDIR)/build/" \
	    | xargs -P $(JOBS) -n 1 clang-tidy-14 --quiet -p build/release 2>/dev/null

format: deps ## format the sources in place
	@clang-format-14 -i $(SOURCES)

clean: ## remove everything that was built
	@rm -rf build
