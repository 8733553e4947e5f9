import type { Migration } from '@parlance/platform/sqlite';

export const MIGRATIONS: readonly Migration[] = [
  (database) =>
    database.exec(`
      CREATE TABLE tasks (
        -- The order of adding.
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        queue TEXT NOT NULL,
        id TEXT NOT NULL,
        -- Account and group in one text, for one index over both.
        lane TEXT NOT NULL,
        group_name TEXT NOT NULL,
        task_key TEXT,
        priority INTEGER NOT NULL,
        -- waiting: can run now; delayed: not before due_at; blocked: behind another task of its key; running; dead
        state TEXT NOT NULL,
        enqueued_at INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        audio_seconds REAL,
        payload TEXT NOT NULL,
        traceparent TEXT,
        attempt INTEGER NOT NULL DEFAULT 1,
        outages INTEGER NOT NULL DEFAULT 0,
        waited_ms REAL NOT NULL DEFAULT 0,
        fencing_token INTEGER NOT NULL,
        worker TEXT,
        lease_until INTEGER,
        reason TEXT,
        failed_at INTEGER
      ) STRICT;
      CREATE UNIQUE INDEX tasks_by_id ON tasks (queue, id);
      CREATE INDEX tasks_waiting ON tasks (queue, lane, priority DESC, position) WHERE state = 'waiting';
      CREATE INDEX tasks_by_state ON tasks (queue, state, due_at, audio_seconds);
      CREATE INDEX tasks_by_group ON tasks (queue, group_name);
      CREATE INDEX tasks_dead ON tasks (failed_at) WHERE state = 'dead';
      CREATE INDEX tasks_by_key ON tasks (queue, task_key, state, position) WHERE task_key IS NOT NULL;

      -- Tasks that each process runs at once.
      CREATE TABLE capacities (
        worker TEXT NOT NULL,
        queue TEXT NOT NULL,
        capacity INTEGER NOT NULL,
        PRIMARY KEY (worker, queue)
      ) STRICT, WITHOUT ROWID;
    `),
  // When a running task that was woken is due again.
  (database) => database.exec('ALTER TABLE tasks ADD COLUMN wake_at INTEGER'),
  // A worker stays with its task until it hands the lease back: the next claim counts the lease as taken over.
  (database) =>
    database.exec(`
      ALTER TABLE tasks ADD COLUMN take_overs INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE tasks ADD COLUMN is_taken_over INTEGER NOT NULL DEFAULT 0;
      UPDATE tasks SET worker = NULL WHERE state <> 'running';
    `),
];
