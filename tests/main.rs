//! End to end: the built program, driven as its users drive it, on real stores.
