# Every target sets up what it needs: only Python 3.11 or later and make have to be there.
#
#   make native    the compiled module, as far as its source has changed; all targets see to it
#   make demo      train the two-headed network and look at its graph
#   make test      tests and doctests
#   make lint      format, style, types, import rules, also of the compiled module's source
#   make parity    tests against an installed PyTorch, in an environment of its own
#   make packages  jobs of packages that are written for PyTorch, next to an installed PyTorch
#   make fuzz      random programs with and without the compiled module, and hostile files, for
#                  SECONDS, from SEED on; ADD=file adds what was found to the list of programs
#   make programs  the list of such programs, of which none may differ
#   make pytorch-tests  PyTorch's own test files, from Debian's source package, against pellucid;
#                  ARGS="test_indexing test_view_ops" runs files by parts of their names
#   make random-programs  as many programs as COUNT, from SEED on, under PyTorch and here; all that
#                  they can observe is compared
#   make operators  PyTorch's own samples of operators, layers and optimizers, run here and there
#   make sweep      calls of everything in other layouts, dtypes and sizes, next to PyTorch (minutes)
#   make bench     timings, as ratios to PyTorch where it can be installed
#   make libraries  tests with other libraries, some of them large, in an environment of its own
#   make array-api ARRAY_API_TESTS=directory  the array API's own tests, where they have been fetched
#   make sanitize  tests of the compiled module, and odd operands for SECONDS, under the sanitizers of
#                  addresses and of undefined behaviour; make sanitize-quick: a part, in minutes;
#                  make sanitize-threads: tests that start threads, under the sanitizer of threads
#   make docs      the site, in build/site
#   make site-check  the site in Chromium: search, lessons and their passes on a phone and a desktop, in
#                  light and dark; axe-core, where npm can fetch it
#   make wheel     a wheel in dist/, with the compiled module if there is a C++ compiler
#   make format    let ruff and clang-format rewrite what they can
#   make generate  write what is made from declarations: type stubs, pages of operations, derivatives
#   make release-check  build what is uploaded, install it in a bare environment, run a program
#   make clean     remove environments and caches
#
# Variables: PYTHON (the interpreter to start from), ARGS (more arguments for the tool behind a
# target: make test ARGS="-k matmul"), WORKERS (processes of make test and make parity), TORCH (the
# PyTorch that is installed: a requirement, with pip's options if need be), WERROR=1 (the C++
# compiler's warnings are errors), and CXX, CXXFLAGS, LDFLAGS, CMAKE_CXX_COMPILER_LAUNCHER (ccache).

PYTHON  ?= python3
WORKERS ?= auto
TORCH   ?= torch==2.13.0
ARGS    ?=
SECONDS ?= 600
COUNT   ?= 10000
SEED    ?= 1000000
ADD     ?=
CALLS   ?= 100000

VENV          := .venv
PARITY_VENV   := .venv-parity
READY         := $(VENV)/.ready
PARITY_READY  := $(PARITY_VENV)/.ready
PACKAGES_VENV  := .venv-packages
PACKAGES       := tests/alias/packages
PACKAGES_READY := $(PACKAGES_VENV)/.ready
LIBRARIES_VENV  := .venv-libraries
LIBRARIES_READY := $(LIBRARIES_VENV)/.ready
DOCS_READY    := $(VENV)/.docs-ready
DEMO_READY    := $(VENV)/.demo-ready
# What the module is compiled with. It lies in the checkout, for all environments, which are therefore
# made without.
TOOLS_READY   := $(VENV)/.tools-ready
NO_MODULE     := PELLUCID_NATIVE=0
SOURCES        = $(shell find src/pellucid/_native tests/sanitized -name '*.[ch]pp')
RUN           := $(VENV)/bin/python
PARITY_RUN    := $(PARITY_VENV)/bin/python

# what is tested with and without the compiled module
COMPILED_TOO := tests/autograd tests/core tests/diagnostics tests/documents tests/interpreters \
	tests/kernels tests/nn tests/ops/test_every_op.py
# and of it, what the compiled module has nothing to do with
ONCE := tests/diagnostics/test_notebook.py tests/kernels/test_interface.py

# One thread for BLAS: arrays are small here, and processes already share the cores.
SINGLE_THREADED := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

# Tests start many processes, which would each compile the library anew where the environment says
# not to keep what was compiled.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := test
.PHONY: native array-api demo test lint format stubs generate parity libraries packages fuzz programs random-programs operators pytorch-tests sweep bench docs site-check wheel release-check \
	sanitize sanitize-calls sanitize-quick sanitize-threads sanitized clean

native: $(TOOLS_READY)
	@$(RUN) build_support/native.py $(if $(WERROR),--werror)

