//! The engine's settings.

use crate::limits;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, WasmFeatures};

/// Starts an engine with a pool of instances; where the machine does not give the address space, without one.
pub(super) fn start() -> wasmtime::Result<Engine> {
    let mut config = settings();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool()));
    Engine::new(&config).or_else(|error| {
        tracing::warn!("no pool of instances on this machine, tiers start more slowly: {error:#}");
        Engine::new(&settings())
    })
}

fn settings() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(limits::STACK_BYTES)
        // The same input gives the same plan on every machine.
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        // The code between the parts of a component that was put together from several has the memories of both.
        .wasm_multi_memory(true)
        // Nothing here needs these, and what is off cannot be wrong.
        .wasm_features(WasmFeatures::THREADS, false)
        .wasm_memory64(false)
        .wasm_gc(false)
        .concurrency_support(false)
        // A backtrace names functions of the guest; nobody is shown one.
        .wasm_backtrace_max_frames(None);
    config
}

fn pool() -> PoolingAllocationConfig {
    // One more, for a guest that is asked something while it is loaded.
    let calls = limits::CONCURRENT_CALLS + 1;
    let memory = limits::MEMORY_MB as usize * 1024 * 1024;
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(calls)
        .total_core_instances(calls * limits::CORE_INSTANCES)
        .max_core_instances_per_component(limits::CORE_INSTANCES)
        .total_memories(calls * limits::MEMORIES)
        .max_memories_per_component(limits::MEMORIES)
        .total_tables(calls * limits::TABLES)
        .max_tables_per_component(limits::TABLES)
        .table_elements(limits::TABLE_ELEMENTS)
        .max_memory_size(memory)
        .linear_memory_keep_resident(limits::KEEP_RESIDENT)
        .table_keep_resident(limits::KEEP_RESIDENT)
        .pagemap_scan(Enabled::Auto);
    pool
}
