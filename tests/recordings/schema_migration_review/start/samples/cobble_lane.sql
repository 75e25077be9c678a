-- Branch Cobble Lane, names changed. The steam mop was given away.
BEGIN;
CREATE TABLE members (
    id INTEGER PRIMARY KEY,
    card TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    joined TEXT NOT NULL,
    note TEXT
);
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    shelf TEXT NOT NULL,
    copies INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE loans (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id),
    member_id INTEGER NOT NULL REFERENCES members (id),
    out_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    back_on TEXT,
    fee REAL NOT NULL DEFAULT 0
);
CREATE INDEX ix_loans_due_on ON loans (due_on) WHERE back_on IS NULL;
CREATE INDEX ix_loans_member_id ON loans (member_id);
CREATE TRIGGER tr_loans_closed BEFORE UPDATE OF due_on, back_on ON loans
WHEN OLD.back_on IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a closed loan stays as it is');
END;
CREATE TABLE reservations (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    member_id INTEGER NOT NULL REFERENCES members (id) ON DELETE CASCADE,
    made_on TEXT NOT NULL
);
CREATE UNIQUE INDEX ux_reservations_item_id_member_id ON reservations (item_id, member_id);
INSERT INTO members (id, card, name, joined, note) VALUES
(1, '7101', 'Arne Lott', '2020-01-20', NULL),
(2, '7102', 'Gesa Pohl', '2021-02-21', NULL),
(3, '7103', 'Mats Orlo', '2022-03-22', NULL),
(4, '7104', 'Fenja Buhr', '2023-04-23', NULL);
INSERT INTO items (id, title, shelf, copies) VALUES
(1, 'bench saw', 'C1', 1),
(2, 'fondue set', 'A1', 2),
(3, 'steam mop', 'C2', 0),
(4, 'garden shredder', 'E1', 1);
INSERT INTO loans (id, item_id, member_id, out_on, due_on, back_on, fee) VALUES
(1, 3, 1, '2024-11-02', '2024-11-23', '2024-11-27', 1.16),
(2, 3, 4, '2024-12-03', '2024-12-24', '2024-12-20', 0),
(3, 1, 1, '2025-01-08', '2025-01-29', '2025-02-01', 0.87),
(4, 4, 1, '2025-01-10', '2025-01-31', '2025-02-01', 0.29),
(5, 2, 3, '2025-01-11', '2025-02-01', '2025-02-09', 2.32),
(6, 4, 3, '2025-01-12', '2025-02-02', '2025-02-04', 0.58),
(7, 2, 2, '2025-01-15', '2025-02-05', '2025-02-05', 0),
(8, 2, 2, '2025-01-16', '2025-02-06', NULL, 0),
(9, 4, 1, '2025-01-18', '2025-02-08', NULL, 0);
INSERT INTO reservations (item_id, member_id, made_on) VALUES
(1, 2, '2025-05-30'),
(4, 3, '2025-06-02');
PRAGMA user_version = 3;
COMMIT;
