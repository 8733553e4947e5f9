import type { DatabaseSync } from 'node:sqlite';

/** The state of a task that nothing of its key blocks; ?1 is now. One that was due when it was added never waits, whatever its producer's clock said. */
const FREE_STATE = "CASE WHEN due_at > ?1 AND due_at > enqueued_at THEN 'delayed' ELSE 'waiting' END";

/** A task whose end would let the next of its key run. */
const HOLDS_KEY = "state IN ('waiting', 'delayed', 'running')";

/** A worker may have the task: also one whose lease ran out, until another worker claims it. */
const IS_HELD = "state IN ('running', 'waiting')";

/** The lease is the caller's: an expired one that no other worker got included. */
const OF_LEASE = "queue = ? AND id = ? AND fencing_token = ? AND state <> 'dead'";

/** When a task is due whose lease ends; ?2 is the time without a wake-up. */
const PUT_BACK_DUE = 'min(?2, coalesce(wake_at, ?2))';

const NEXT_LANE = "SELECT lane FROM tasks WHERE queue = ?1 AND state = 'waiting'";

export function taskStatements(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    insert: prepare(`
      INSERT INTO tasks (queue, id, lane, group_name, task_key, priority, state, enqueued_at, due_at, audio_seconds, payload, traceparent, fencing_token)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (queue, id) DO NOTHING`),
    wake: prepare(`
      UPDATE tasks SET
        state = CASE WHEN state = 'delayed' AND min(due_at, ?2) <= ?1 THEN 'waiting' ELSE state END,
        due_at = CASE WHEN state = 'running' THEN due_at ELSE min(due_at, ?2) END,
        wake_at = CASE WHEN ${IS_HELD} THEN min(coalesce(wake_at, ?2), ?2) END
      WHERE queue = ?3 AND id = ?4 AND state <> 'dead'`),
    holdsKey: prepare(`SELECT 1 FROM tasks WHERE queue = ? AND task_key = ? AND state IN ('waiting', 'delayed', 'running', 'blocked')`),
    freeKey: prepare(`
      UPDATE tasks SET state = ${FREE_STATE} WHERE position = (
        SELECT position FROM tasks WHERE queue = ?2 AND task_key = ?3 AND state = 'blocked' ORDER BY position LIMIT 1)
        AND NOT EXISTS (SELECT 1 FROM tasks WHERE queue = ?2 AND task_key = ?3 AND ${HOLDS_KEY})`),
    due: prepare(`UPDATE tasks SET state = 'waiting' WHERE queue = ?2 AND state = 'delayed' AND due_at <= ?1`),
    nextDue: prepare(`SELECT min(due_at) AS due_at FROM tasks WHERE queue = ? AND state = 'delayed'`),
    // One step of the index for each lane, however many tasks wait.
    lanes: prepare(`
      WITH RECURSIVE lanes (lane) AS (
        SELECT (${NEXT_LANE} AND tasks.lane > ?2 ORDER BY lane LIMIT 1)
        UNION ALL
        SELECT (${NEXT_LANE} AND tasks.lane > lanes.lane ORDER BY lane LIMIT 1) FROM lanes WHERE lanes.lane IS NOT NULL
        LIMIT ?3)
      SELECT lane FROM lanes WHERE lane IS NOT NULL`),
    running: prepare(`SELECT lane, count(*) AS count FROM tasks WHERE queue = ? AND state = 'running' GROUP BY lane`),
    claim: prepare(`
      UPDATE tasks SET state = 'running', fencing_token = fencing_token + 1, worker = ?3, lease_until = ?4, wake_at = NULL,
        take_overs = take_overs + (worker IS NOT NULL), is_taken_over = worker IS NOT NULL
      WHERE position = (
        SELECT position FROM tasks WHERE queue = ?1 AND state = 'waiting' AND lane = ?2 ORDER BY priority DESC, position LIMIT 1)
      RETURNING *`),
    renew: prepare(`UPDATE tasks SET state = 'running', worker = ?, lease_until = ? WHERE ${OF_LEASE}`),
    prolong: prepare(`UPDATE tasks SET state = 'running', lease_until = ? WHERE ${OF_LEASE}`),
    takeOver: prepare(`UPDATE tasks SET state = 'waiting' WHERE queue = ? AND state = 'running' AND lease_until < ?`),
    hasExpired: prepare(`SELECT 1 FROM tasks WHERE queue = ? AND state = 'running' AND lease_until < ?`),
    freeAll: prepare(`UPDATE tasks SET state = 'waiting' WHERE state = 'running'`),
    complete: prepare(`DELETE FROM tasks WHERE ${OF_LEASE} AND wake_at IS NULL RETURNING task_key`),
    putBack: prepare(`
      UPDATE tasks SET state = CASE WHEN ${PUT_BACK_DUE} > ?1 THEN 'delayed' ELSE 'waiting' END, due_at = ${PUT_BACK_DUE}, wake_at = NULL,
        fencing_token = fencing_token + 1, attempt = ?3, outages = ?4, waited_ms = ?5, take_overs = ?9, worker = NULL
      WHERE queue = ?6 AND id = ?7 AND fencing_token = ?8 AND state <> 'dead' RETURNING due_at`),
    bury: prepare(`UPDATE tasks SET state = 'dead', wake_at = NULL, reason = ?, failed_at = ? WHERE ${OF_LEASE} RETURNING task_key`),
    removeGroup: prepare(`DELETE FROM tasks WHERE queue = ? AND group_name = ? RETURNING task_key, state`),
    states: prepare(`
      SELECT state, count(*) AS count, min(due_at) AS oldest, sum(audio_seconds) AS audio_seconds, sum(due_at <= ?2) AS due
      FROM tasks WHERE queue = ?1 GROUP BY state`),
    announce: prepare('INSERT INTO capacities (worker, queue, capacity) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET capacity = excluded.capacity'),
    leave: prepare('DELETE FROM capacities WHERE worker = ?'),
    forgetWorkers: prepare('DELETE FROM capacities'),
    capacity: prepare('SELECT sum(capacity) AS capacity FROM capacities WHERE queue = ?'),
    deadTasks: prepare(`SELECT * FROM tasks WHERE (?1 IS NULL OR queue = ?1) AND state = 'dead' ORDER BY failed_at DESC, position DESC LIMIT ?2`),
    deadTask: prepare(`SELECT * FROM tasks WHERE queue = ? AND id = ? AND state = 'dead'`),
    replay: prepare(`
      UPDATE tasks SET state = ?, due_at = ?, fencing_token = fencing_token + 1, attempt = 1, outages = 0, waited_ms = 0, take_overs = 0, worker = NULL, reason = NULL, failed_at = NULL
      WHERE queue = ? AND id = ? AND state = 'dead'`),
    drop: prepare(`DELETE FROM tasks WHERE queue = ? AND id = ? AND state = 'dead'`),
    hasOldDead: prepare(`SELECT 1 FROM tasks WHERE state = 'dead' AND failed_at < ?`),
    forgetDead: prepare(`DELETE FROM tasks WHERE state = 'dead' AND failed_at < ?`),
    alive: prepare('SELECT 1'),
  };
}
