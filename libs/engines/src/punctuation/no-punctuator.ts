import type { Punctuator } from './punctuator.js';

/** Leaves all languages to the rules: no model of punctuation is configured. */
export class NoPunctuator implements Punctuator {
  readonly info = { name: 'rules' };

  async check(): Promise<void> {}

  async punctuate(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {}
}
