# The commands of everyday work. CI runs .ci/run, which is `make lint deny test` in the order of the fastest answer.

.PHONY: test test-guests lint fmt deny bench bench-corpus pictures soak

# Does all of its own set-up: it finds or installs Postgres, starts it on loopback and stops it.
test:
	cargo test --workspace --locked

# Only the tiers' own tests, natively, in a workspace of their own. `make test` runs them too, by a test in
# host/tiers/bundle.
test-guests:
	cargo test --locked --manifest-path plugins/Cargo.toml

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo fmt --all --check --manifest-path plugins/Cargo.toml
	cargo clippy --manifest-path plugins/Cargo.toml --all-targets --locked -- -D warnings

fmt:
	cargo fmt --all
	cargo fmt --all --manifest-path plugins/Cargo.toml

deny:
	cargo deny check --hide-inclusion-graph bans licenses sources

# Prints ratios, not times, so that two machines can be compared. BENCH=--quick shows in seconds that everything runs,
# BENCH='--only server' measures one group.
# Both programs are built at once, so that they share every dependency as the shipped one has it; `cargo run` would
# build most of them again with fewer features.
bench:
	cargo build --profile bench --locked -p stepwell -p stepwell-bench
	"$$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/stepwell-bench" $(BENCH)

# The group `corpus` alone. Nothing of it needs tiers, so it is built without wasmtime.
bench-corpus:
	cargo run --profile bench --locked -p stepwell-bench --no-default-features --bin stepwell-bench-corpus -- $(BENCH)

# The pictures of terminals in docs/pictures/, from real runs on the sample data.
pictures:
	cargo build --release --locked -p stepwell -p stepwell-testkit
	"$$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/stepwell-pictures" docs/pictures

# Chance calls under chance grants against a model of the store, from a new seed, which it prints: SOAK calls on each engine.
SOAK ?= 20000
soak:
	STEPWELL_SOAK=$(SOAK) cargo test --profile bench --locked -p stepwell-source --test main -- oracle beside --nocapture
