//! What a set of tiers has been through, for the log, when its time is over.

use stepwell_server::Server;

/// Logs a line for each tier that is on.
pub(super) fn log(server: &Server) {
    for tier in server.tiers().iter().filter(|tier| tier.calls > 0) {
        let faults: Vec<String> = tier
            .faults
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(phase, count)| format!("{count} {phase}"))
            .collect();
        let faults = if faults.is_empty() { "none".to_owned() } else { faults.join(", ") };
        tracing::info!(
            tier = tier.name,
            calls = tier.calls,
            messages = tier.messages,
            faults,
            "tier counters"
        );
    }
}
