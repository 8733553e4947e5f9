import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LocalAgreement } from './local-agreement.js';

describe('LocalAgreement', () => {
  it('counts words as stable when two successive recognitions begin with them', () => {
    const agreement = new LocalAgreement();
    expect(agreement.accept(['let', 'us'])).toEqual({ words: ['let', 'us'], stable: 0 });
    expect(agreement.accept(['Let', 'us', 'begin'])).toEqual({ words: ['Let', 'us', 'begin'], stable: 2 });
    expect(agreement.accept(['Let', 'us', 'begin.', 'with'])).toEqual({ words: ['Let', 'us', 'begin.', 'with'], stable: 3 });
  });

  it('never takes a stable word back', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), (recognitions) => {
        const agreement = new LocalAgreement();
        let stable: string[] = [];
        for (const recognized of recognitions) {
          const shown = agreement.accept(recognized);
          expect(shown.words.slice(0, stable.length)).toEqual(stable);
          expect(shown.stable).toBeGreaterThanOrEqual(stable.length);
          stable = shown.words.slice(0, shown.stable);
        }
      }),
    );
  });
});
