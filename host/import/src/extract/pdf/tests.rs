//! Pages as programs write them, as short as they can be: without a table of objects, which readers make up for.

use super::*;

/// A file of one page that draws something, with its fonts and drawings as further objects from 5 on.
fn page(resources: &str, content: &str, others: &[&str]) -> String {
    let mut file = format!(
        "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n\
         3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << {resources} >> >>\nendobj\n\
         4 0 obj\n{}\nendobj\n",
        stream("", content)
    );
    for (number, object) in (5..).zip(others) {
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    file + "trailer\n<< /Root 1 0 R >>\n"
}

fn stream(about: &str, content: &str) -> String {
    format!("<< {about} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

fn read(resources: &str, content: &str, others: &[&str]) -> String {
    text(page(resources, content, others).into_bytes()).expect("a text")
}

const LATIN: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Times /Encoding /WinAnsiEncoding /FirstChar 32 /Widths [250 333 500] >>";

#[test]
fn words_lines_and_paragraphs_are_told_by_their_places() {
    let said = |content: &str| {
        let content = format!("BT /F1 10 Tf {content} ET");
        read("/Font << /F1 5 0 R >>", &content, &[LATIN])
    };
    assert_eq!(said("50 700 Td (one) Tj 0 -12 Td (two) Tj 0 -30 Td (three) Tj"), "one\ntwo\n\nthree");
    assert_eq!(said("50 700 Td [(o) 20 (n) -30 (e) -300 (two)] TJ"), "one two");
    assert_eq!(said("50 700 Td (a) Tj 200 0 Td (b) Tj"), "a\tb");
    assert_eq!(said("12 TL 50 700 Td (a) Tj T* (b) Tj (c) ' 0 0 (d) \""), "a\nb\nc\nd");
    assert_eq!(
        said("50 700 Td (H) Tj 5 Ts (2) Tj 0 Ts (O) Tj"),
        "H2O",
        "what stands a little higher is on the line"
    );
    assert_eq!(said("0 1 -1 0 50 50 Tm (up) Tj 12 0 Td (wards) Tj"), "up wards", "a line may lead anywhere");
    assert_eq!(said("50 700 Td (caf\\351 \\223x\\224) Tj"), "café “x”");
}

#[test]
fn the_names_of_glyphs_say_what_codes_mean() {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /X /Encoding << /Differences [1 /eacute /f_f_i /uni20AC /Scaron.sc /g17 65 /alpha] >> >>";
    let said = read("/Font << /F1 5 0 R >>", "BT /F1 10 Tf (\\001\\002\\003\\004\\005ABCDEF) Tj ET", &[font]);
    assert_eq!(said, "éffi€Š\u{fffd}αBCDEF");
    for (name, text) in [("rcommaaccent", "ŗ"), ("Lslash", "Ł"), ("uni00410042", "AB"), ("u1F600", "😀")]
    {
        assert_eq!(glyphs::text(name).as_deref(), Some(text), "{name}");
    }
    for name in ["", ".notdef", "g17", "uniXY", "f_g17"] {
        assert_eq!(glyphs::text(name), None, "{name}");
    }
}

#[test]
fn a_font_of_many_glyphs_is_read_by_what_the_file_notes() {
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Subtype /CIDFontType2 /DW 1000 /W [1 [500 500] 3 4 250] >>] /ToUnicode 6 0 R >>";
    let notes = stream(
        "",
        "begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfchar <0001> <65E5> <0002> <00660069> endbfchar 1 beginbfrange <0003> <0004> <0041> endbfrange endcmap",
    );
    let said = read("/Font << /F1 5 0 R >>", "BT /F1 10 Tf <00010002000300040001> Tj ET", &[font, &notes]);
    assert_eq!(said, "日fiAB日");
    let unknown = read("/Font << /F1 5 0 R >>", "BT /F1 10 Tf <00090009> Tj ET", &[font, &notes]);
    assert_eq!(unknown, "", "codes without a meaning are no text");
    for (encoding, codes) in [("90ms-RKSJ-H", "93fa967b"), ("UniJIS-UTF16-H", "65e5672c")] {
        let font = format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /{encoding} /DescendantFonts [<< >>] >>"
        );
        let said = read("/Font << /F1 5 0 R >>", &format!("BT /F1 10 Tf <{codes}> Tj ET"), &[&font]);
        assert_eq!(said, "日本", "{encoding}");
    }
}

#[test]
fn drawings_in_drawings_are_followed() {
    let inner =
        stream("/Subtype /Form /Resources << /Font << /F1 5 0 R >> >>", "BT /F1 10 Tf (inside) Tj ET");
    let outer =
        stream("/Subtype /Form /Matrix [1 0 0 1 0 50] /Resources << /XObject << /X 6 0 R >> >>", "/X Do");
    let content = "q 1 0 0 1 50 600 cm BT /F1 10 Tf (first) Tj ET Q q 1 0 0 1 50 500 cm /X Do Q";
    assert_eq!(
        read("/Font << /F1 5 0 R >> /XObject << /X 7 0 R >>", content, &[LATIN, &inner, &outer]),
        "first\n\ninside"
    );
}

#[test]
fn nonsense_ends_in_a_fault_or_in_nothing() {
    for file in ["", "%PDF-", "%PDF-1.7\nxref\n0 0\ntrailer\n<< >>", "no PDF"] {
        assert_eq!(text(file.into()), Err(NoText::Broken), "{file}");
    }
    let odd = "BT 1 0 0 Tf /Nope 10 Tf (x) Tj ET Q Q Q q q BT [(x) (] TJ ] 99999999999999999999 Td /F1 1e300 Tf (y) Tj ET";
    assert!(text(page("/Font << /F1 5 0 R >>", odd, &[LATIN]).into_bytes()).is_ok());
}
