//! Wraps a core module, which carries its WIT in custom sections, as a component.

use crate::exit::UsageError;

/// How every core module begins, and how every component does: they differ in the version's second half.
const MODULE: &[u8] = b"\0asm\x01\0\0\0";
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// Makes a component of a module.
pub(super) fn component(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    if module.starts_with(COMPONENT) {
        let message = "the file is a component already; look at it with: stepwell plugin check FILE";
        return Err(UsageError(message.into()).into());
    }
    if !module.starts_with(MODULE) {
        return Err(UsageError("the file is no WebAssembly module".into()).into());
    }
    let encode = || wit_component::ComponentEncoder::default().validate(true).module(module)?.encode();
    encode().map_err(|error| {
        let reason = format!("{error:#}");
        // The one mistake that nearly everybody makes once.
        let hint = if reason.contains("wasi") {
            "; build it for wasm32-unknown-unknown, which has no WASI"
        } else {
            "; is it a tier, with the SDK's export! in it?"
        };
        anyhow::anyhow!("the module cannot become a component: {reason}{hint}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_module_is_refused_in_words() {
        for (bytes, why) in
            [(&b"#!/bin/sh"[..], "no WebAssembly module"), (b"", "no WebAssembly"), (COMPONENT, "already")]
        {
            let error = component(bytes).unwrap_err();
            assert!(error.is::<UsageError>() && error.to_string().contains(why), "{error}");
        }
        assert!(component(&MODULE[..7]).is_err());
    }
}
