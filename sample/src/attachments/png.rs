//! A picture, written by hand.

const SIDE: usize = 40;
const TILE: usize = 10;

/// Draws a roof of tiles in four colours.
pub(super) fn tiles() -> Vec<u8> {
    const COLOURS: [[u8; 3]; 4] = [[178, 72, 51], [92, 101, 112], [140, 94, 60], [201, 120, 84]];
    let mut rows = Vec::with_capacity(SIDE * (1 + SIDE * 3));
    for y in 0..SIDE {
        // Each row names its filter; 0 is none.
        rows.push(0);
        for x in 0..SIDE {
            let row = y / TILE;
            // Every other course is laid half a tile further, as on a roof.
            let column = (x + (row % 2) * TILE / 2) / TILE;
            let joint = y % TILE == 0 || (x + (row % 2) * TILE / 2).is_multiple_of(TILE);
            let colour = COLOURS[(row + column) % COLOURS.len()];
            rows.extend(if joint { [40, 34, 32] } else { colour });
        }
    }
    encode(&rows)
}

fn encode(rows: &[u8]) -> Vec<u8> {
    let side = (SIDE as u32).to_be_bytes();
    // 8 bits a channel, RGB, and the only defined compression, filter and no interlacing.
    let header = [&side[..], &side[..], &[8, 2, 0, 0, 0]].concat();
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, b"IHDR", &header);
    chunk(&mut png, b"IDAT", &stored(rows));
    chunk(&mut png, b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    let body = [&kind[..], data].concat();
    png.extend(&body);
    png.extend(crc32(&body).to_be_bytes());
}

/// Wraps the data in zlib without compressing it: one stored block, which holds up to 65,535 bytes.
fn stored(data: &[u8]) -> Vec<u8> {
    let length = data.len() as u16;
    let mut zlib = vec![0x78, 0x01, 0x01];
    zlib.extend(length.to_le_bytes());
    zlib.extend((!length).to_le_bytes());
    zlib.extend(data);
    zlib.extend(adler32(data).to_be_bytes());
    zlib
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 },
        )
    })
}

fn adler32(data: &[u8]) -> u32 {
    let (low, high) = data.iter().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_agree_with_their_published_check_values() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    }

    #[test]
    fn the_picture_fits_one_stored_block() {
        assert!(SIDE * (1 + SIDE * 3) <= usize::from(u16::MAX));
    }
}
