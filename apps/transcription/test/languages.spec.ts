import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenAiRecognizer } from '@parlance/engines';
import { languageName, splitSpaceless } from '@parlance/languages';
import { mergeChunks, renderTranscript, segmentWords, type ChunkWords, type PlannedChunk, type Segment } from '@parlance/transcript';
// @ts-expect-error The package brings no types.
import { WebVTTParser } from 'webvtt-parser';
import { LANGUAGE_SAMPLES, type LanguageSample } from './language-samples.js';

/** What a server of the Whisper family hears of a recording in which each letter takes as long as any other. */
class WhisperServer {
  #server: Server | undefined;
  private answers: object[] = [];

  async start(): Promise<string> {
    this.#server = createServer((request, response) => void request.resume().on('end', () => this.answer(response)));
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  willAnswer(...answers: object[]): void {
    this.answers = answers;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  private answer(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.answers.shift()));
  }
}

const DURATION = 20;
const CHUNKS = [
  { start: 0, end: 12, ownStart: 0, ownEnd: 10 },
  { start: 8, end: DURATION, ownStart: 10, ownEnd: DURATION },
];

/** Tokens of a text as engines give them: words, or so many letters of a script without spaces. */
function tokensOf({ tag, text, isSpaceless }: LanguageSample, letters: number): { token: string; from: number; to: number }[] {
  const parts = isSpaceless ? lettersOf(text, letters) : text.split(/(?<= )/u);
  let at = 0;
  return parts.map((token) => ({ token, from: at, to: (at += token.length) })).filter(({ token }) => /[\p{L}\p{N}]/u.test(token) || tag === 'und');
}

/** Groups of letters; punctuation goes with the letter before. */
function lettersOf(text: string, size: number): string[] {
  const graphemes = Array.from(new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment);
  const groups: string[] = [];
  let letters = size;
  for (const grapheme of graphemes) {
    const isLetter = /[\p{L}\p{N}]/u.test(grapheme);
    if (isLetter && letters === size) {
      groups.push('');
      letters = 0;
    }
    groups[groups.length - 1] += grapheme;
    if (isLetter) letters++;
  }
  return groups;
}

function heard(sample: LanguageSample, { start, end }: { start: number; end: number }, letters: number) {
  const seconds = DURATION / sample.text.length;
  const tokens = tokensOf(sample, letters).filter(({ from, to }) => from * seconds >= start && to * seconds <= end);
  const words = tokens.map(({ token, from, to }) => ({
    word: ` ${token.replace(/[^\p{L}\p{M}\p{N}]/gu, '')}`,
    start: from * seconds - start,
    end: (to - 0.2) * seconds - start,
  }));
  const text = tokens.map(({ token }) => token).join('');
  return { language: languageName(sample.tag).toLowerCase(), text, words, segments: [{ start: 0, end: end - start, text, avg_logprob: -0.1, no_speech_prob: 0 }] };
}

describe('a recording through a server of the Whisper family', () => {
  const server = new WhisperServer();
  let recognizer: OpenAiRecognizer;
  beforeAll(async () => {
    recognizer = new OpenAiRecognizer({ baseUrl: await server.start(), model: 'whisper-1', apiKey: 'sk-test' });
  });
  afterAll(async () => {
    await recognizer.close();
    server.stop();
  });

  async function transcribe(sample: LanguageSample): Promise<{ language: string | undefined; segments: Segment[] }> {
    server.willAnswer(...CHUNKS.map((chunk, index) => heard(sample, chunk, index + 1)));
    const results: ChunkWords[] = [];
    let language: string | undefined;
    for (const [index, times] of CHUNKS.entries()) {
      const pcm = new Uint8Array((times.end - times.start) * 32_000);
      const recognition = await recognizer.recognize({ pcm, signal: AbortSignal.timeout(10_000) });
      language = recognition.language;
      const chunk: PlannedChunk = { index, ...times, speech: [], audioKey: '' };
      results.push({ chunk, words: recognition.words });
    }
    return { language, segments: await collect(segmentWords(mergeChunks(streamOf(results), { duration: DURATION }))) };
  }

  describe.each(LANGUAGE_SAMPLES)('in $tag', (sample) => {
    let language: string | undefined;
    let segments: Segment[];
    beforeAll(async () => {
      ({ language, segments } = await transcribe(sample));
    });
    const render = async (format: 'txt' | 'srt' | 'vtt') => {
      const source = { info: { language: sample.tag, duration: DURATION, speakers: [] }, segments: () => streamOf(segments) };
      return (await collect(renderTranscript(format, source))).join('');
    };

    it('has the language that was heard, and every letter once, joined as it is written', async () => {
      expect(language).toBe(sample.tag);
      expect((await render('txt')).replaceAll(/\n+/g, ' ').trim()).toBe(sample.text);
    });

    it('has captions of lines that fit, broken between words, set from where it is read', async () => {
      const lines = captionLines(await render('srt'));
      const isRightToLeft = sample.direction === 'rtl';
      for (const line of lines) {
        expect(/^\u200f.*\u200f$/u.test(line)).toBe(isRightToLeft);
        expect(widthOf(line)).toBeLessThanOrEqual(sample.lineChars);
      }
      const shown = lines.map((line) => line.replaceAll('\u200f', ''));
      expect(shown.join('').replaceAll(' ', '')).toBe(sample.text.replaceAll(' ', ''));
      if (sample.isSpaceless) expect(shown.every((line) => isWhole(line, sample))).toBe(true);
    });

    it('has WebVTT that parses without an error', async () => {
      const { errors, cues } = new WebVTTParser().parse(await render('vtt'), 'metadata');
      expect(errors).toEqual([]);
      expect(cues.length).toBeGreaterThan(0);
    });
  });
});

const captionLines = (srt: string): string[] => srt.split('\n').filter((line) => line !== '' && !/^\d+$/.test(line) && !line.includes('-->'));

/** Characters; in CJK languages the wide ones, of which others take half. */
const widthOf = (line: string): number => {
  const graphemes = Array.from(new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(line.replaceAll('\u200f', '')), ({ segment }) => segment);
  const wide = graphemes.filter((grapheme) => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u.test(grapheme)).length;
  return wide > graphemes.length / 2 ? wide + (graphemes.length - wide) / 2 : graphemes.length;
};

/** Whether a line ends where a word of the whole text ends. */
function isWhole(line: string, { text, tag }: LanguageSample): boolean {
  const ends = new Set<number>();
  let at = 0;
  for (const word of text.split(' ').flatMap((part) => splitSpaceless(part, tag))) ends.add((at += word.length));
  const from = text.replaceAll(' ', '').indexOf(line.replaceAll(' ', ''));
  return from >= 0 && ends.has(from + line.replaceAll(' ', '').length);
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

async function* streamOf<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
