import { describe, expect, it } from '@jest/globals';
import { templateProblem, templateSections } from './summary-template.js';

describe('a template', () => {
  it('names its sections, with what is to be in them', () => {
    expect(templateSections('Preface\r\n# One #\r\nwith this\r\n\r\n###   Two\n```\n# no section\n```\n#notone\n')).toEqual([
      { heading: '# One', title: 'One', guidance: 'with this' },
      { heading: '### Two', title: 'Two', guidance: '```\n# no section\n```\n#notone' },
    ]);
  });

  it('names a section with a sign at its end, and none by signs alone', () => {
    expect(templateSections('# C#\n## A ## B ##\n### ###').map(({ title }) => title)).toEqual(['C#', 'A ## B']);
  });

  // Backtracking made hours of such a line, on the event loop of the gateway.
  it.each(['# a' + ' '.repeat(19_000) + 'x', '# ' + '# '.repeat(9500) + 'x', '# ' + ' '.repeat(19_000) + '\u2028'])('is read in time that grows with its length: %#', (line) => {
    expect(templateSections(line).length).toBeLessThanOrEqual(1);
  });

  it('has some, and not too many', () => {
    expect(templateProblem('## Decisions')).toBeUndefined();
    expect(templateProblem('no section')).toMatch(/at least one/);
    expect(templateProblem('## A\n'.repeat(41))).toMatch(/40/);
    expect(templateProblem(`## ${'A'.repeat(201)}`)).toMatch(/200/);
  });
});
