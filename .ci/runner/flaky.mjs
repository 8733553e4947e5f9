import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';

/** A run with more of them fails. */
export const MAX_FLAKY = 3;

/** What failed and then passed when it was run again by itself: a line of JSON each, `{ what, first_failure }`. */
export class FlakyLog {
  /** What earlier runs left in the file. */
  #before;

  /** @param {string} file */
  constructor(file) {
    this.file = file;
    this.#before = this.#all().length;
  }

  clear() {
    rmSync(this.file, { force: true });
    this.#before = 0;
  }

  add(what, firstFailure) {
    appendFileSync(this.file, `${JSON.stringify({ what, first_failure: firstFailure })}\n`);
    console.log(`FLAKY ${what}: ${firstFailure}`);
  }

  /** Those of this run. */
  entries() {
    return this.#all().slice(this.#before);
  }

  #all() {
    if (!existsSync(this.file)) return [];
    return readFileSync(this.file, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
  }
}
