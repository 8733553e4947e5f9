import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase } from '../../documents/document-collection.js';
import type { DatabaseUnderTest } from './database-under-test.js';

export interface Note extends Document {
  owner: string;
  state: string;
  starred?: boolean;
  mood?: string;
  /** No two notes have the same. */
  slug?: string;
  rank?: number;
  labels?: Record<string, string>;
  words?: string[];
  body?: { text: string; lines: number[] } | null;
}

export const NOTES: CollectionDefinition<Note> = {
  name: 'notes',
  indexes: [
    { fields: ['owner'] },
    { fields: ['owner', 'state'] },
    { fields: ['owner', 'starred'] },
    { fields: ['owner', 'labels.*'] },
    { fields: ['owner', 'words[]'] },
    { fields: ['state'], orderBy: 'rank' },
    { fields: ['mood', 'owner'], orderBy: 'rank', only: { mood: "it's urgent" } },
    { fields: ['body.text'] },
    { fields: ['owner', 'slug'], unique: true },
  ],
};

const EPOCH = Date.parse('2026-01-01T00:00:00.000Z');

export class DatabaseFixture {
  private readonly connected: DocumentDatabase[] = [];
  private underTest: DatabaseUnderTest | undefined;

  constructor(private readonly open: () => Promise<DatabaseUnderTest>) {}

  async setUp(): Promise<void> {
    this.underTest = await this.open();
  }

  async tearDown(): Promise<void> {
    await Promise.all([this.database, ...this.connected.splice(0)].map((database) => database.close()));
    await this.opened.dispose();
  }

  get database(): DocumentDatabase {
    return this.opened.database;
  }

  get notes(): DocumentCollection<Note> {
    return this.database.collection(NOTES);
  }

  /** The same database, as another process has it. */
  async connect(): Promise<DocumentDatabase> {
    const database = await this.opened.connect();
    this.connected.push(database);
    return database;
  }

  /** @param second of its creation */
  note(id: string, second = 0, rest: Partial<Note> = {}): Note {
    return { id, createdAt: new Date(EPOCH + second * 1000).toISOString(), owner: 'ada', state: 'open', ...rest };
  }

  private get opened(): DatabaseUnderTest {
    if (!this.underTest) throw new Error('the database is not open');
    return this.underTest;
  }
}
