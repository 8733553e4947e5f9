import { describe, expect, it } from '@jest/globals';
import { collect, segmentsOf, spoken, streamOf } from '../testing/streams.js';
// @ts-expect-error The package brings no types.
import { WebVTTParser } from 'webvtt-parser';
import type { Speaker, Word } from '../transcript.js';
import type { TextFormat } from './formats.js';
import type { RenderOptions } from './render-options.js';
import { renderTranscript } from './render-transcript.js';

const ANNA: Speaker = { speakerId: 'spk_1', name: 'Anna <A&B>', talkTime: 0.7 };
/** Says nothing here: whoever speaks without being listed goes by the id. */
const BEN: Speaker = { speakerId: 'spk_3', name: 'Ben', talkTime: 0 };

async function render(format: TextFormat, words: Word[], options: Partial<RenderOptions> = {}, speakers: Speaker[] = []): Promise<string> {
  const segments = await segmentsOf(words);
  const info = { language: 'en', duration: 60, speakers };
  return (await collect(renderTranscript(format, { info, segments: () => streamOf(segments) }, options))).join('');
}

const dialogue = [...spoken('good morning', { speakerId: 'spk_1' }), ...spoken('hello', { start: 5, speakerId: 'spk_2' })];

/** By the specification a voice has character references (section 6.4, start tag annotation); this parser leaves them. */
const decoded = (annotation: string) => annotation.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

describe('renderTranscript', () => {
  it('writes SubRip with the name at the beginning of a turn', async () => {
    expect(await render('srt', dialogue, {}, [ANNA, BEN])).toBe(
      '1\n00:00:00,000 --> 00:00:01,200\nAnna ‹A&B>: good morning\n\n2\n00:00:05,000 --> 00:00:05,833\nspk_2: hello\n\n',
    );
  });

  it('writes WebVTT with voices, and with what its syntax means escaped', async () => {
    expect(await render('vtt', [...dialogue, ...spoken('a<b --> c&d', { start: 10 })], {}, [ANNA])).toBe(
      'WEBVTT\n' +
        '\n00:00:00.000 --> 00:00:01.200\n<v Anna &lt;A&amp;B&gt;>good morning\n' +
        '\n00:00:05.000 --> 00:00:05.833\n<v spk_2>hello\n' +
        '\n00:00:10.000 --> 00:00:11.100\na&lt;b --&gt; c&amp;d\n',
    );
  });

  it('writes WebVTT that a parser of its rules takes, each cue with its voice', async () => {
    const { errors, cues } = new WebVTTParser().parse(await render('vtt', [...dialogue, ...spoken('a<b --> c&d', { start: 10, speakerId: 'spk_1' })], {}, [ANNA]), 'metadata');
    expect(errors).toEqual([]);
    const voices = cues.map(({ tree }: { tree: { children: { name: string; value: string }[] } }) => tree.children[0]).map((node: { name: string; value: string }) => [node.name, decoded(node.value)]);
    expect(voices).toEqual([['v', 'Anna <A&B>'], ['v', 'spk_2'], ['v', 'Anna <A&B>']]);
  });

  it('sets lines that are read from the right between marks, and a paragraph of text that begins with a name after one', async () => {
    const words = spoken('שלום לכולם.', { speakerId: 'spk_1' });
    expect(await render('srt', words, {}, [ANNA])).toContain('\n\u200fשלום לכולם.\u200f\n');
    expect(await render('vtt', words, {}, [ANNA])).toContain('>\u200fשלום לכולם.\u200f\n');
    expect(await render('txt', words, { speakers: true, timestamps: true }, [ANNA])).toBe('\u200f[00:00:00] Anna <A&B>: שלום לכולם.\n');
    expect(await render('txt', words)).toBe('שלום לכולם.\n');
  });

  it('does not let text pass for a time in SubRip', async () => {
    expect(await render('srt', spoken('a --> b'))).toContain('\na → b\n');
    expect(await render('srt', spoken('{\\an8}<script>x</script> 1 < 2'))).toContain('\n(\\an8)‹script>x‹/script>\n');
    const named = await render('srt', dialogue, {}, [{ ...ANNA, name: '{\\an8}<img src=x onerror=alert(1)>' }, BEN]);
    expect(named).toContain('(\\an8)‹img');
    expect(named).not.toMatch(/[{}]|<[a-z/!?]/i);
  });

  it('leaves the speakers out when asked', async () => {
    for (const format of ['srt', 'vtt', 'txt', 'json'] as const) {
      const text = await render(format, dialogue, { speakers: false }, [ANNA]);
      expect(text).not.toMatch(/Anna|spk_/);
    }
  });

  it('writes text in paragraphs, with names and times when asked', async () => {
    expect(await render('txt', spoken('one two 1 three'))).toBe('one two three\n');
    expect(await render('txt', dialogue, { timestamps: true }, [ANNA, BEN])).toBe('[00:00:00] Anna <A&B>: good morning\n\n[00:00:05] spk_2: hello\n');
  });

  it('writes JSON as the public API does', async () => {
    const parsed: unknown = JSON.parse(await render('json', dialogue, {}, [ANNA]));
    expect(parsed).toEqual({
      language: 'en',
      duration: 60,
      speakers: [{ speaker_id: 'spk_1', name: 'Anna <A&B>', talk_time: 0.7 }],
      text: 'good morning hello',
      segments: [
        {
          segment_id: 'seg_000001',
          start: 0,
          end: 0.7,
          speaker_id: 'spk_1',
          text: 'good morning',
          confidence: 0.9,
          words: [
            { word_id: '1.1', start: 0, end: 0.3, text: 'good', confidence: 0.9, speaker_id: 'spk_1' },
            { word_id: '1.2', start: 0.4, end: 0.7, text: 'morning', confidence: 0.9, speaker_id: 'spk_1' },
          ],
        },
        expect.objectContaining({ segment_id: 'seg_000002', speaker_id: 'spk_2', text: 'hello' }),
      ],
    });
  });

  it('keeps quotes and line separators of the text valid in JSON', async () => {
    expect(JSON.parse(await render('json', spoken('"a\\b\u2028'))).text).toBe('"a\\b\u2028');
  });

  it('gives a valid empty file when nobody spoke', async () => {
    expect(await render('srt', [])).toBe('');
    expect(await render('vtt', [])).toBe('WEBVTT\n');
    expect(await render('txt', [])).toBe('');
    expect(JSON.parse(await render('json', []))).toEqual({ language: 'en', duration: 60, speakers: [], text: '', segments: [] });
  });
});
