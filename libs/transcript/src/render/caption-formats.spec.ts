import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collect, segmentsOf, spoken, streamOf } from '../testing/streams.js';
import type { Speaker, Word } from '../transcript.js';
import type { RenderOptions } from './render-options.js';
import { renderBytes, renderTranscript } from './render-transcript.js';
import { toIso6937, toIso6937Repertoire } from './stl/iso-6937.js';

const ANNA: Speaker = { speakerId: 'S1', name: 'Anna <A&B>', talkTime: 0.7 };
const BEN: Speaker = { speakerId: 'S2', name: 'Ben', talkTime: 0.3 };

const dialogue = [...spoken('good morning', { speakerId: 'S1' }), ...spoken('hello', { start: 5, speakerId: 'S2' })];

async function sourceOf(words: Word[], speakers: Speaker[], language: string) {
  const segments = await segmentsOf(words);
  return { info: { language, duration: 60, speakers }, segments: () => streamOf(segments) };
}

const render = async (format: 'ttml' | 'ass', words: Word[], speakers: Speaker[] = [], options: Partial<RenderOptions> = {}, language = 'en') =>
  (await collect(renderTranscript(format, await sourceOf(words, speakers, language), options))).join('');

async function renderStl(words: Word[], speakers: Speaker[] = [], options: Partial<RenderOptions> = {}, language = 'en') {
  const { replacedCharacters, pieces } = await renderBytes('stl', await sourceOf(words, speakers, language), options);
  const file = Buffer.concat(await collect(pieces));
  const blocks = Array.from({ length: (file.length - 1024) / 128 }, (_, index) => file.subarray(1024 + 128 * index, 1152 + 128 * index));
  return { replacedCharacters, header: file.subarray(0, 1024).toString('latin1'), blocks };
}

const textOf = (block: Buffer) => block.subarray(16).toString('latin1').replace(/\x8f+$/, '').split('\x8a');

describe('captions as TTML', () => {
  it('name the speaker at the beginning of a turn, and refer to each as an agent', async () => {
    const text = await render('ttml', dialogue, [ANNA, BEN]);
    expect(text).toContain('<ttm:agent xml:id="speaker1" type="person"><ttm:name type="full">Anna &lt;A&amp;B&gt;</ttm:name></ttm:agent>');
    expect(text).toContain('<p begin="00:00:00.000" end="00:00:01.200" ttm:agent="speaker1"><span style="text">Anna &lt;A&amp;B&gt;: good morning</span></p>');
    expect(text).toContain('<p begin="00:00:05.000" end="00:00:05.833" ttm:agent="speaker2"><span style="text">Ben: hello</span></p>');
    expect(text).toContain('ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/imsc1.1/text"');
  });

  it('break lines where SRT does, and leave the names out when asked', async () => {
    const words = spoken('when the rain had stopped at last, we walked down to the river', { speakerId: 'S1' });
    expect(await render('ttml', words, [ANNA])).toContain('at last,<br/>we walked down');
    expect(await render('ttml', dialogue, [ANNA, BEN], { speakers: false })).not.toMatch(/Anna|agent/);
  });

  it('set lines that are read from the right between marks, and drop what XML does not take', async () => {
    expect(await render('ttml', spoken('שלום לכולם.'), [], {}, 'he')).toContain('>\u200fשלום לכולם.\u200f<');
    expect(await render('ttml', spoken('a\u0001b\uffff'))).toContain('>ab<');
  });

  it('are an empty division when nobody spoke', async () => {
    expect(await render('ttml', [])).toMatch(/<body region="bottom">\n<div>\n<\/div>\n<\/body>\n<\/tt>\n$/);
  });
});

describe('captions as ASS', () => {
  it('have a dialogue for each cue, its speaker in the field and at the beginning of a turn', async () => {
    const lines = (await render('ass', dialogue, [{ ...ANNA, name: 'Anna, née B' }, BEN])).split('\n').filter((line) => line.startsWith('Dialogue'));
    expect(lines).toEqual(['Dialogue: 0,0:00:00.00,0:00:01.25,Default,Anna née B,0,0,0,,Anna, née B: good morning', 'Dialogue: 0,0:00:05.00,0:00:05.83,Default,Ben,0,0,0,,Ben: hello']);
  });

  it('do not let text pass for an override or a line break', async () => {
    expect(await render('ass', spoken(String.raw`{\pos(1,1)}x a\Nb`))).toContain(',,(\\\u2060pos(1,1))x a\\\u2060Nb\n');
  });

  it('have no dialogue when nobody spoke', async () => {
    expect(await render('ass', [])).not.toContain('Dialogue');
  });
});

describe('captions as EBU STL', () => {
  it('have a header that counts them, and times in frames', async () => {
    const { header, blocks, replacedCharacters } = await renderStl(dialogue, [{ ...ANNA, name: 'Anna' }, BEN]);
    expect(header.slice(0, 16)).toBe('850STL25.0100009');
    expect(header.slice(238, 274)).toBe('000020000200142231000000000000000011');
    expect(blocks.map(textOf)).toEqual([['Anna: good morning'], ['Ben: hello']]);
    expect([...blocks[1]!.subarray(0, 16)]).toEqual([0, 1, 0, 0xff, 0, 0, 0, 5, 0, 0, 0, 5, 21, 23, 2, 0]);
    expect(replacedCharacters).toBe(0);
  });

  it('continue in further blocks where a text has more bytes than one', async () => {
    const { header, blocks } = await renderStl(spoken('é'.repeat(70)), [], { maxLineChars: 100 });
    expect(header.slice(238, 248)).toBe('0000200001');
    expect(blocks.map((block) => [block.readUInt16LE(1), block[3]])).toEqual([[0, 0], [0, 0xff]]);
  });

  it('replace what the code table does not have, and count it in the header', async () => {
    const { header, blocks, replacedCharacters } = await renderStl(spoken('naïve café … 你好 ǎ'));
    expect(textOf(blocks[0]!)).toEqual(['na\xc8ive caf\xc2e...?? a']);
    expect(replacedCharacters).toBe(4);
    expect(header.slice(448).trim()).toBe('Characters replaced: 4');
  });

  it('are a header alone when nobody spoke', async () => {
    const { header, blocks } = await renderStl([]);
    expect([header.slice(238, 248), blocks]).toEqual(['0000000000', []]);
  });
});

describe('the code table of EBU STL', () => {
  it('carries whatever a text was made of, and an accepted text as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (original) => {
        const { text } = toIso6937Repertoire(original);
        expect(toIso6937Repertoire(text)).toEqual({ text, replaced: 0 });
        expect(toIso6937(text).every((byte) => byte >= 0x20)).toBe(true);
      }),
    );
  });

  it('has the letters of the European languages', () => {
    const letters = 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿĀāĂăĄąĆćČčĎďĐđĒēĖėĘęĚěĞğĢģĪīĮįİıĶķĹĺĻļĽľŁłŃńŅņŇňŌōŐőŒœŔŕŘřŚśŞşŠšŢţŤťŪūŮůŰűŲųŴŵŶŷŸŹźŻżŽž“”‘’«»¿¡$%&#@';
    expect(toIso6937Repertoire(letters)).toEqual({ text: letters, replaced: 0 });
  });
});
