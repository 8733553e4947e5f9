import { Parlance, type ClientOptions, type Retry } from '@parlance/client';
import { WebSocket } from 'ws';
import { EXIT } from './exit-codes.js';
import { CommandError, failureOf, usageError } from './failures.js';
import { readSettings, settingsPath, type StoredSettings } from './settings-file.js';
import { Terminal } from './terminal.js';

const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';
/** Four attempts within some seconds: a command does not keep its user waiting for a server that is away. */
const RETRIES = 3;
/** A server that stays away is mentioned as often. */
const NOTE_EVERY_MS = 30_000;

/** Options of every command. */
export interface GlobalOptions {
  json?: boolean;
  quiet?: boolean;
  baseUrl?: string;
}

/** The address and the key of a server, and where each is from. */
export interface Connection {
  baseUrl: string;
  baseUrlSource: string;
  apiKey: string | undefined;
  apiKeySource: string | undefined;
}

/** Everything that a command has besides its own arguments. */
export class Context {
  readonly terminal: Terminal;
  options: GlobalOptions = {};
  #retryNotedAt = -Infinity;

  /** @param signal aborts at Ctrl-C */
  constructor(
    readonly streams: { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream },
    readonly env: NodeJS.ProcessEnv,
    readonly signal: AbortSignal,
  ) {
    this.terminal = new Terminal(streams, env, () => this.options);
  }

  get settingsPath(): string {
    return settingsPath(this.env);
  }

  /** Retries of each request that the user wants, from PARLANCE_MAX_RETRIES. @throws CommandError when it is no number */
  get maxRetries(): number | undefined {
    const text = this.env['PARLANCE_MAX_RETRIES'];
    if (!text) return undefined;
    if (!/^\d{1,3}$/.test(text)) throw usageError(`PARLANCE_MAX_RETRIES: ${text} is not a number from 0 to 999.`);
    return Number(text);
  }

  /** A client of the server and the key of this user. @throws CommandError when there is no key */
  async client(options: ClientOptions = {}): Promise<Parlance> {
    const { baseUrl, apiKey } = await this.connection();
    if (!apiKey) throw new CommandError('There is no API key. Store one with `parlance login`, or set PARLANCE_API_KEY. `npm start` writes the first key of a server to data/api-key.', EXIT.auth);
    return new Parlance({ baseUrl, apiKey, maxRetries: this.maxRetries ?? RETRIES, onRetry: (retry) => this.#noteRetry(retry, baseUrl), WebSocket: WebSocket as unknown as typeof globalThis.WebSocket, ...options });
  }

  /** The first retry comes within a second, and mostly succeeds. */
  #noteRetry({ error, attempts }: Retry, baseUrl: string): void {
    const now = performance.now();
    if (attempts < 2 || now - this.#retryNotedAt < NOTE_EVERY_MS) return;
    this.#retryNotedAt = now;
    this.terminal.above(() => this.terminal.note(`Trying again: ${failureOf(error, baseUrl).message}`));
  }

  /** The stored key is sent to the stored server only. */
  async connection(): Promise<Connection> {
    const stored = await readSettings(this.settingsPath);
    const server = serverOf(this.options.baseUrl, this.env['PARLANCE_BASE_URL'], stored, this.settingsPath);
    const key = this.env['PARLANCE_API_KEY']?.trim();
    if (key) return { ...server, apiKey: key, apiKeySource: 'PARLANCE_API_KEY' };
    const isStoredServer = stored.api_key !== undefined && server.baseUrl === normalUrl(stored.base_url ?? DEFAULT_BASE_URL);
    return { ...server, apiKey: isStoredServer ? stored.api_key : undefined, apiKeySource: isStoredServer ? this.settingsPath : undefined };
  }
}

function serverOf(option: string | undefined, variable: string | undefined, stored: StoredSettings, path: string): Pick<Connection, 'baseUrl' | 'baseUrlSource'> {
  const sources: [string | undefined, string][] = [
    [option, '--base-url'],
    [variable, 'PARLANCE_BASE_URL'],
    [stored.base_url, path],
    [DEFAULT_BASE_URL, 'the default'],
  ];
  const [value = DEFAULT_BASE_URL, baseUrlSource = ''] = sources.find(([each]) => each) ?? [];
  return { baseUrl: normalUrl(value, baseUrlSource), baseUrlSource };
}

/** The address of a server without the path of the API. @throws CommandError when it is none */
export function normalUrl(value: string, source = '--base-url'): string {
  return httpUrl(value, source).replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

/** @throws CommandError when the value is no URL of http or https */
export function httpUrl(value: string, source: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) throw usageError(`${source}: ${value} is not a URL such as https://parlance.example.org.`);
  return value;
}
