import { describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { collectBytes, HEAD, turnsOf } from '../../test/document-fixture.js';
import { SaxReader } from '../../test/sax-reader.js';
import { renderDocx } from './render-docx.js';

const partsOf = async (...[head, turns]: Parameters<typeof renderDocx>) => {
  const parts = unzipSync(await collectBytes(renderDocx(head, turns)));
  return Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, strFromU8(bytes)]));
};

const textOf = (xml = '') => new SaxReader(xml).texts('w:t');

describe('renderDocx', () => {
  it('is a package whose parts are well-formed, described and referred to', async () => {
    const parts = await partsOf(HEAD, turnsOf({ text: 'Hello.', speaker: 'Anna', start: 62 }));
    for (const xml of Object.values(parts)) expect(() => new SaxReader(xml).elements()).not.toThrow();
    const described = new SaxReader(parts['[Content_Types].xml'] ?? '').attributes('Override', 'PartName');
    expect(described.map((name) => name.slice(1)).toSorted()).toEqual(Object.keys(parts).filter((name) => /^(word|docProps)\/[^/]+$/.test(name)).toSorted());
    const targets = new SaxReader(parts['word/_rels/document.xml.rels'] ?? '').attributes('Relationship', 'Target');
    for (const target of targets) expect(parts).toHaveProperty([`word/${target}`]);
    const styles = new SaxReader(parts['word/styles.xml'] ?? '').attributes('w:style', 'w:styleId');
    for (const style of new SaxReader(parts['word/document.xml'] ?? '').attributes('w:pStyle', 'w:val')) expect(styles).toContain(style);
  });

  it('has title, summary, speakers and times', async () => {
    const { 'word/document.xml': document, 'docProps/core.xml': core } = await partsOf(HEAD, turnsOf({ text: 'Hello <there> & welcome.', speaker: 'Anna', start: 62 }, { text: 'And on.' }));
    expect(textOf(document).map((text) => text.trim()).filter(Boolean)).toEqual([
      'Planning', '21 November 2026 · 00:02:00 · English · Anna', 'Summary', 'We plan.', 'Write it', '00:00:12', 'Transcript',
      'Anna', '00:01:02', 'Hello <there> & welcome.', 'And on.',
    ]);
    expect(core).toContain('<dc:title>Planning</dc:title>');
  });

  it('tells Word what is read from the right', async () => {
    const { 'word/document.xml': document = '' } = await partsOf({ ...HEAD, language: 'he' }, turnsOf({ text: 'שלום Anna, מה שלומך?' }));
    expect(document).toMatch(/<w:pStyle w:val="Turn"\/><w:bidi\/>.*<w:rtl\/><\/w:rPr><w:t[^>]*>שלום <\/w:t>.*<w:r><w:t[^>]*>Anna<\/w:t>/s);
  });

  it('keeps an English date whole in a line that is read from the right', async () => {
    const { 'word/document.xml': document } = await partsOf({ ...HEAD, language: 'ar', speakers: ['ليلى', 'Anna'] }, turnsOf());
    expect(textOf(document).join('')).toContain('\u200e21 November 2026\u200f · 00:02:00 · Arabic\u200f · ليلى, Anna\u200f');
  });

  it('keeps times out of names that are read against the paragraph', async () => {
    const head = { ...HEAD, speakers: ['ליאת', 'דוד', 'Anna'], sections: [{ heading: 'Action items', paragraphs: [], items: [{ text: 'Write to ליאת', start: 12 }] }] };
    const turns = [{ text: 'Hello.', speaker: 'Борис العربية', start: 62 }, { text: 'שלום.', speaker: 'Anna', start: 63 }, { text: 'Yes.', speaker: 'Anna', start: 64 }];
    const { 'word/document.xml': document } = await partsOf(head, turnsOf(...turns));
    expect(textOf(document).join('')).toContain('English · ליאת\u200e, דוד\u200e, Anna');
    expect(textOf(document).join('|')).toMatch(/ליאת\|\u200e {3}\|00:00:12.*العربية\|\u200e {3}\|00:01:02.*Anna\|\u200f {3}\|00:01:03.*Anna\| {3}\|00:01:04/);
  });

  it.each([
    ['a title of 100 kB', { ...HEAD, title: 'x'.repeat(100_000) }, [{ text: 'one' }]],
    ['control characters and halves of characters', { ...HEAD, title: '\u0000\ud800\u0007' }, [{ text: 'a\u0001b\u000bc\udfff\ufffe\u202e', speaker: '\u0000' }]],
    ['nothing', { ...HEAD, title: '', sections: [] }, []],
    ['one word', { ...HEAD, sections: [] }, [{ text: 'word' }]],
  ])('is valid with %s', async (_case, head, turns) => {
    const { 'word/document.xml': document = '', 'docProps/core.xml': core = '' } = await partsOf(head, turnsOf(...turns));
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(document + core).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u);
    expect(textOf(document)[0]?.length).toBeLessThanOrEqual(200);
    expect(textOf(document).length).toBeGreaterThanOrEqual(3);
  });

  it('writes as it is read, whatever comes', async () => {
    let read = 0;
    async function* turns() {
      for (; read < 5000; read++) yield { text: `${read} `.repeat(40), speaker: 'Anna', start: read };
    }
    const document = renderDocx(HEAD, turns());
    for (let pieces = 0; pieces < 12; pieces++) await document.next();
    expect(read).toBeLessThan(2000);
    await document.return(undefined);
  });
});
