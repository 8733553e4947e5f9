import { DatabaseSync } from 'node:sqlite';
import { expressionOf } from './field-expressions.js';
import { tableOf } from './collection-schema.js';

/** A database of documents that no service uses, such as a copy of one; nothing in it is changed or created. */
export class DocumentsFile {
  private readonly database: DatabaseSync;

  constructor(path: string) {
    this.database = new DatabaseSync(path, { readOnly: true });
  }

  /** The findings of `PRAGMA integrity_check`; empty when the file is intact. */
  faults(): string[] {
    const lines = this.database.prepare('PRAGMA integrity_check').all().map((row) => String(row['integrity_check']));
    return lines.filter((line) => line !== 'ok');
  }

  /** Counts the documents by each value of the field; documents without it count as ''. */
  countBy(collection: string, field: string): Map<string, number> {
    if (!this.has(collection)) return new Map();
    const rows = this.database.prepare(`SELECT coalesce(${expressionOf(field)}, '') AS value, count(*) AS count FROM ${tableOf(collection)} GROUP BY value`).all();
    return new Map(rows.map(({ value, count }) => [String(value), Number(count)]));
  }

  /** Ids of the documents that have the field. */
  *idsWith(collection: string, field: string): Generator<string> {
    if (!this.has(collection)) return;
    for (const { id } of this.database.prepare(`SELECT id FROM ${tableOf(collection)} WHERE ${expressionOf(field)} IS NOT NULL`).iterate()) yield String(id);
  }

  /** The texts at the paths of each document, '' where it has none; oldest first. */
  *textsOf<F extends string>(collection: string, fields: readonly F[]): Generator<Record<F, string>> {
    if (!this.has(collection)) return;
    const columns = fields.map((field) => `coalesce(${expressionOf(field)}, '') AS "${field}"`).join(', ');
    for (const row of this.database.prepare(`SELECT ${columns} FROM ${tableOf(collection)} ORDER BY created_at, id`).iterate()) yield { ...row } as Record<F, string>;
  }

  close(): void {
    this.database.close();
  }

  private has(collection: string): boolean {
    return this.database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(tableOf(collection)) !== undefined;
  }
}
