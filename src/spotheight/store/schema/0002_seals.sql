-- A running checksum of events: each row digests the one before it and its event's text, so that
-- a changed bit shows even where what it changed can still be read. It stands apart from the
-- events because these are never changed, and older files have events without one.
CREATE TABLE seal (seq INTEGER PRIMARY KEY, digest TEXT NOT NULL) STRICT;

CREATE TRIGGER seal_is_never_changed BEFORE UPDATE ON seal
BEGIN
    SELECT RAISE(ABORT, 'checksums are never changed');
END;

CREATE TRIGGER seal_is_never_removed BEFORE DELETE ON seal
BEGIN
    SELECT RAISE(ABORT, 'checksums are never removed');
END;
