//! Parts of the statements about the disclosure ledger.

/// The entries of the ledger that an owner means: from `?1` to before `?2`, of the grant `?3`, of the record `?4` to `?6`.
macro_rules! meant {
    () => {
        "WHERE at >= ?1 AND at < ?2 AND (CAST(?3 AS TEXT) IS NULL OR grant_id = ?3)
         AND (CAST(?4 AS TEXT) IS NULL OR connection = ?4) AND (CAST(?5 AS TEXT) IS NULL OR stream = ?5)
         AND (CAST(?6 AS TEXT) IS NULL OR rid = ?6) "
    };
}

/// The columns of a new entry of the ledger.
macro_rules! add_disclosure {
    ($values:literal) => {
        concat!(
            "INSERT INTO disclosure (at, grant_id, client, tool, connection, stream, rid, field, span_unit, span_start,
             span_end, bytes, tier) ",
            $values
        )
    };
}
