//! Parts of the statements that list records in an order, or by their values.

/// The values of two granted fields of records, whose stream is found as told.
macro_rules! pair_of_values {
    ($scope:literal, $one:literal, $two:literal) => {
        concat!(
            "SELECT r.id, r.rid, a.kind, a.inline, a.nul_as, a.sha256, b.kind, b.inline, b.nul_as ",
            under_grant!(),
            "JOIN record r ON ",
            $scope,
            " = s.id AND ",
            record_in_sight!(),
            "LEFT JOIN grant_field ga ON ga.grant_id = g.id AND ga.scope = s.id AND ga.field = ",
            $one,
            " LEFT JOIN field a ON a.rec = r.id AND a.top = ga.field AND a.nested = 0
             LEFT JOIN grant_field gb ON gb.grant_id = g.id AND gb.scope = s.id AND gb.field = ",
            $two,
            " LEFT JOIN field b ON b.rec = r.id AND b.top = gb.field AND b.nested = 0 "
        )
    };
}

/// A stretch of a stream's records by a column, where a condition holds.
macro_rules! listed {
    ($column:literal, $beyond:literal, $way:literal, $if:expr) => {
        concat!(
            "SELECT r.id, r.rid, ",
            $column,
            ", r.emitted ",
            under_grant!(),
            "JOIN record r ON r.scope = s.id AND ",
            record_in_sight!(),
            grant_counts!(),
            "AND s.id = ?3 AND ",
            $if,
            // Said twice, so that a later page begins at its place in the index.
            "AND ",
            $column,
            " ",
            $beyond,
            "= ?4 AND (",
            $column,
            " ",
            $beyond,
            " ?4 OR (",
            $column,
            " = ?4
               AND (CAST(?6 AS BIGINT) > 0 OR (CAST(?6 AS BIGINT) = 0 AND r.rid ",
            $beyond,
            " ?5))))
             ORDER BY ",
            $column,
            " ",
            $way,
            ", r.rid ",
            $way,
            " LIMIT ?7"
        )
    };
}

/// What a list by a field's values reads of a record.
macro_rules! sorted {
    () => {
        concat!(
            "SELECT r.id, r.rid, ",
            known_time!(),
            ", r.emitted, f.kind, f.inline, f.nul_as ",
            under_grant!()
        )
    };
}

/// Records by a granted field's value from `?5` to before `?6`, beyond the value `?7`, and of that value those that `?9`
/// says: none (-1), those beyond the key `?8` (0), all (1).
macro_rules! valued {
    ($beyond:literal, $way:literal) => {
        concat!(
            sorted!(),
            "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?4
             JOIN filter_value v ON v.scope = s.id AND v.top = gf.field AND v.value >= ?5 AND v.value < ?6
             JOIN record r ON r.id = v.rec AND r.scope = s.id AND ",
            record_in_sight!(),
            "LEFT JOIN field f ON f.rec = r.id AND f.top = gf.field AND f.nested = 0 ",
            grant_counts!(),
            "AND s.id = ?3 AND v.value ",
            $beyond,
            "= ?7 AND (v.value ",
            $beyond,
            " ?7 OR (v.value = ?7
               AND (CAST(?9 AS BIGINT) > 0 OR (CAST(?9 AS BIGINT) = 0 AND r.rid ",
            $beyond,
            " ?8))))
             ORDER BY v.value ",
            $way,
            ", r.rid ",
            $way,
            " LIMIT ?10"
        )
    };
}

/// Records whose granted field has no value from `?5` on, by key, as `?7` and `?6` say where to go on.
macro_rules! unvalued {
    ($beyond:literal, $way:literal) => {
        concat!(
            sorted!(),
            "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?4
             JOIN record r ON r.scope = s.id AND ",
            record_in_sight!(),
            "LEFT JOIN field f ON f.rec = r.id AND f.top = gf.field AND f.nested = 0 ",
            grant_counts!(),
            "AND s.id = ?3 AND (CAST(?7 AS BIGINT) > 0 OR (CAST(?7 AS BIGINT) = 0 AND r.rid ",
            $beyond,
            " ?6)) AND NOT EXISTS (
               SELECT 1 FROM filter_value v
               WHERE v.rec = r.id AND v.top = gf.field AND v.scope = s.id AND v.value >= ?5)
             ORDER BY r.rid ",
            $way,
            " LIMIT ?8"
        )
    };
}
