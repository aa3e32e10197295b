# The commands of this project. Each does all the set-up it needs.

CARGO ?= cargo
LANCEHEAD = $(or $(CARGO_TARGET_DIR),target)/release/lancehead
# `make install` puts the program and its Z3 into a folder of their own there, and a link into bin.
PREFIX ?= $(HOME)/.local

SEEDS ?= 10

.PHONY: bench-clients bench-infer bench-entail help demo test lint check-proofs seeds fuzz-viper fuzz-readers bench bench-front-end bench-quantified bench-wands bench-verify score-clients install clean z3 release bench-run

help:
	@echo 'make demo      build everything and show what it does'
	@echo 'make test      run all tests'
	@echo 'make lint      formatting and clippy, warnings are errors; modules that call each other'
	@echo 'make bench     measure the speed: of the front end, of quantified permissions, of'
	@echo '               wands, and of verify on TREE=DIR [LIST=FILE]'
	@echo 'make bench-clients TREE=DIR SILICON=COMMAND'
	@echo '               our time beside that of Silicon, program by program, taking turns'
	@echo 'make bench-entail how long entailments take, with definitions that are prepared once'
	@echo 'make bench-infer  how the time of infer grows with programs of up to 200 operations'
	@echo 'make bench-prove  Table 1 of [ABCK15]: ours beside the paper'
	@echo 'make bench-spl    Table 1 of [PWZ13]: ours beside the paper and GRASShopper; programs in TREE=DIR'
	@echo 'make mutate-spl   seed errors into the SPL programs FILES=…, and list those that still verify'
	@echo 'make fuzz-viper look for programs that are accepted although they fail, for SECONDS=60,'
	@echo '               from SEED=N; findings go to OUT=DIR'
	@echo 'make fuzz-sl   look for texts that make readers panic, and for wrong answers of the procedures'
	@echo '               of separation logic, for SECONDS=10, from SEED=N'
	@echo 'make fuzz-prove look for list programs that are proved although a run with small inputs fails,'
	@echo '               among PROGRAMS=2000, from SEED=N'
	@echo 'make fuzz-readers look for programs (Viper, SPL, C, heap programs) that make readers panic or hang,'
	@echo '               for SECONDS=10, from SEED=N'
	@echo 'make seeds     members whose verdict depends on luck, of TREE=DIR [LIST=FILE] [SEEDS=10]'
	@echo 'make score-clients TREE=DIR'
	@echo '               compare errors with those in DIR/silicon.tsv, program by program'
	@echo 'make check-proofs TREE=DIR'
	@echo '               check the proofs for all entailments of SL-COMP that are found valid'
	@echo 'make install   install lancehead with its Z3 under PREFIX ($(PREFIX))'
	@echo 'make clean     remove what was built (Z3 stays; it is in .z3)'

z3:
	@scripts/get-z3

release: z3
	$(CARGO) build --release --locked -p lancehead

demo: release
	@scripts/demo $(LANCEHEAD)

test: z3
	LANCEHEAD_Z3='$(CURDIR)/.z3/z3' $(CARGO) test --workspace --locked

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	scripts/module-cycles crates/symex --files 5 --folders 5 --recursive eval,produce,consume,wands 13

# Starts with the programs of the tests, or with FILES='…'.
fuzz-viper: z3
	@LANCEHEAD_Z3='$(or $(LANCEHEAD_Z3),$(CURDIR)/.z3/z3)' SECONDS='$(SECONDS)' SEED='$(SEED)' OUT='$(or $(OUT),$(CURDIR))' \
	    $(CARGO) run --locked -q -p lancehead-concrete --example fuzz_viper -- \
	    $(or $(FILES),$(shell find tests/verify tests/termination -name '*.vpr'))

fuzz-sl:
	@SECONDS='$(or $(SECONDS),10)' SEED='$(or $(SEED),1)' $(CARGO) run --locked -q -p lancehead-entail --example fuzz_entail

fuzz-prove: z3
	LANCEHEAD_Z3='$(or $(LANCEHEAD_Z3),$(CURDIR)/.z3/z3)' LANCEHEAD_PROGRAMS='$(or $(PROGRAMS),2000)' LANCEHEAD_SEED='$(or $(SEED),0)' \
	    $(CARGO) test --release --locked -p lancehead-driver --test agreement -- --nocapture
