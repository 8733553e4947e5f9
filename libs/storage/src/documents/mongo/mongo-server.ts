import { AppError, pause, retryDelay, silentLogger, withTimeout, type Logger } from '@parlance/platform';
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

/** Milliseconds. An election takes up to 12 s; a call waits that long for the new primary. Options in the URL override these. */
const DEFAULTS = { serverSelectionTimeoutMS: 15_000, connectTimeoutMS: 5_000, socketTimeoutMS: 60_000, maxPoolSize: 20 };
/** Milliseconds that a call waits for the first connection. */
const FIRST_CONNECTION_MS = 30_000;
const CHECK_MS = 2_000;
const BACK_OFF = { initialDelayMs: 500, maxDelayMs: 15_000 };

/** The connection to the service's own database. It is made in the background and retried until it succeeds. */
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

  /** @throws AppError database_unavailable when no connection was made in time. */
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
    const answer = this.call((database) => database.command({ ping: 1 }));
    await withTimeout(CHECK_MS, answer, () => Promise.reject(databaseUnavailable(this.lastError)));
  }

  async close(): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    await this.connecting;
    await this.connection.close();
  }

  private async firstConnection(): Promise<void> {
    await withTimeout(FIRST_CONNECTION_MS, this.connecting, () => undefined);
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
        const waitMs = retryDelay(failures, BACK_OFF, (this.options.random ?? Math.random)());
        this.log.warn({ reason: reasonOf(error), failures, retry_in_ms: Math.round(waitMs) }, messageOf(error));
        await pause(waitMs, this.closing.signal);
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
   * was read is lost by a failover. The URL cannot weaken these options.
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

const messageOf = (error: unknown): string =>
  isRefusal(error) ? 'the database refused the user or its password; trying again' : 'database unavailable; trying again';

/** Class and message of the driver, which names hosts but neither user nor password. */
const reasonOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : 'unknown');

const closed = () => new AppError({ kind: 'unavailable', code: 'database_closed', message: 'The database is closed.' });
