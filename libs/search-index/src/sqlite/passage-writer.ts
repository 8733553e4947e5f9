import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { indexTerms } from '../analysis/terms.js';
import { DELETED_VERSION, metadataKeys, speakerKey } from '../checked-input.js';
import type { IndexedJob, JobVersion, Passage, Speaker } from '../search-index.js';
import type { AccountVectors } from './account-vectors.js';
import { encodeEmbedding } from './stored-embedding.js';

/** Passages that are written before waiting searches get their turn, which takes some milliseconds. */
const SLICE = 16;
/** Rows of the vocabulary, which are smaller. */
const TERM_SLICE = 256;

interface Work {
  accountId: string;
  added: { id: number; embedding: Uint8Array }[];
  removed: number[];
  /** By how many passages each term is in more of the account's. */
  terms: Map<string, number>;
}

/**
 * Writes to the file, one write after the other. Each is one transaction, done in slices. Between the slices, searches
 * continue on a connection of their own and see the state before the transaction.
 */
export class PassageWriter {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: DatabaseSync,
    private readonly vectors: AccountVectors,
  ) {}

  put(job: IndexedJob): Promise<boolean> {
    return this.commit(job.accountId, async (work) => {
      const { accountId, jobId, version, createdAt, duration } = job;
      const before = this.jobAt(job);
      if (!before) return false;
      await this.removePassages(before.id, work);
      const values = [version, createdAt, duration, JSON.stringify(metadataKeys(job.metadata)), job.passages.length];
      const id =
        before.id ??
        this.run('INSERT INTO jobs (account_id, job_id, version) VALUES (?, ?, ?)', accountId, jobId, version);
      this.run('UPDATE jobs SET version = ?, created_at = ?, duration = ?, metadata = ?, passages = ? WHERE id = ?', ...values, id);
      await inSlices(job.passages, SLICE, (passage) => this.insert(id, passage, work));
      return true;
    });
  }

  updateSpeakers(job: JobVersion, speakers: Readonly<Record<string, Speaker>>): Promise<boolean> {
    return this.commit(job.accountId, async () => {
      const before = this.jobAt(job);
      if (!before) return false;
      if (before.id === undefined) {
        this.run('INSERT INTO jobs (account_id, job_id, version) VALUES (?, ?, ?)', job.accountId, job.jobId, job.version);
        return false;
      }
      const passages = this.database.prepare('SELECT id, speaker_id FROM passages WHERE job = ? AND speaker_id IN (SELECT value FROM json_each(?))');
      const spoken = passages.all(before.id, JSON.stringify(Object.keys(speakers)));
      await inSlices(spoken, TERM_SLICE, ({ id, speaker_id }) => {
        const speaker = speakers[String(speaker_id)] as Speaker;
        this.run('UPDATE passages SET speaker_id = ?, speaker_name = ?, speaker_id_key = ?, speaker_name_key = ? WHERE id = ?', ...speakerValues(speaker), id as number);
      });
      this.run('UPDATE jobs SET version = ? WHERE id = ?', job.version, before.id);
      return true;
    });
  }

  deleteJob(accountId: string, jobId: string): Promise<void> {
    return this.commit(accountId, async (work) => {
      const id = this.jobId(accountId, jobId);
      await this.removePassages(id, work);
      if (id !== undefined) this.run('DELETE FROM jobs WHERE id = ?', id);
      this.run('INSERT INTO jobs (account_id, job_id, version) VALUES (?, ?, ?)', accountId, jobId, DELETED_VERSION);
    });
  }

  /** Hides the account at once; then removes its jobs one by one, so that other writes get their turn. */
  async deleteAccount(accountId: string): Promise<void> {
    await this.commit(accountId, async () => {
      this.run('INSERT OR IGNORE INTO deleted_accounts (account_id) VALUES (?)', accountId);
      this.vectors.forget(accountId);
    });
    while (await this.commit(accountId, (work) => this.removeSomeJob(accountId, work)));
    await this.commit(accountId, async () => void this.run('DELETE FROM vocabulary WHERE account_id = ?', accountId));
  }

  /** Resolves after the requested writes. */
  async close(): Promise<void> {
    await this.last;
  }

  private async removeSomeJob(accountId: string, work: Work): Promise<boolean> {
    const job = this.database.prepare('SELECT id FROM jobs WHERE account_id = ? LIMIT 1').get(accountId);
    if (!job) return false;
    await this.removePassages(job['id'] as number, work);
    this.run('DELETE FROM jobs WHERE id = ?', job['id'] as number);
    return true;
  }

  /** The job as it is, without an id when it is new; undefined when a higher version or a deletion came before. */
  private jobAt({ accountId, jobId, version }: JobVersion): { id: number | undefined } | undefined {
    if (this.database.prepare('SELECT 1 FROM deleted_accounts WHERE account_id = ?').get(accountId)) return undefined;
    const job = this.database.prepare('SELECT id, version FROM jobs WHERE account_id = ? AND job_id = ?').get(accountId, jobId);
    if (!job) return { id: undefined };
    return (job['version'] as number) > version ? undefined : { id: job['id'] as number };
  }

  private jobId(accountId: string, jobId: string): number | undefined {
    return this.database.prepare('SELECT id FROM jobs WHERE account_id = ? AND job_id = ?').get(accountId, jobId)?.['id'] as number | undefined;
  }

  private insert(job: number, passage: Passage, work: Work): void {
    const terms = indexTerms(passage.text).map(({ term }) => term);
    const embedding = passage.embedding && encodeEmbedding(passage.embedding);
    const id = this.run(
      `INSERT INTO passages (job, passage_id, language, speaker_id, speaker_name, speaker_id_key, speaker_name_key, start_time, end_time, times, text, embedding)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      job,
      passage.id,
      passage.language,
      ...speakerValues(passage.speaker),
      passage.start,
      passage.end,
      JSON.stringify(passage.times ?? []),
      passage.text,
      embedding ?? null,
    );
    this.run('INSERT INTO passage_terms (rowid, terms) VALUES (?, ?)', id, terms.join(' '));
    count(work.terms, terms, 1);
    if (embedding) work.added.push({ id, embedding });
  }

  private async removePassages(job: number | undefined, work: Work): Promise<void> {
    if (job === undefined) return;
    const ids = this.database.prepare('SELECT id FROM passages WHERE job = ?').all(job).map(({ id }) => id as number);
    await inSlices(ids, SLICE, (id) => {
      const terms = this.database.prepare('SELECT terms FROM passage_terms WHERE rowid = ?').get(id)?.['terms'];
      count(work.terms, String(terms ?? '').split(' '), -1);
      this.run('DELETE FROM passage_terms WHERE rowid = ?', id);
      this.run('DELETE FROM passages WHERE id = ?', id);
      work.removed.push(id);
    });
  }

  private async countTerms({ accountId, terms }: Work): Promise<void> {
    const changed = [...terms].filter(([, passages]) => passages !== 0);
    await inSlices(changed, TERM_SLICE, ([term, passages]) => {
      this.run(
        'INSERT INTO vocabulary (account_id, term, passages) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET passages = passages + excluded.passages',
        accountId,
        term,
        passages,
      );
      if (passages < 0) this.run('DELETE FROM vocabulary WHERE account_id = ? AND term = ? AND passages <= 0', accountId, term);
    });
  }

  /** Applies all changes of `change`, or none of them. */
  private commit<R>(accountId: string, change: (work: Work) => Promise<R>): Promise<R> {
    const result = this.last.then(() => this.transaction(accountId, change));
    this.last = result.catch(() => {});
    return result;
  }

  private async transaction<R>(accountId: string, change: (work: Work) => Promise<R>): Promise<R> {
    const work: Work = { accountId, added: [], removed: [], terms: new Map() };
    this.database.exec('BEGIN IMMEDIATE');
    let result: R;
    try {
      result = await change(work);
      await this.countTerms(work);
      this.database.exec('COMMIT');
    } catch (error) {
      // A full disk rolls back by itself.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
    this.vectors.changed(accountId, work);
    // Removed text must not stay readable in the write-ahead log.
    if (work.removed.length > 0) this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return result;
  }

  /** @returns the row that it inserted, if it did */
  private run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.database.prepare(sql).run(...values).lastInsertRowid);
  }
}

const speakerValues = (speaker: Speaker | undefined): (string | null)[] => [
  speaker?.id ?? null,
  speaker?.name ?? null,
  speaker === undefined ? null : speakerKey(speaker.id),
  speaker?.name === undefined ? null : speakerKey(speaker.name),
];

function count(counts: Map<string, number>, terms: readonly string[], by: number): void {
  for (const term of new Set(terms)) if (term !== '') counts.set(term, (counts.get(term) ?? 0) + by);
}

async function inSlices<T>(items: readonly T[], size: number, work: (item: T) => void): Promise<void> {
  for (let from = 0; from < items.length; from += size) {
    if (from > 0) await nextTurn();
    for (const item of items.slice(from, from + size)) work(item);
  }
}