demo: $(DEMO_READY) native
	@$(SINGLE_THREADED) $(RUN) examples/digits.py $(ARGS)

# All with the compiled module, if there is one; then what it takes part in, without it.
test: $(READY) native
	$(SINGLE_THREADED) $(RUN) -m pytest --numprocesses $(WORKERS) $(ARGS)
	@[ -n "$(ARGS)" ] || PELLUCID_NATIVE=0 $(SINGLE_THREADED) $(RUN) -m pytest \
		--numprocesses $(WORKERS) $(COMPILED_TOO) $(ONCE:%=--ignore=%)

lint: $(READY) native
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(VENV)/bin/clang-format --dry-run --Werror $(SOURCES)
	$(RUN) build_support/phrases.py
	$(RUN) build_support/borrowed.py
	$(RUN) build_support/tidy.py
	$(RUN) -m pyright
	PYTHONPATH=src $(RUN) -c 'from importlinter.cli import lint_imports_command as main; main()' \
		--no-cache --no-logo

format: $(READY)
	$(RUN) -m ruff format .
	$(RUN) -m ruff check --fix .
	$(VENV)/bin/clang-format -i $(SOURCES)

stubs: $(READY)
	PYTHONPATH=src $(RUN) docs/generate_stubs.py

generate: stubs
	PYTHONPATH=src $(RUN) docs/generate_derivatives.py
	PYTHONPATH=src $(RUN) docs/generate_operations.py

# Programs take seconds each: a worker that has no tests left takes some of the other's.
parity: $(PARITY_READY) native
	$(SINGLE_THREADED) $(PARITY_RUN) -m pytest --numprocesses $(WORKERS) \
		--dist worksteal tests/parity tests/inspect/pytorch $(ARGS)

# SciPy reads the variable when it is imported, and scikit-learn wants it.
libraries: $(LIBRARIES_READY) native
	SCIPY_ARRAY_API=1 $(SINGLE_THREADED) $(LIBRARIES_VENV)/bin/python -m pytest \
		tests/libraries tests/onnx tests/utils/tensorboard $(ARGS)

packages: $(PACKAGES_READY) $(PARITY_READY) native
	$(RUN) $(PACKAGES)/compare.py $(PACKAGES_VENV)/bin/python $(PARITY_RUN) $(ARGS)

fuzz: $(READY) native
	@[ -n "$(ADD)" ] || PYTHONPATH=src:. $(SINGLE_THREADED) $(RUN) -m tests.interop.hostile 1000000
	PYTHONPATH=src:. $(SINGLE_THREADED) $(RUN) -m tests.robustness.both_ways \
		$(if $(ADD),--add $(ADD),--seconds $(SECONDS) --seed $(SEED))

# The list has about a minute of programs; what a slow machine has no time for is left out.
programs: $(READY) native
	PYTHONPATH=src:. $(SINGLE_THREADED) $(RUN) -m tests.robustness.both_ways --fixed --seconds 90

sweep: $(PARITY_READY) native
	PYTHONPATH=src:. $(SINGLE_THREADED) $(PARITY_RUN) -m tests.parity.sweep $(ARGS)

random-programs: $(PARITY_READY)
	PYTHONPATH=src:. $(SINGLE_THREADED) $(PARITY_RUN) -m tests.parity.programs \
		--count $(COUNT) --seed $(SEED) $(ARGS)

operators: $(PARITY_READY) native
	PYTHONPATH=src:. $(SINGLE_THREADED) $(PARITY_RUN) -m tests.parity.operator_database $(ARGS)

# Its helpers for tests need two packages, which stay out of the environments.
pytorch-tests: $(PARITY_READY) native
	@[ -d build/pytorch-tests/packages ] || $(PARITY_RUN) -m pip install --quiet --no-deps \
		--disable-pip-version-check --target build/pytorch-tests/packages \
		expecttest hypothesis sortedcontainers PyYAML
	PYTHONPATH=src:. $(SINGLE_THREADED) $(PARITY_RUN) -m tests.pytorch_files $(ARGS)

# PyTorch is only the yardstick here: without it the times are printed and the ratios left out.
bench: $(READY) native
	@$(MAKE) --no-print-directory $(PARITY_READY) \
		|| echo "PyTorch cannot be installed: times without ratios."
	@if [ -e $(PARITY_READY) ]; then python=$(PARITY_RUN); else python=$(RUN); fi; \
		PYTHONPATH=src $(SINGLE_THREADED) $$python -m benchmarks.run $(ARGS)

# The programs on the pages have been run by the tests: what stands below them is what they print.
docs: $(DOCS_READY) native
	$(RUN) -m pytest -q tests/architecture/test_pages.py
	$(RUN) -m sphinx -q -W --keep-going -j auto -b dirhtml docs build/site

