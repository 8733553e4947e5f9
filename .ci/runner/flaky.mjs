import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';

/** A run with more of them fails: then chance is no excuse. */
export const MAX_FLAKY = 3;

/** What failed and then passed when it was run again by itself: a line of JSON each, `{ what, first_failure }`. */
export class FlakyLog {
  /** @param {string} file */
  constructor(file) {
    this.file = file;
  }

  clear() {
    rmSync(this.file, { force: true });
  }

  add(what, firstFailure) {
    appendFileSync(this.file, `${JSON.stringify({ what, first_failure: firstFailure })}\n`);
    console.log(`FLAKY ${what}: ${firstFailure}`);
  }

  entries() {
    if (!existsSync(this.file)) return [];
    return readFileSync(this.file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  }
}
