//! Who talks to whom.

use super::{EXPORTED_AT, Line};
use crate::Record;
use serde_json::{Value, json};

/// One room.
pub(super) struct Room {
    id: &'static str,
    title: &'static str,
    topic: Option<&'static str>,
    members: &'static [(&'static str, &'static str)],
    settings: Value,
}

impl Room {
    pub(super) fn record(self, lines: &[Line]) -> Record {
        let mine = || lines.iter().filter(|line| line.room == self.id);
        let participants: Vec<_> = self
            .members
            .iter()
            .enumerate()
            .map(|(index, (name, handle))| {
                json!({ "name": name, "handle": handle, "admin": index == 0, "pronouns": null })
            })
            .collect();
        let data = json!({
            "id": self.id,
            "title": self.title,
            "topic": self.topic,
            "kind": if self.members.len() == 2 { "direct" } else { "group" },
            "participants": participants,
            "settings": self.settings,
            "message_count": mine().count(),
            "updated_at": mine().map(|line| line.at).max().unwrap_or(EXPORTED_AT),
        });
        Record { key: self.id.to_owned(), emitted_at: EXPORTED_AT.to_owned(), data }
    }
}

pub(super) fn all() -> Vec<Room> {
    vec![
        Room {
            id: "tomas",
            title: "Tomas",
            topic: None,
            members: &[("Ilse", "@ilse"), ("Tomas", "@tq")],
            settings: json!({ "muted": false, "pinned": true, "wallpaper": { "kind": "colour", "value": "#2f5d62" } }),
        },
        Room {
            id: "roof",
            title: "Roof & rain 🏠☔",
            topic: Some("What is up there, what it costs, who feeds Slate"),
            members: &[("Nettie", "@nettiepell"), ("Ilse", "@ilse"), ("Tomas", "@tq"), ("Bram", "@bram.p")],
            settings: json!({ "muted": false, "pinned": true, "wallpaper": null }),
        },
        Room {
            id: "altos",
            title: "Saltmarsh altos 𝄢",
            topic: Some("Low, warm, late"),
            members: &[("Oddny", "@oddny"), ("Ilse", "@ilse"), ("Marisol", "@marisol"), ("Bente", "@bente")],
            settings: json!({ "muted": false, "pinned": false, "slow_mode_seconds": 0 }),
        },
        Room {
            id: "zurich",
            title: "Zürich crew 🇨🇭",
            topic: Some("Trams, cheese, side door in Kuckucksgasse"),
            members: &[("Cosmo", "@cosmo"), ("Ilse", "@ilse"), ("Tomas", "@tq"), ("Marisol", "@marisol")],
            settings: json!({ "muted": true, "muted_until": "2025-06-01T00:00:00Z", "expires": { "days": 365 } }),
        },
        Room {
            id: "plover",
            title: "Plover nights",
            topic: Some("Only what cannot wait until breakfast"),
            members: &[("Ravi", "@ravi"), ("Ilse", "@ilse"), ("Hedda", "@hedda")],
            settings: json!({ "muted": false, "alerts": ["call", "buzz", { "after_minutes": 5, "then": "siren" }] }),
        },
        Room {
            id: "circle",
            title: "Ferry Reading Circle",
            topic: Some("Cups, books, boats. Deck word for guests: vole-indigo-4929"),
            members: &[
                ("Wanjiru", "@wanjiru"),
                ("Dov", "@dov"),
                ("Ilse", "@ilse"),
                ("Mei", "@mei"),
                ("Samira", "@samira"),
            ],
            settings: json!({ "muted": true, "languages": ["en", "he", "zh", "ar", "ja"], "translate": false }),
        },
    ]
}