# axe-core is fetched, and no part of the repository: without it its tests are left out.
AXE := build/axe-core/package/axe.min.js
site-check: docs
	@[ -e $(AXE) ] || { mkdir -p build/axe-core && cd build/axe-core \
		&& npm pack --silent axe-core@4 >/dev/null && tar -xzf axe-core-*.tgz; } \
		|| echo "npm cannot fetch axe-core: the pages are not checked for accessibility."
	PELLUCID_SITE=build/site PELLUCID_AXE=$(AXE) $(RUN) -m pytest -q tests/site $(ARGS)

wheel: $(READY)
	$(RUN) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

# The suite is no package: it is run where it lies, in an environment with what it asks for. It
# reads the standard, a submodule of its repository, and would count slow calls as failures.
ARRAY_API_VENV := build/array-api
array-api: native
	@[ -e "$(ARRAY_API_TESTS)/requirements.txt" ] || { echo \
		"Give the directory of the suite: make array-api ARRAY_API_TESTS=../array-api-tests"; exit 1; }
	@[ -n "$$(ls $(ARRAY_API_TESTS)/array-api)" ] || { echo \
		"The standard is missing there: git -C $(ARRAY_API_TESTS) submodule update --init"; exit 1; }
	$(PYTHON) -m venv $(ARRAY_API_VENV)
	$(NO_MODULE) $(ARRAY_API_VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable . -r $(ARRAY_API_TESTS)/requirements.txt
	cd $(ARRAY_API_TESTS) && ARRAY_API_TESTS_MODULE=pellucid.array_api $(SINGLE_THREADED) \
		$(CURDIR)/$(ARRAY_API_VENV)/bin/python -m pytest --disable-deadline array_api_tests $(ARGS)

# What is uploaded is built, read and used as by someone who has nothing else.
RELEASE := build/release
release-check: $(READY)
	rm -rf $(RELEASE)
	$(RUN) -m pip install --quiet --disable-pip-version-check build twine
	$(RUN) -m build --outdir $(RELEASE)/dist .
	$(RUN) -m twine check --strict $(RELEASE)/dist/*
	$(PYTHON) -m venv $(RELEASE)/bare
	$(RELEASE)/bare/bin/python -m pip install --quiet --disable-pip-version-check \
		$(RELEASE)/dist/*.whl
	cp docs/run_pages.py docs/index.md $(RELEASE)
	cd $(RELEASE) && bare/bin/python run_pages.py index.md && bare/bin/python -m pellucid info
	cmp docs/index.md $(RELEASE)/index.md

# Put in place in a copy, so that the module in use stays as it is. Python's own allocator would hide errors,
# and the sanitizer's library has to come before all others; the C++ library too, whose exceptions it
# else cannot follow. Memory is not counted at the end, when Python leaves much behind. Frames are not kept
# after their return: the code that GCC 13.3 made then stopped at vectors in them, as if not aligned.
SANITIZERS     ?= address,undefined
SANITIZED      := build/sanitized
SANITIZER_MARKS ?= __asan_ __ubsan_
# Multiplications and additions are fused as in the module that is installed, or functions would be
# less exact by part of a unit: at -O1 the compiler has to be asked for that.
SANITIZER_CODE := -fsanitize=$(SANITIZERS) -fno-sanitize-recover=undefined \
	-O1 -fexpensive-optimizations -g1 -fno-omit-frame-pointer
SANITIZED_RUN  := env LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1:max_allocation_size_mb=1024 \
	UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc PYTHONPATH=src:. \
	$(SINGLE_THREADED) $(CURDIR)/$(RUN)
SANITIZED_TESTS := -p no:cacheprovider

# All that touches the compiled module, or what ARGS names; then odd operands for SECONDS; then, with
# the module in use, each allocation of each op failing, and many calls of everything.
sanitize: sanitized
	cd $(SANITIZED) && $(SANITIZED_RUN) -m pytest $(SANITIZED_TESTS) \
		$(or $(ARGS),tests/native tests/autograd tests/kernels tests/sanitized)
	@[ -n "$(ARGS)" ] || $(MAKE) --no-print-directory sanitize-calls

sanitize-calls: sanitized
	cd $(SANITIZED) && $(SANITIZED_RUN) -m tests.sanitized.odd_operands $(SECONDS) $(SEED)
	PYTHONPATH=src:. $(SINGLE_THREADED) $(RUN) -m tests.sanitized.starving
	PYTHONPATH=src:. $(SINGLE_THREADED) $(RUN) -m tests.sanitized.starving --ops --points 15
	PYTHONPATH=src:. $(SINGLE_THREADED) $(RUN) -m tests.sanitized.growth --ops --calls $(CALLS)

# What runs with everything else before a change is taken: always the same programs.
sanitize-quick: sanitized
	cd $(SANITIZED) && $(SANITIZED_RUN) -m pytest -q $(SANITIZED_TESTS) tests/native tests/sanitized
	cd $(SANITIZED) && $(SANITIZED_RUN) -m tests.sanitized.odd_operands 30 1795526247

# Python, NumPy and BLAS are not compiled for it: what they do beside their locks is not seen.
THREADED       := build/threaded
THREADED_TESTS := tests/autograd/test_threads.py tests/native/test_kernels_threads.py \
	tests/native/test_calls.py tests/autograd/test_engine.py
THREADED_RUN   := env LD_PRELOAD="$$(gcc -print-file-name=libtsan.so)" \
	TSAN_OPTIONS=suppressions=tests/sanitized/threads.txt:history_size=4:die_after_fork=0 PYTHONPATH=src:. \
	$(SINGLE_THREADED) PELLUCID_STRESS_ROUNDS=20 $(CURDIR)/$(RUN)
sanitize-threads:
	$(MAKE) --no-print-directory sanitized SANITIZERS=thread SANITIZED=$(THREADED) \
		SANITIZER_MARKS=__tsan_
	cd $(THREADED) && $(THREADED_RUN) -m pytest $(SANITIZED_TESTS) $(or $(ARGS),$(THREADED_TESTS))
	@[ -n "$(ARGS)" ] || (cd $(THREADED) && $(THREADED_RUN) -m tests.stress)

sanitized: $(READY) $(TOOLS_READY)
	@mkdir -p $(SANITIZED)
	@rm -rf $(SANITIZED)/tests $(SANITIZED)/src
	@cp -r pyproject.toml README.md LICENSE docs src tests conftest.py $(SANITIZED)
	@rm -f $(SANITIZED)/src/pellucid/_native/*.so
	CXXFLAGS="$(SANITIZER_CODE)" LDFLAGS="-fsanitize=$(SANITIZERS)" $(RUN) build_support/native.py \
		--folder $(SANITIZED)/native --place $(SANITIZED)/src/pellucid/_native
	@for each in $(SANITIZER_MARKS); do \
		nm -D $(SANITIZED)/src/pellucid/_native/compiled*.so | grep -q $$each || { echo \
		"The module was built without sanitizers: it has no symbol that begins with $$each"; exit 1; }; \
	done

clean:
	rm -rf $(VENV) $(PARITY_VENV) $(LIBRARIES_VENV) $(PACKAGES_VENV) build dist .pytest_cache .ruff_cache .import_linter_cache
	rm -f src/pellucid/_native/*.so
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are younger than pyproject.toml as long as what it asks for is installed.
$(TOOLS_READY): pyproject.toml
	$(call environment,$(VENV))
	@echo "Installing what the compiled module is built with: NumPy, CMake, Ninja."
	@$(RUN) -m pip install --quiet --disable-pip-version-check numpy cmake ninja
	@touch $@

$(READY): pyproject.toml
	$(call environment,$(VENV))
	@echo "Installing pellucid with what tests and checks need, which takes a minute or two."
	@$(NO_MODULE) $(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(DEMO_READY): pyproject.toml
	$(call environment,$(VENV))
	@echo "Installing pellucid with what the demonstration needs: NumPy, SciPy, scikit-learn for the digits."
	@$(NO_MODULE) $(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[demo]'
	@touch $@

$(DOCS_READY): $(READY)
	@echo "Installing what the site is built with: Sphinx and its theme."
	@$(NO_MODULE) $(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

# The packages ask for torch: they are installed without what they ask for, and the rest by name.
$(PACKAGES_READY): $(PACKAGES)/requirements.txt $(PACKAGES)/dependencies.txt
	$(call environment,$(PACKAGES_VENV))
	$(PACKAGES_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--requirement $(PACKAGES)/requirements.txt
	$(PACKAGES_VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
		--requirement $(PACKAGES)/dependencies.txt
	@touch $@

$(PARITY_READY): pyproject.toml
	$(call environment,$(PARITY_VENV))
	@echo "Installing PyTorch beside pellucid into $(PARITY_VENV): some 200 MB."
	@$(NO_MODULE) $(PARITY_RUN) -m pip install --quiet --disable-pip-version-check --editable '.[test]' $(TORCH)
	@touch $@

$(LIBRARIES_READY): pyproject.toml
	$(call environment,$(LIBRARIES_VENV))
	$(NO_MODULE) $(LIBRARIES_VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable '.[libraries]'
	@touch $@

define environment
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Python 3.11 or later is needed, for example: make PYTHON=python3.12"; exit 1; }
@[ -x $(1)/bin/python ] || { echo "Making an environment for Python in $(1)."; $(PYTHON) -m venv $(1); }
endef
