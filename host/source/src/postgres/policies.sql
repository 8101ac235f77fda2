
-- Version 5, its second part: a second line behind the statements. A session sees the streams and the fields of the grant
-- that it says it reads for (`stepwell.grant_id`), or everything if it says that it works for the owner (`stepwell.owner`). One
-- that says nothing sees nothing. FORCE, because most programs connect as the owner of the tables, whom policies would not
-- bind otherwise.
--
-- What a grant covers is looked up once for a statement, as a list, and a row that stands below a record is judged by a
-- look-up of that record. Written as EXISTS, it would now and then be worked out for all records at once.
--
-- `unit` has no policy: with one, Postgres would no longer look words up in their index, because it cannot know that the
-- look-up tells nothing. It holds no text, and whatever it leads to has a policy.
CREATE POLICY second_line ON record USING (
    (SELECT current_setting('stepwell.owner', true)) = 'on'
    OR scope = ANY (ARRAY(SELECT gs.scope FROM grant_scope gs WHERE gs.grant_id = current_setting('stepwell.grant_id', true))));
CREATE POLICY second_line ON field USING (
    (SELECT current_setting('stepwell.owner', true)) = 'on'
    OR (top = ANY (ARRAY(SELECT gf.field FROM grant_field gf WHERE gf.grant_id = current_setting('stepwell.grant_id', true)))
        AND (SELECT true FROM record r WHERE r.id = field.rec)));
CREATE POLICY second_line ON seg USING (
    (SELECT current_setting('stepwell.owner', true)) = 'on' OR (SELECT true FROM field f WHERE f.id = seg.field));
CREATE POLICY second_line ON blob_part USING (
    (SELECT current_setting('stepwell.owner', true)) = 'on'
    OR (SELECT true FROM field f WHERE f.sha256 = blob_part.sha256 AND f.kind = 4 LIMIT 1));
CREATE INDEX field_by_blob ON field (sha256) WHERE kind = 4;
CREATE POLICY second_line ON filter_value USING (
    (SELECT current_setting('stepwell.owner', true)) = 'on'
    OR (scope = ANY (ARRAY(SELECT gs.scope FROM grant_scope gs WHERE gs.grant_id = current_setting('stepwell.grant_id', true)))
        AND top = ANY (ARRAY(SELECT gf.field FROM grant_field gf WHERE gf.grant_id = current_setting('stepwell.grant_id', true)))));
CREATE POLICY second_line ON scope_field USING (
    (SELECT current_setting('stepwell.owner', true)) = 'on'
    OR (scope = ANY (ARRAY(SELECT gs.scope FROM grant_scope gs WHERE gs.grant_id = current_setting('stepwell.grant_id', true)))
        AND field = ANY (ARRAY(SELECT gf.field FROM grant_field gf WHERE gf.grant_id = current_setting('stepwell.grant_id', true)))));
CREATE POLICY second_line ON former_record USING (
    (SELECT current_setting('stepwell.owner', true)) = 'on'
    OR scope = ANY (ARRAY(SELECT gs.scope FROM grant_scope gs WHERE gs.grant_id = current_setting('stepwell.grant_id', true))));
CREATE POLICY second_line ON former_field USING (
    (SELECT current_setting('stepwell.owner', true)) = 'on' OR (SELECT true FROM record r WHERE r.id = former_field.rec));
CREATE POLICY second_line ON mark USING (
    (SELECT current_setting('stepwell.owner', true)) = 'on'
    OR scope = ANY (ARRAY(SELECT gs.scope FROM grant_scope gs WHERE gs.grant_id = current_setting('stepwell.grant_id', true))));
ALTER TABLE record ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE field ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE seg ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE blob_part ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE filter_value ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE scope_field ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE former_record ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE former_field ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE mark ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
