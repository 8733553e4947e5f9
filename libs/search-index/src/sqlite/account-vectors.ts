import type { DatabaseSync } from 'node:sqlite';
import { decodeEmbedding, storedBytes } from './stored-embedding.js';
import { VectorRows } from './vector-rows.js';

/** The maximum for all accounts together; the account that is searched is kept whatever its size. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The vectors of the accounts that were searched last, in memory; each account has its own and none sees another's. */
export class AccountVectors {
  /** The least recently used first. */
  private readonly loaded = new Map<string, VectorRows>();

  constructor(
    private readonly database: DatabaseSync,
    private readonly dimensions: number,
  ) {}

  of(accountId: string): VectorRows {
    const rows = this.loaded.get(accountId) ?? this.load(accountId);
    this.loaded.delete(accountId);
    this.loaded.set(accountId, rows);
    this.forgetOthers(accountId);
    return rows;
  }

  /** After a commit. */
  changed(accountId: string, { added, removed }: VectorChange): void {
    const rows = this.loaded.get(accountId);
    if (!rows) return;
    for (const id of removed) rows.remove(id);
    for (const { id, embedding } of added) rows.set(id, decodeEmbedding(embedding));
  }

  forget(accountId: string): void {
    this.loaded.delete(accountId);
  }

  private load(accountId: string): VectorRows {
    const rows = new VectorRows(this.dimensions);
    // Vectors of another model than today's stay unused until their job is put again.
    const stored = this.database
      .prepare('SELECT p.id, p.embedding FROM jobs j JOIN passages p ON p.job = j.id WHERE j.account_id = ? AND length(p.embedding) = ?')
      .iterate(accountId, storedBytes(this.dimensions));
    for (const { id, embedding } of stored) rows.set(id as number, decodeEmbedding(embedding as Uint8Array));
    return rows;
  }

  private forgetOthers(accountId: string): void {
    let bytes = [...this.loaded.values()].reduce((sum, rows) => sum + rows.bytes, 0);
    for (const [id, rows] of this.loaded) {
      if (bytes <= MAX_BYTES || id === accountId) return;
      this.loaded.delete(id);
      bytes -= rows.bytes;
    }
  }
}

interface VectorChange {
  added: readonly { id: number; embedding: Uint8Array }[];
  removed: readonly number[];
}
