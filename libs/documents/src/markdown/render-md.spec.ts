import { describe, expect, it } from '@jest/globals';
import type { DocumentHead, DocumentTurn } from '../content/document-content.js';
import { documentTemplateProblem } from './document-template.js';
import { renderMd } from './render-md.js';

const HEAD: DocumentHead = {
  title: 'Sprint *review*',
  createdAt: '2026-11-21T10:00:00.000Z',
  language: 'en',
  duration: 62,
  speakers: ['Anna', 'Ben'],
  sections: [{ heading: 'Summary', paragraphs: ['We plan.'], items: [{ text: 'Write it', start: 12 }, { text: 'Send it' }] }],
};
const TURNS: DocumentTurn[] = [
  { text: '1. is not a list, nor is <b>this</b> bold', speaker: 'Anna', start: 0 },
  { text: 'and on', start: 30 },
  { text: '# no heading', speaker: 'Ben', start: 61 },
];

async function markdown(turns: DocumentTurn[], head: Partial<DocumentHead> = {}): Promise<string> {
  const stream = (async function* () {
    yield* turns;
  })();
  let text = '';
  for await (const bytes of renderMd({ ...HEAD, ...head }, stream)) text += Buffer.from(bytes).toString();
  return text;
}

describe('a transcript as Markdown', () => {
  it('has title, facts, summary and paragraphs, none of whose text is taken for markup', async () => {
    expect(await markdown(TURNS)).toBe(
      [
        '# Sprint \\*review\\*',
        '21 November 2026 · 00:01:02 · English · Anna, Ben',
        '## Summary',
        'We plan.',
        '- Write it (00:00:12)\n- Send it',
        '## Transcript',
        '**Anna** (00:00:00): 1\\. is not a list, nor is \\<b\\>this\\</b\\> bold',
        '(00:00:30) and on',
        '**Ben** (00:01:01): \\# no heading\n',
      ].join('\n\n'),
    );
  });

  it('says that nobody spoke', async () => {
    expect(await markdown([], { sections: [] })).toContain('No speech was recognised');
  });
});

describe('a template of a document', () => {
  it('writes what it asks for from the values of the transcript', async () => {
    const template = '{{ title | markdown }}|{{ speakers | join: "+" }}{% for p in paragraphs %}\n{{ p.speaker }} {{ p.start | clock }} {% if p.begins_turn %}!{% endif %}{{ p.text | upcase }}{% endfor %}';
    expect(await markdown(TURNS.slice(1), { template })).toBe('Sprint \\*review\\*|Anna+Ben\n 00:00:30 AND ON\nBen 00:01:01 !# NO HEADING');
  });

  it('is refused with the place of the fault', () => {
    expect(documentTemplateProblem('a\n  {% for %}')).toMatch(/^Line 2, column 3: /);
    expect(documentTemplateProblem('{{ title | nothing }}{% unless %}')).toMatch(/^Line 1, column \d+: /);
    expect(documentTemplateProblem('{{ title }')).toMatch(/^Line 1, column 1: /);
    expect(documentTemplateProblem('{{ title }}')).toBeUndefined();
  });

  it.each(['{% include "x" %}', '{% render "/etc/passwd" %}', '{% layout "x" %}'])('reads no other template: %s', (template) => {
    expect(documentTemplateProblem(template)).toMatch(/not found/);
  });

  it('ends at its limits with a refusal', async () => {
    const nested = '{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}x{% endfor %}{% endfor %}{% endfor %}';
    await expect(markdown([], { template: nested })).rejects.toMatchObject({ code: 'invalid_request', fields: [{ pointer: '?template', detail: expect.stringMatching(/^Line 1, column \d+: the template takes longer than 1 s on this transcript\.$/) }] });
    await expect(markdown([], { template: '{{ (1..99999999) | size }}' })).rejects.toMatchObject({ fields: [{ detail: expect.stringContaining('makes too many texts or items') }] });
    await expect(markdown([], { template: '{{ title | nothing }}' })).rejects.toMatchObject({ fields: [{ detail: expect.stringContaining('undefined filter') }] });
  });

  it('reaches nothing beyond its values', async () => {
    expect(await markdown([], { template: '[{{ title.constructor }}{{ paragraphs.__proto__ }}{{ process }}{{ globalThis }}]' })).toBe('[]');
  });
});
