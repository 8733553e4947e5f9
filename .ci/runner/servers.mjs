import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { thrice } from './thrice.mjs';

/** A start downloads what the server is made of when it is not there yet. */
const MAX_START_MS = 900_000;
const MAX_STOP_MS = 120_000;

/** The servers of ../shared/servers that the parts share: each is started when a part first needs it. */
export class Servers {
  #settings = new Map();

  /** @param {string} folder of the programs NAME start|stop|wipe */
  constructor(folder) {
    this.folder = folder;
  }

  /**
   * @returns {Promise<Record<string, string>>} where they are, as environment variables
   * @throws Error when one is not there or does not start three times
   */
  async start(names) {
    for (const name of names) if (!this.#settings.has(name)) this.#settings.set(name, await this.#startOne(name));
    return Object.assign({}, ...names.map((name) => this.#settings.get(name)));
  }

  async #startOne(name) {
    const program = join(this.folder, name);
    if (!existsSync(program)) throw new Error(`there is no server ${name}`);
    const output = await thrice(() => {
      const { status, stdout, stderr } = spawnSync(program, ['start'], { encoding: 'utf8', timeout: MAX_START_MS, env: { ...process.env } });
      if (status !== 0) throw new Error(`the server ${name} does not start: ${stderr.trim().split('\n').at(-1)}`);
      return stdout;
    });
    return Object.fromEntries(output.split('\n').filter((line) => line.includes('=')).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  }

  /** Stops all that were started here, and drops their data. */
  stop() {
    for (const name of this.#settings.keys()) {
      // OpenSearch drops its data when it stops, and has no `wipe`.
      spawnSync(join(this.folder, name), [name === 'opensearch' ? 'stop' : 'wipe'], { stdio: 'ignore', timeout: MAX_STOP_MS });
    }
    this.#settings.clear();
  }
}