fuzz-readers:
	@SECONDS='$(or $(SECONDS),10)' SEED='$(or $(SEED),1)' $(CARGO) run --locked -q -p lancehead-driver --example fuzz_readers

score-clients: release
	LANCEHEAD_Z3='$(CURDIR)/.z3/z3' scripts/agreement '$(TREE)' --reference '$(TREE)/silicon.tsv' \
	    --tool '$(LANCEHEAD) verify --jobs 1 --assume-injectivity-on-inhale --format json' --timeout 120

bench-run:
	$(CARGO) bench --locked -p lancehead-c --bench run -- $(abspath $(TREE))

bench: bench-front-end bench-quantified bench-wands bench-verify bench-run

# Every proof for the problems of SL-COMP in TREE=DIR (every n-th with SHARE=n) is checked.
check-proofs:
	LANCEHEAD_SLCOMP='$(abspath $(TREE))' LANCEHEAD_SHARE='$(or $(SHARE),1)' \
	    $(CARGO) test --locked -p lancehead-proof --test suite -- --nocapture

bench-entail: z3
	LANCEHEAD_Z3='$(or $(LANCEHEAD_Z3),$(CURDIR)/.z3/z3)' $(CARGO) bench --locked -p lancehead-entail --bench entail

bench-infer:
	$(CARGO) bench --locked -p lancehead-driver --bench infer

bench-prove: z3
	LANCEHEAD_Z3='$(or $(LANCEHEAD_Z3),$(CURDIR)/.z3/z3)' $(CARGO) bench --locked -p lancehead-driver --bench prove

bench-spl: z3
	LANCEHEAD_Z3='$(or $(LANCEHEAD_Z3),$(CURDIR)/.z3/z3)' TREE='$(abspath $(TREE))' \
	    $(CARGO) bench --locked -p lancehead-vc --bench table1

# Of every N seeded errors of a kind one is tried: SHARE=N.
mutate-spl: z3
	@LANCEHEAD_Z3='$(or $(LANCEHEAD_Z3),$(CURDIR)/.z3/z3)' $(CARGO) run --locked -q -p lancehead-vc --example mutants -- \
	    --share '$(or $(SHARE),1)' --judged tests/spl/judged.txt $(or $(FILES),$(wildcard examples/spl/*.spl))

# Beside Silicon in a warm JVM, in one run: SILICON is a command that takes a list of files and a table to append to.
bench-clients: release
	@test -n '$(SILICON)' || { echo 'make bench-clients TREE=DIR SILICON=COMMAND'; exit 2; }
	LANCEHEAD_Z3='$(CURDIR)/.z3/z3' scripts/bench-clients '$(TREE)' --other '$(SILICON)' \
	    --tool '$(LANCEHEAD) verify --jobs 1 --assume-injectivity-on-inhale --format json'

bench-front-end:
	$(CARGO) bench --locked -p lancehead --bench front_end -- $(abspath $(TREE))

bench-quantified: z3
	$(CARGO) bench --locked -p lancehead --bench quantified

bench-wands: z3
	TREE='$(abspath $(TREE))' $(CARGO) bench --locked -p lancehead --bench wands

bench-verify: z3
	TREE='$(abspath $(TREE))' LIST='$(abspath $(LIST))' SILICON_TSV='$(abspath $(SILICON_TSV))' \
	    $(CARGO) bench --locked -p lancehead --bench verify

seeds: release
	LANCEHEAD_Z3='$(CURDIR)/.z3/z3' scripts/seeds '$(TREE)' $(if $(LIST),--list '$(LIST)') --seeds $(SEEDS) \
	    --tool '$(LANCEHEAD) verify'

install: release
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/lib/lancehead'
	install -m 755 $(LANCEHEAD) .z3/z3 '$(DESTDIR)$(PREFIX)/lib/lancehead'
	ln -sf ../lib/lancehead/lancehead '$(DESTDIR)$(PREFIX)/bin/lancehead'

clean:
	$(CARGO) clean
