//! A chunk of a text and those beside it: what the words of an entry of the word index are made from.

/// The end of the chunk before and the whole chunk after, as columns. They belong to [`neighbours`].
macro_rules! beside {
    () => {
        "substr(p.text, CAST(p.chars AS INTEGER), 1), n.text"
    };
}

/// Joins the chunk `t` of an entry of the word index, and the chunks before and after it. No chunk is longer than 4,096
/// code points, so the one before is looked for no further back.
macro_rules! neighbours {
    ($unit:literal) => {
        concat!(
            " LEFT JOIN seg t ON t.field = ",
            $unit,
            ".field AND t.char_start = ",
            $unit,
            ".char_start
              LEFT JOIN seg p ON p.field = ",
            $unit,
            ".field AND p.char_start >= ",
            $unit,
            ".char_start - 4096
                AND p.char_start < ",
            $unit,
            ".char_start AND p.char_start + p.chars = ",
            $unit,
            ".char_start
              LEFT JOIN seg n ON n.field = ",
            $unit,
            ".field AND n.char_start = ",
            $unit,
            ".char_start + t.chars "
        )
    };
}

pub(super) use {beside, neighbours};

#[cfg(test)]
mod tests {
    #[test]
    fn the_chunk_before_is_looked_for_as_far_back_as_a_chunk_is_long() {
        assert!(super::neighbours!("u").contains(&format!("- {}\n", crate::prepare::CHUNK_MAX.get())));
    }
}
