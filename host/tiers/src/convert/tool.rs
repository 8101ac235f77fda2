//! The tool tier, whose two versions become one here. What a version cannot say is simply not said.

macro_rules! same_in_both {
    ($records:path, $toolbox:path) => {
        use crate::toolbox::{RawDefinition, Selection};
        use $records as records;
        use $toolbox as toolbox;

        pub(crate) fn selection(what: records::Selection) -> Selection {
            let limit = usize::try_from(what.limit).unwrap_or(usize::MAX);
            Selection { stream: what.stream_name, filter: what.filter, query: what.query, limit }
        }

        pub(crate) fn definition(raw: toolbox::Definition) -> RawDefinition {
            RawDefinition {
                name: raw.name,
                title: raw.title,
                description: raw.description,
                input_schema: raw.input_schema,
                record_parameters: raw.record_parameters,
            }
        }

        fn lines(lines: Vec<toolbox::AnswerLine>) -> Vec<(String, Option<u32>)> {
            lines.into_iter().map(|line| (line.text, line.slot)).collect()
        }
    };
}

/// `toolbox@0.1`: an answer cannot say how to go on.
pub(crate) mod v0_1 {
    use crate::toolbox::RawAnswer;

    same_in_both!(crate::wit::v0_1::imports::records, crate::wit::v0_1::toolbox);

    pub(crate) fn answer(answer: toolbox::Answer) -> RawAnswer {
        RawAnswer { lines: lines(answer.lines), data: answer.data, next: None }
    }
}

/// `toolbox@0.2`
pub(crate) mod v0_2 {
    use crate::toolbox::RawAnswer;

    same_in_both!(crate::wit::v0_2::records, crate::wit::v0_2::toolbox);

    pub(crate) fn answer(answer: toolbox::Answer) -> RawAnswer {
        RawAnswer { lines: lines(answer.lines), data: answer.data, next: answer.next }
    }
}
