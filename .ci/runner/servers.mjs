import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBounded } from './bounded.mjs';
import { threeTries } from './three-tries.mjs';

/** A start downloads what the server is made of when it is not there yet. */
const MAX_START_SECONDS = 900;
const MAX_STOP_MS = 120_000;
/** A setting that a server prints. */
const SETTING = /^([A-Z][A-Z0-9_]*)=(.*)$/gm;

/** The servers of ../shared/servers that the parts share: each is started when a part first needs it, and again when it has ended by itself. */
export class Servers {
  /** Those that this run started, and not a run beside it. */
  #ours = new Set();

  /**
   * @param {string} folder of the programs NAME start|stop|wipe|status, of which `start` does nothing while the server runs
   * @param {Record<string, string | undefined>} env
   * @param {AbortSignal} signal ends a start
   */
  constructor(folder, env, signal) {
    this.folder = folder;
    this.env = env;
    this.signal = signal;
  }

  /**
   * @returns {Promise<Record<string, string>>} where they are, as environment variables
   * @throws Error when one is not there or does not start in three tries
   */
  async start(names) {
    const settings = {};
    for (const name of names) Object.assign(settings, await this.#startOne(name));
    return settings;
  }

  async #startOne(name) {
    if (!existsSync(join(this.folder, name))) throw new Error(`there is no server ${name}`);
    if (this.#call(name, 'status') !== 0) this.#ours.add(name);
    const log = `reports/server-${name}.log`;
    await threeTries(async () => {
      const { status } = await runBounded([join(this.folder, name), 'start'], { env: this.env, seconds: MAX_START_SECONDS, log, signal: this.signal });
      if (status !== 0) throw new Error(`the server ${name} does not start: ${readFileSync(log, 'utf8').trimEnd().split('\n').at(-1)}`);
    }, this.signal);
    return Object.fromEntries([...readFileSync(log, 'utf8').matchAll(SETTING)].map(([, key, value]) => [key, value]));
  }

  /** Stops all that were started here, and drops their data. */
  stop() {
    // OpenSearch drops its data when it stops, and has no `wipe`.
    for (const name of this.#ours) this.#call(name, name === 'opensearch' ? 'stop' : 'wipe');
    this.#ours.clear();
  }

  #call(name, action) {
    return spawnSync(join(this.folder, name), [action], { stdio: 'ignore', timeout: MAX_STOP_MS, env: this.env }).status;
  }
}
