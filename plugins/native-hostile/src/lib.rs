//! Native libraries that break the contract, under `examples/`. The host's tests build and run them.
