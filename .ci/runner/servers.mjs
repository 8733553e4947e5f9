import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { thrice } from './thrice.mjs';

/** A start downloads what the server is made of when it is not there yet. */
const MAX_START_MS = 900_000;
const MAX_STOP_MS = 120_000;

/** The servers of ../shared/servers that the parts share: each is started when a part first needs it, and again when it has ended by itself. */
export class Servers {
  #started = new Set();

  /**
   * @param {string} folder of the programs NAME start|stop|wipe, of which `start` does nothing while the server runs
   * @param {Record<string, string | undefined>} env
   */
  constructor(folder, env) {
    this.folder = folder;
    this.env = env;
  }

  /**
   * @returns {Promise<Record<string, string>>} where they are, as environment variables
   * @throws Error when one is not there or does not start three times
   */
  async start(names) {
    const settings = {};
    for (const name of names) Object.assign(settings, await this.#startOne(name));
    return settings;
  }

  async #startOne(name) {
    const program = join(this.folder, name);
    if (!existsSync(program)) throw new Error(`there is no server ${name}`);
    this.#started.add(name);
    const output = await thrice(() => {
      const { status, stdout, stderr } = spawnSync(program, ['start'], { encoding: 'utf8', timeout: MAX_START_MS, env: this.env });
      if (status !== 0) throw new Error(`the server ${name} does not start: ${stderr.trim().split('\n').at(-1)}`);
      return stdout;
    });
    return Object.fromEntries(output.split('\n').filter((line) => line.includes('=')).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  }

  /** Stops all that were started here, and drops their data. */
  stop() {
    for (const name of this.#started) {
      // OpenSearch drops its data when it stops, and has no `wipe`.
      spawnSync(join(this.folder, name), [name === 'opensearch' ? 'stop' : 'wipe'], { stdio: 'ignore', timeout: MAX_STOP_MS, env: this.env });
    }
    this.#started.clear();
  }
}
