-- One file is one campaign, so no table carries a campaign's name.

-- What happened, in order. The rowid is the sequence number: of two writers that both want
-- to be next, the key refuses the second.
CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;

-- A gap would read as a lost label, and INSERT OR REPLACE would go around the triggers below.
CREATE TRIGGER event_follows_the_last BEFORE INSERT ON event
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM event)
BEGIN
    SELECT RAISE(ABORT, 'an event takes the number after the last one');
END;

-- Asks are recomputed from the log: a log that can be edited proves nothing.
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
BEGIN
    SELECT RAISE(ABORT, 'events are never changed; append a correction');
END;

CREATE TRIGGER event_is_never_removed BEFORE DELETE ON event
BEGIN
    SELECT RAISE(ABORT, 'events are never removed; append a correction');
END;

-- What holds for the whole campaign and may change without being history: where the pool lies.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
