# SPDX-License-Identifier: GPL-3.0-or-later
# The two commands of the README, and what developers run. Everything is built in build/; nothing is built twice.

JOBS ?= $(shell nproc)
# Tests wait for each other's disks and clocks a quarter of their time.
TEST_JOBS ?= $(shell expr $$(nproc) + 2)
DEMO := build/demo/coverage.gpkg
SANITIZED ?=
space := $(subst ,, )
SANITIZED_ONLY = $(if $(SANITIZED),--tests-regex '^($(subst $(space),|,$(strip $(SANITIZED))))$$')

# CMake reads the launcher once, when a build tree is made; ccache is used where it is installed, and what one checkout
# compiled serves the others.
ifneq ($(shell command -v ccache),)
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
export CCACHE_BASEDIR ?= $(CURDIR)
endif

.PHONY: help demo executable test build-tests bench cities sanitize aarch64 tidy check-format format picture descriptions package plugin clean

help:
	@echo "make demo      build tesseray and predict the coverage of the sample town into $(DEMO)"
	@echo "make test      build everything and run every test"
	@echo "make bench     build and run the benchmarks"
	@echo "make cities    run the real cities as a whole too (minutes)"
	@echo "make sanitize  run the tests under AddressSanitizer and UndefinedBehaviorSanitizer"
	@echo "make aarch64   run the core's tests on an emulated 64-bit ARM, and hold its rows against this machine's"
	@echo "make tidy      clang-tidy; make format: clang-format; make check-format: says what it would change"
	@echo "make picture   draw $(DEMO) into docs/images/coverage.png"
	@echo "make plugin    pack the QGIS plugin into build/tesseray.zip, for Install from ZIP"
	@echo "make package   pack the executable into build/tesseray_*.deb"
	@echo "make descriptions  renew docs/tools.md, docs/layers.md and the plugin's description of the tools"
	@echo "make clean     remove build/"

demo: executable
	scripts/run-demo $(DEMO)

# A tree that make test configured keeps its tests: switching them off would delete their objects.
executable:
	@scripts/install-dependencies demo
	[ -f build/build.ninja ] || cmake --preset release -DTESSERAY_TESTS=OFF
	cmake --build build --target tesseray --parallel $(JOBS)

test: build-tests
	ctest --test-dir build --output-on-failure --parallel $(TEST_JOBS)

build-tests:
	@scripts/install-dependencies test
	cmake --preset release -DTESSERAY_TESTS=ON
	cmake --build build --parallel $(JOBS)

bench:
	@scripts/install-dependencies bench
	cmake --preset bench
	cmake --build build/bench --parallel $(JOBS)
	scripts/run-benchmarks build/bench

cities: build-tests
	TESSERAY_WHOLE_CITIES=1 ctest --test-dir build --output-on-failure --tests-regex '^pipeline_real_cities$$'

# SANITIZED names the test programs to build and run; all of them by default.
sanitize:
	@scripts/install-dependencies test
	cmake --preset sanitize
	cmake --build build/sanitize --target $(or $(SANITIZED),all) --parallel $(JOBS)
	ctest --test-dir build/sanitize --output-on-failure --parallel $(TEST_JOBS) $(SANITIZED_ONLY)

aarch64:
	@scripts/install-dependencies aarch64
	TEST_JOBS=$(TEST_JOBS) scripts/test-on-aarch64 $(JOBS)

tidy: build-tests
	@scripts/install-dependencies tidy
	git ls-files 'core/*.cpp' 'processing_algorithms/*.cpp' \
	  | xargs --max-procs=$(JOBS) --max-args=1 clang-tidy -p build --quiet

check-format:
	@scripts/install-dependencies format
	git ls-files '*.h' '*.cpp' '*.cu' | xargs --max-procs=$(JOBS) --max-args=100 clang-format --dry-run -Werror

format:
	@scripts/install-dependencies format
	git ls-files '*.h' '*.cpp' '*.cu' | xargs clang-format -i

picture:
	@scripts/install-dependencies picture
	build/bin/tesseray coverageraster --path-loss '$(DEMO)|layername=path_loss' --buildings sample_data/buildings.gpkg \
	  --resolution 2 --raster $(DEMO:.gpkg=.tif) --overwrite
	python3 scripts/draw_coverage.py $(DEMO) $(DEMO:.gpkg=.tif) sample_data/buildings.gpkg docs/images/coverage.png Hill

descriptions: executable
	scripts/update-descriptions build/bin/tesseray

package: executable
	@scripts/install-dependencies package
	cd build && cpack -D CPACK_PACKAGE_DIRECTORY="$(CURDIR)/build"

plugin:
	scripts/build-plugin build/tesseray.zip

clean:
	rm -rf build
