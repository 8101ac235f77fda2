# The commands of everyday work. CI runs .ci/run, which is `make lint deny test` in the order of the fastest answer.

.PHONY: test lint fmt deny bench

# Does all of its own set-up: it finds or installs Postgres, starts it on loopback and stops it.
test:
	cargo test --workspace --locked

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

fmt:
	cargo fmt --all

deny:
	cargo deny check --hide-inclusion-graph bans licenses sources

# Prints ratios, not times, so that two machines can be compared. BENCH=--quick shows in seconds that everything runs.
bench:
	cargo run --profile bench --locked -p stepwell-bench -- $(BENCH)
