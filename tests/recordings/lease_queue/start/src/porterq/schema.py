"""The tables of the queue and how older files are brought up to date."""

from __future__ import annotations

import sqlite3

VERSION = 3

STEPS: dict[int, str] = {
    1: """
        CREATE TABLE jobs (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            payload TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'ready',
            attempts INTEGER NOT NULL DEFAULT 0,
            available_at INTEGER NOT NULL,
            token TEXT,
            worker_id TEXT,
            expires_at INTEGER
        );
    """,
    2: """
        CREATE TABLE events (
            id INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            job_id INTEGER NOT NULL,
            worker_id TEXT NOT NULL,
            what TEXT NOT NULL
        );
    """,
    3: """
        CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
        CREATE INDEX jobs_ready ON jobs (state, available_at);
        CREATE UNIQUE INDEX jobs_token ON jobs (token);
    """,
}


def migrate(connection: sqlite3.Connection) -> int:
    """Apply the missing steps; returns how many there were."""
    (current,) = connection.execute("PRAGMA user_version").fetchone()
    for version in range(current + 1, VERSION + 1):
        connection.executescript(STEPS[version])
        connection.execute(f"PRAGMA user_version = {version}")
    return VERSION - current
