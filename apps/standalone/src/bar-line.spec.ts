import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { barLine, fitted } from './bar-line.js';

describe('the line of a progress bar', () => {
  const state = { name: 'a-rather-long-name-of-an-interview-with-two-people.mp3', stage: 'transcription', percent: 45 };

  it('shows more of the name on a wider terminal, and the stage on any', () => {
    expect(barLine(state, 80)).toMatch(/^ {2}a-rather-long-name-of-an-in… {2}█+░+ {2}45% {2}transcription$/);
    expect(barLine(state, 140)).toContain('a-rather-long-name-of-an-interview-with-two-peo…');
  });

  it('never reaches the last column, whatever the name is', () => {
    const names = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom('会', '議', 'a', '👩‍👩‍👧', '한') }));
    fc.assert(
      fc.property(names, fc.integer({ min: 20, max: 250 }), fc.integer({ min: 0, max: 100 }), (name, columns, percent) => {
        expect(stringWidth(barLine({ name, stage: 'transcription', percent }, columns))).toBeLessThan(columns);
      }),
    );
  });

  it('gives names of wide characters as many columns as others', () => {
    expect(fitted('会議の録音.mp3', 16)).toBe('会議の録音.mp3  ');
    expect(fitted('会議の録音.mp3', 8)).toBe('会議の… ');
    expect(fitted('a\u001b[2Jb', 8)).toBe('a?[2Jb  ');
  });
});
