//! Never finishes loading.

extern "C" fn for_ever() {
    loop {
        std::hint::spin_loop();
    }
}

/// Functions that run when the library is loaded.
#[used]
#[cfg_attr(not(target_os = "macos"), unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static AT_LOAD: extern "C" fn() = for_ever;
