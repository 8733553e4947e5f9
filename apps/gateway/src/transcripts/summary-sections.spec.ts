import { describe, expect, it } from '@jest/globals';
import { summary } from '@parlance/contracts';
import { summarySections } from './summary-sections.js';

const itemOf = (text: string, owner: string) =>
  summarySections(summary.Summary.fromPartial({ actionItems: [{ text, owner, due: '2026-11-27' }] })).flatMap(({ items }) => items.map((item) => item.text));

describe('the action items of a document', () => {
  it('keep their dates out of names that are read against them', () => {
    expect(itemOf('Write it', 'Anna')).toEqual(['Write it (Anna, 2026-11-27)']);
    expect(itemOf('Write it', 'Борис العربية')).toEqual(['Write it (Борис العربية\u200e, 2026-11-27)']);
    expect(itemOf('לכתוב', 'Anna')).toEqual(['לכתוב (Anna\u200f, \u200e2026-11-27)']);
    expect(itemOf('לכתוב', 'ליאת')).toEqual(['לכתוב (ליאת, \u200e2026-11-27)']);
    expect(itemOf('إعداد التقرير', 'ليلى')).toEqual(['إعداد التقرير (ليلى, \u200e2026-11-27)']);
  });
});

describe('minutes in a document', () => {
  const minutes = (findings: object) =>
    summarySections(summary.Summary.fromPartial({ format: 'minutes', text: '## Points\n\n- It rains.\n\n## Decisions\n\nNothing.\n\n## Action items\n\n- Call (2026-11-27)', ...findings })).map(({ heading }) => heading);

  it('say what was decided and what is to be done once: by the lists, which have times', () => {
    expect(minutes({ actionItems: [{ text: 'Call' }] })).toEqual(['Points', 'Decisions', 'Action items']);
    expect(minutes({ actionItems: [{ text: 'Call' }], keyDecisions: [{ text: 'Go' }] })).toEqual(['Points', 'Action items', 'Key decisions']);
    expect(minutes({})).toEqual(['Points', 'Decisions', 'Action items']);
  });
});

describe('the text of a summary in a document', () => {
  it.each([
    ['He said f*** and s*** again.', 'He said f*** and s*** again.'],
    ['f**** it, d***', 'f**** it, d***'],
    ['- **Anna**: a `b` and __c__', 'Anna: a b and c'],
    ['**Ben** said f*** to **Ada**.', 'Ben said f*** to Ada.'],
    ['**f*****', 'f***'],
  ])('is without emphasis, with the asterisks of masked words: %s', (text, expected) => {
    const [{ paragraphs = [], items = [] } = {}] = summarySections(summary.Summary.fromPartial({ text }));
    expect([...paragraphs, ...items.map((item) => item.text)]).toEqual([expected]);
  });
});
