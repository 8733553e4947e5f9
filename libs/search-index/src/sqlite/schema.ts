import type { Migration } from '@parlance/platform/sqlite';

/**
 * The terms of a passage are made by this package and lie in FTS5 with spaces between: its `ascii` tokenizer then leaves them as
 * they are. `secure-delete` removes them when their passage goes (https://www.sqlite.org/fts5.html#the_secure_delete_configuration_option).
 */
export const MIGRATIONS: readonly Migration[] = [
  (database) =>
    database.exec(`
      CREATE TABLE jobs (
        id INTEGER PRIMARY KEY,
        account_id TEXT NOT NULL,
        job_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        created_at TEXT NOT NULL DEFAULT '',
        duration REAL NOT NULL DEFAULT 0,
        metadata TEXT NOT NULL DEFAULT '[]',
        passages INTEGER NOT NULL DEFAULT 0,
        UNIQUE (account_id, job_id)
      );
      CREATE TABLE passages (
        id INTEGER PRIMARY KEY,
        job INTEGER NOT NULL,
        passage_id TEXT NOT NULL,
        language TEXT NOT NULL,
        speaker_id TEXT,
        speaker_name TEXT,
        speaker_id_key TEXT,
        speaker_name_key TEXT,
        start_time REAL NOT NULL,
        end_time REAL NOT NULL,
        times TEXT NOT NULL,
        text TEXT NOT NULL,
        embedding BLOB
      );
      CREATE UNIQUE INDEX passages_of_job ON passages (job, passage_id);
      CREATE VIRTUAL TABLE passage_terms USING fts5 (terms, tokenize = 'ascii');
      INSERT INTO passage_terms (passage_terms, rank) VALUES ('secure-delete', 1);
      CREATE TABLE vocabulary (
        account_id TEXT NOT NULL,
        term TEXT NOT NULL,
        passages INTEGER NOT NULL,
        PRIMARY KEY (account_id, term)
      ) WITHOUT ROWID;
      CREATE TABLE deleted_accounts (account_id TEXT PRIMARY KEY) WITHOUT ROWID;
    `),
];
