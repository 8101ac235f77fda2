//! Whether blobs are what their names say, and whether anything still refers to them.

use crate::bind;
use crate::care::check::Check;
use crate::care::check::records::FieldRow;
use crate::care::pages::{Pages, Reading};
use crate::care::unused;
use crate::care::watch::ProblemCode;
use crate::error::Failure;
use crate::shape::Digest;
use sha2::{Digest as _, Sha256};

/// How many parts of 64 KiB are held at a time.
const PAGE: i64 = 32;

const PARTS: &str = "SELECT byte_start, data FROM blob_part WHERE sha256 = ?1 AND byte_start > ?2
    ORDER BY byte_start LIMIT ?3";

static BLOBS: Reading<(Vec<u8>, i64)> = Reading {
    name: "blobs",
    sql: "SELECT sha256, bytes FROM blob WHERE sha256 > ?1 ORDER BY sha256 LIMIT ?2",
    start: || bind![&[][..]],
    page: 500,
    read: |row| Ok((row.bytes_or_null()?.unwrap_or_default(), row.int()?)),
    key: |(digest, _)| bind![&digest[..]],
};

impl Check<'_> {
    /// Whether the bytes that a field refers to are there.
    pub(super) async fn file(&mut self, field: &FieldRow, place: String) -> Result<(), Failure> {
        let sql = "SELECT bytes FROM blob WHERE sha256 = ?1";
        let rows = self.session.rows("blob", sql, bind![&field.digest[..]]).await?;
        let bytes = rows.into_iter().next().map(|mut row| row.int()).transpose()?;
        if bytes != Some(field.bytes) {
            let there =
                bytes.map_or_else(|| "no blob".to_owned(), |bytes| format!("a blob of {bytes} bytes"));
            let detail = format!("it refers to {} bytes, and there is {there} of that digest", field.bytes);
            self.found(ProblemCode::BlobMissing, place, detail);
        }
        Ok(())
    }

    /// Checks blob after blob.
    pub(super) async fn blobs(&mut self) -> Result<(), Failure> {
        let session = self.session;
        self.watch.stage("blobs", session.number("blobs", "SELECT COUNT(*) FROM blob").await?);
        let mut blobs = Pages::of(&BLOBS);
        while let Some((digest, bytes)) = blobs.next(session).await? {
            self.blob(&digest, bytes).await?;
            self.checked.blobs += 1;
            self.watch.advance(1);
        }
        if let Some(mut row) =
            session.rows("unused blobs", &unused::count(), bind![]).await?.into_iter().next()
        {
            self.checked.unused_blobs = row.int()?.unsigned_abs();
            self.checked.unused_bytes = row.int()?.unsigned_abs();
        }
        Ok(())
    }

    async fn blob(&mut self, digest: &[u8], bytes: i64) -> Result<(), Failure> {
        let name = <[u8; 32]>::try_from(digest)
            .map_or_else(|_| "with a name of another length".to_owned(), |digest| Digest(digest).to_string());
        let place = format!("blob {name}");
        let (mut hash, mut at, mut after) = (Sha256::new(), 0, -1);
        loop {
            let page = self.session.rows("blob parts", PARTS, bind![digest, after, PAGE]).await?;
            let full = page.len() as i64 == PAGE;
            for mut row in page {
                let (start, data) = (row.int()?, row.bytes_or_null()?.unwrap_or_default());
                if start != at {
                    let detail = format!("the part at {start} does not follow the one that ends at {at}");
                    self.found(ProblemCode::BlobLength, place, detail);
                    return Ok(());
                }
                hash.update(&data);
                at += data.len() as i64;
                after = start;
            }
            if !full {
                break;
            }
        }
        self.checked.blob_bytes += at.unsigned_abs();
        if at != bytes {
            self.found(ProblemCode::BlobLength, place, format!("it has {at} bytes, and should have {bytes}"));
        } else if hash.finalize()[..] != *digest {
            self.found(ProblemCode::BlobDigest, place, "its bytes do not have its digest");
        }
        Ok(())
    }
}
