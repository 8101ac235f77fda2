//! Kill -9 while an import runs: what was acknowledged is there, nothing is there by half, and a re-run completes.

mod import;
mod rounds;
mod verify;
