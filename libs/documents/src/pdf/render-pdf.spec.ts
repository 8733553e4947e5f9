import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { collectBytes, HEAD, SCRIPTS, turnsOf } from '../../test/document-fixture.js';
import { renderPdf } from './render-pdf.js';

const pdfOf = (...arguments_: Parameters<typeof renderPdf>) => collectBytes(renderPdf(...arguments_));

/** The objects by their number, found through the table at the end as a reader does. */
function objectsOf(pdf: Buffer): Map<number, { text: string; stream: Buffer | undefined }> {
  const text = pdf.toString('latin1');
  const table = Number(/startxref\n(\d+)\n%%EOF\s*$/.exec(text)?.[1]);
  const rows = /^xref\n0 (\d+)\n/.exec(text.slice(table));
  expect(rows).not.toBeNull();
  const objects = new Map<number, { text: string; stream: Buffer | undefined }>();
  for (const [index, row] of [...text.slice(table).matchAll(/^(\d{10}) (\d{5}) n/gm)].map((match, order) => [order + 1, Number(match[1])] as const)) {
    expect(text.slice(row)).toMatch(new RegExp(`^${index} 0 obj`));
    const end = text.indexOf('endobj', row);
    const body = text.slice(row, end);
    const length = /\/Length (\d+)/.exec(body)?.[1];
    const start = body.indexOf('stream\n') + 7;
    const stream = length !== undefined && start > 6 ? pdf.subarray(row + start, row + start + Number(length)) : undefined;
    objects.set(index, { text: body, stream: stream && (body.includes('/FlateDecode') ? inflateSync(stream) : stream) });
  }
  return objects;
}

const pagesOf = (objects: Map<number, { text: string }>) => [...objects.values()].filter(({ text }) => /\/Type \/Page\n/.test(text));

describe('renderPdf', () => {
  it('embeds only subsets of fonts, each with the text that its glyphs stand for', async () => {
    const objects = objectsOf(await pdfOf(HEAD, turnsOf(...SCRIPTS)));
    const all = [...objects.values()].map(({ text }) => text);
    const fonts = all.filter((text) => text.includes('/Subtype /Type0'));
    expect(fonts.length).toBeGreaterThan(10);
    for (const font of fonts) expect(font).toMatch(/\/BaseFont \/[A-Z]{6}\+noto[\s\S]*\/ToUnicode \d+ 0 R/);
    const files = all.filter((text) => text.includes('/FontFile2'));
    expect(files).toHaveLength(fonts.length);
    expect(all.filter((text) => /\/Subtype \/(Type1|TrueType)\n/.test(text))).toEqual([]);
    const unicode = [...objects.values()].map(({ stream }) => stream?.toString('latin1') ?? '').filter((text) => text.includes('begincmap')).join('');
    for (const letter of ['5927', '3053', '5e9', '633', '434', '3c8', 'c548']) expect(unicode.toLowerCase()).toContain(letter);
  });

  it('gives what is reordered as it was written', async () => {
    const [, , , , , hindi] = SCRIPTS;
    const objects = objectsOf(await pdfOf({ ...HEAD, language: 'hi' }, turnsOf(hindi!)));
    const written = [...objects.values()].map(({ stream }) => stream?.toString('latin1') ?? '').join('\n');
    const actual = Array.from(written.matchAll(/ActualText <feff([0-9a-f]+)>/g), ([, hex = '']) => Buffer.from(hex, 'hex').swap16().toString('utf16le'));
    expect(actual.join('')).toContain('हिन्दी');
  });

  it.each([
    ['Борис العربية', 'Hello.', 'name, time'],
    ['Anna', 'שלום.', 'time, name'],
  ])('sets the time beside the name %s and not into it', async (speaker, text, order) => {
    const objects = objectsOf(await pdfOf({ ...HEAD, sections: [] }, turnsOf({ speaker, text, start: 62 })));
    const colours: Record<string, string> = { '0.12 0.31 0.47': 'name', '0.42 0.45 0.49': 'time' };
    const shown = [...objects.values()].flatMap(({ stream }) => stream?.toString('latin1').match(/\nBT\n[\s\S]*?\nET\n/g) ?? []);
    const lines = shown.map((line) => Array.from(line.matchAll(/\n(\S+ \S+ \S+) rg\n/g), ([, colour = '']) => colours[colour]).join(', '));
    expect(lines.filter((line) => line.includes('name'))).toEqual([order]);
  });

  it('has pages as the text needs them, numbered', async () => {
    const long = Array.from({ length: 60 }, (_, index) => ({ text: 'We talked about it at length. '.repeat(12), speaker: `Speaker ${index % 3}`, start: index * 60 }));
    const objects = objectsOf(await pdfOf(HEAD, turnsOf(...long)));
    expect(pagesOf(objects).length).toBeGreaterThan(5);
    expect([...objects.values()].some(({ text }) => text.includes(`/Count ${pagesOf(objects).length}`))).toBe(true);
  });

  it('leaves no line of a paragraph alone at the end of a page or at the beginning of the next', async () => {
    const four = 'We talked about it at length. '.repeat(11);
    const objects = objectsOf(await pdfOf({ ...HEAD, sections: [] }, turnsOf(...Array.from({ length: 20 }, () => ({ text: four })))));
    const lines = [...objects.values()].flatMap(({ stream }) => stream?.toString('latin1').match(/\nBT\n/g)?.length ?? []);
    // Without the title, the facts and the numbers of the pages.
    expect(lines).toHaveLength(3);
    expect(lines.reduce((sum, count) => sum + count) - 2 - 3).toBe(80);
    expect(lines.slice(1).map((count) => (count - 1) % 4)).not.toContain(1);
    expect((lines[0]! - 3) % 4).toBe(0);
  });

  it('sets a name at the end of a page where its words have room, and else with them on the next', async () => {
    // Two lines, so that of the fifteenth turn name and line fill the page.
    const head = { ...HEAD, sections: [], speakers: Array.from({ length: 4 }, () => 'Alexandra Constantinopolska') };
    const linesOf = async (last: string) => {
      const turns = [...Array.from({ length: 14 }, () => 'Hello.'), last].map((text) => ({ text, speaker: 'Anna' }));
      const objects = objectsOf(await pdfOf(head, turnsOf(...turns)));
      return [...objects.values()].flatMap(({ stream }) => stream?.toString('latin1').match(/\nBT\n/g)?.length ?? []);
    };
    const [title, facts, number] = [1, 2, 1];
    expect(await linesOf('Hello.')).toEqual([title + facts + 30 + number]);
    expect(await linesOf('We talked about it at length. '.repeat(8))).toEqual([title + facts + 28 + number, 4 + number]);
  });

  it.each([
    ['a title of 100 kB', { ...HEAD, title: 'x'.repeat(100_000) }, [{ text: 'one' }]],
    ['a word that no line holds', HEAD, [{ text: 'x'.repeat(3000) }]],
    ['control characters and halves of characters', { ...HEAD, title: '\u0000\ud800' }, [{ text: 'a\u0001b\udfff\ufffe\u202e', speaker: '\u0000' }]],
    ['nothing', { ...HEAD, title: '', sections: [] }, []],
    ['one word in a language nobody knows', { ...HEAD, language: 'und', sections: [] }, [{ text: 'word' }]],
    ['characters that no font has', HEAD, [{ text: '\u{1f600}\u{10fffd}\u{12000}' }]],
  ])('is valid with %s', async (_case, head, turns) => {
    expect(pagesOf(objectsOf(await pdfOf(head, turnsOf(...turns)))).length).toBeGreaterThan(0);
  });
});
