//! A name for each request, so that what a client saw can be found in the log.

/// Makes a fresh one.
pub(crate) fn request_id() -> String {
    let mut bits = [0; 8];
    // Without random bits the name is not unique, which costs an operator a second look and nothing else.
    let _ = getrandom::fill(&mut bits);
    format!("req_{:016x}", u64::from_be_bytes(bits))
}
