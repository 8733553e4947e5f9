import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, silentLogger, type Logger } from '@parlance/platform';
import { createConnection, type Connection, type ConnectOptions, type mongo } from 'mongoose';
import { databaseUnavailable, fromMongoError, isRefusal } from './mongo-errors.js';
import { databaseName, type MongoUrl } from './mongo-url.js';

export interface MongoServerOptions {
  url: MongoUrl;
  /** The service whose database it is. */
  service: string;
  password?: string | undefined;
  log?: Logger | undefined;
  random?: () => number;
}

/** Milliseconds. An election takes up to 12 s; a call waits that long for the new primary. Below options in the URL. */
const DEFAULTS = { serverSelectionTimeoutMS: 15_000, connectTimeoutMS: 5_000, socketTimeoutMS: 60_000, maxPoolSize: 20 };
/** A call before the first connection waits so long for it. */
const FIRST_CONNECTION_MS = 30_000;
const CHECK_MS = 2_000;
const RETRY = { firstMs: 500, maxMs: 15_000 };

/** The connection to the service's own database: made in the background, again and again until it is there. */
export class MongoServer {
  readonly connection: Connection = createConnection();
  readonly name: string;
  private readonly log: Logger;
  private readonly closing = new AbortController();
  private readonly connecting: Promise<void>;
  private connected = false;
  private lastError: unknown;

  constructor(private readonly options: MongoServerOptions) {
    this.name = databaseName(options.url.baseName, options.service);
    this.log = (options.log ?? silentLogger()).child({ database: this.name, hosts: options.url.hosts });
    this.connecting = this.connect();
  }

  /** @throws AppError database_unavailable when there is no connection yet, and for some time was none. */
  async database(): Promise<mongo.Db> {
    if (this.closing.signal.aborted) throw closed();
    if (!this.connected) await this.firstConnection();
    const { db } = this.connection;
    if (!db || this.closing.signal.aborted) throw closed();
    return db;
  }

  /** The call, with errors of the database as AppErrors. */
  async call<R>(work: (database: mongo.Db) => Promise<R>): Promise<R> {
    try {
      return await work(await this.database());
    } catch (error) {
      throw fromMongoError(error);
    }
  }

  /** @throws AppError database_unavailable when no primary answers soon. */
  async check(): Promise<void> {
    if (this.closing.signal.aborted) throw closed();
    const answered = new AbortController();
    const late = sleep(CHECK_MS, undefined, { signal: answered.signal }).then(() => Promise.reject(databaseUnavailable(this.lastError)));
    try {
      await Promise.race([this.call((database) => database.command({ ping: 1 })), late]);
    } finally {
      late.catch(() => {});
      answered.abort();
    }
  }

  async close(): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    await this.connecting;
    await this.connection.close();
  }

  private async firstConnection(): Promise<void> {
    const waited = new AbortController();
    try {
      await Promise.race([this.connecting, sleep(FIRST_CONNECTION_MS, undefined, { signal: waited.signal }).catch(() => {})]);
    } finally {
      waited.abort();
    }
    if (!this.connected) throw this.closing.signal.aborted ? closed() : databaseUnavailable(this.lastError);
  }

  private async connect(): Promise<void> {
    for (let failures = 0; !this.closing.signal.aborted; ) {
      try {
        await this.connection.openUri(this.options.url.url, this.driverOptions());
        this.connected = true;
        this.watch();
        this.log.info('connected to the database');
        return;
      } catch (error) {
        failures += 1;
        this.lastError = error;
        if (this.closing.signal.aborted) return;
        const waitMs = Math.min(RETRY.maxMs, RETRY.firstMs * 2 ** (failures - 1)) * (0.5 + (this.options.random ?? Math.random)() / 2);
        this.log.warn({ reason: reasonOf(error), failures, retry_in_ms: Math.round(waitMs) }, saying(error));
        await sleep(waitMs, undefined, { signal: this.closing.signal }).catch(() => {});
      }
    }
  }

  private watch(): void {
    this.connection.on('disconnected', () => {
      if (!this.closing.signal.aborted) this.log.warn('connection to the database lost');
    });
    this.connection.on('reconnected', () => this.log.info('connection to the database restored'));
  }

  /**
   * Writes are acknowledged by a majority, from its journal, and reads see only such writes: neither a document nor an event of the outbox that
   * somebody has seen is gone after a failover. Not for the URL to weaken.
   */
  private driverOptions(): ConnectOptions {
    const { url, password } = this.options;
    const defaults = Object.fromEntries(Object.entries(DEFAULTS).filter(([option]) => !new RegExp(`[?&]${option}=`, 'i').test(url.url)));
    return {
      ...defaults,
      dbName: this.name,
      appName: `parlance-${this.options.service}`,
      writeConcern: { w: 'majority', j: true },
      readConcern: { level: 'majority' },
      readPreference: 'primary',
      retryWrites: true,
      retryReads: true,
      autoIndex: false,
      autoCreate: false,
      ...(password !== undefined && { auth: { username: url.user ?? '', password } }),
    };
  }
}

const saying = (error: unknown): string =>
  isRefusal(error) ? 'the database refused the user or its password; trying again' : 'database unavailable; trying again';

/** Class and message of the driver, which names hosts but neither user nor password. */
const reasonOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : 'unknown');

const closed = () => new AppError({ kind: 'unavailable', code: 'database_closed', message: 'The database is closed.' });
