import type { Migration } from '@parlance/platform/sqlite';

const EVENT_COLUMNS = `
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  source TEXT NOT NULL,
  time TEXT NOT NULL,
  key TEXT NOT NULL,
  traceparent TEXT,
  data TEXT NOT NULL`;

export const MIGRATIONS: readonly Migration[] = [
  (database) =>
    database.exec(`
      CREATE TABLE events (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        topic TEXT NOT NULL,
        published_at INTEGER NOT NULL,
        ${EVENT_COLUMNS}
      ) STRICT;
      CREATE INDEX events_by_topic ON events (topic, position);

      -- A group is done with every event of the topic up to its floor, and with those in done_events above it.
      CREATE TABLE consumer_groups (
        name TEXT NOT NULL,
        topic TEXT NOT NULL,
        floor INTEGER NOT NULL,
        seen_at INTEGER NOT NULL,
        PRIMARY KEY (name, topic)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE done_events (
        group_name TEXT NOT NULL,
        topic TEXT NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY (group_name, topic, position)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE dead_letters (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        group_name TEXT NOT NULL,
        topic TEXT NOT NULL,
        reason TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        failed_at TEXT NOT NULL,
        ${EVENT_COLUMNS}
      ) STRICT;
      -- Events that are to be delivered once more, to one group.
      CREATE TABLE replays (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        group_name TEXT NOT NULL,
        topic TEXT NOT NULL,
        ${EVENT_COLUMNS}
      ) STRICT;
      CREATE INDEX replays_by_group ON replays (group_name, topic, id);
    `),
  (database) =>
    database.exec(`
      CREATE INDEX events_by_key ON events (key);
      -- Keys whose events are to be removed, except the one that reports the erasure.
      CREATE TABLE erasures (
        key TEXT PRIMARY KEY,
        kept_event TEXT NOT NULL,
        requested_at INTEGER NOT NULL,
        -- Whether a group has yet to handle one of its events.
        unfinished INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX erasures_unfinished ON erasures (key) WHERE unfinished = 1;
    `),
];
