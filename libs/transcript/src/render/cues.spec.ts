import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collect, segmentsOf, spoken, streamOf } from '../testing/streams.js';
import type { Word } from '../transcript.js';
import { CAPTION_DEFAULTS, type CaptionOptions } from './caption-options.js';
import { mergeChannels, wordOnChannel } from '../merge/merge-channels.js';
import { segmentWords } from '../segments/segment-words.js';
import { LABEL_SUFFIX, toCues, type Cue, type CueLabels } from './cues.js';
import { columnCount } from './graphemes.js';

const NO_LABELS: CueLabels = { nameOf: () => undefined, everyCue: false };

async function cuesOf(words: Word[], options: Partial<CaptionOptions> = {}, labels = NO_LABELS): Promise<Cue[]> {
  const duration = (words.at(-1)?.end ?? 0) + 10;
  return collect(toCues(streamOf(await segmentsOf(words)), duration, { ...CAPTION_DEFAULTS, ...options }, labels));
}

const channelSegments = (words: Word[], channel: number) => segmentWords(words.map((word) => wordOnChannel(word, channel)));

const linesOf = async (text: string, options?: Partial<CaptionOptions>) => (await cuesOf(spoken(text), options)).map((cue) => cue.lines);

describe('toCues', () => {
  it('balances the lines of a cue and breaks at a phrase', async () => {
    expect(await linesOf('when the rain had stopped at last, we walked down to the river')).toEqual([
      ['when the rain had stopped at last,', 'we walked down to the river'],
    ]);
  });

  it('keeps a short text on one line', async () => {
    expect(await linesOf('we walked down to the river')).toEqual([['we walked down to the river']]);
  });

  it('breaks cues at a pause rather than to fill them', async () => {
    const cues = await linesOf('we came home late that evening and were tired 0.6 nobody had thought of the food or the fire');
    expect(cues.map((lines) => lines.join(' '))).toEqual([
      'we came home late that evening and were tired',
      'nobody had thought of the food or the fire',
    ]);
  });

  it('stays until it is read, but not past the next cue', async () => {
    const quick = [{ start: 1, end: 1.1, text: 'Yes.', confidence: 1 }, { start: 1.5, end: 1.8, text: 'No.', confidence: 1 }];
    const separate = await cuesOf([...quick.slice(0, 1), { ...quick[1]!, start: 4, end: 4.3 }]);
    expect(separate[0]).toMatchObject({ start: 1000, end: 1833 });
    const joined = await cuesOf(quick);
    expect(joined.map(({ lines }) => lines)).toEqual([['Yes. No.']]);
  });

  it('comes a little earlier when it would be too short otherwise', async () => {
    const words = [
      { start: 2, end: 2.2, text: 'Yes.', confidence: 1, speakerId: 'spk_1' },
      { start: 2.2, end: 3.5, text: 'Anything.', confidence: 1, speakerId: 'spk_2' },
    ];
    const [first, second] = await cuesOf(words);
    expect(first).toMatchObject({ start: 1500, end: 2200 });
    expect(second!.start).toBe(2200);
  });

  it('joins what is spoken too fast with what is slow beside it, though a sentence ends between', async () => {
    const fast = 'nobody in that whole town had ever heard of any of it before.'.split(' ');
    const words = fast.map((text, index) => ({ start: 1 + index * 0.15, end: 1.15 + index * 0.15, text, confidence: 1 }));
    const slow = spoken('We 0.5 stayed 0.5 silent.', { start: words.at(-1)!.end + 0.4 });
    const cues = await cuesOf([...words, ...slow]);
    expect(cues).toHaveLength(1);
    expect(readingSpeed(cues[0]!)).toBeLessThanOrEqual(CAPTION_DEFAULTS.maxCps);
    expect(await cuesOf([...words, ...slow], { maxCps: 40 })).toHaveLength(2);
  });

  it('cuts a word that no line can hold', async () => {
    const [cue] = await cuesOf([{ start: 0, end: 3, text: 'Donaudampfschifffahrtsgesellschaft', confidence: 1 }], { maxLineChars: 20 });
    expect(cue!.lines).toEqual(['Donaudampfschifff', 'ahrtsgesellschaft']);
  });

  it('cuts no word of a single line for a label that is not beside it', async () => {
    const labels: CueLabels = { nameOf: () => 'Speaker 1', everyCue: false };
    const words = spoken('we talked about transcription and understanding', { speakerId: 'spk_1' });
    const cues = await cuesOf(words, { maxLineChars: 16, maxLines: 1 }, labels);
    expect(cues.flatMap(({ lines }) => lines).join(' ').split(' ')).toEqual(words.map(({ text }) => text));
    expect(cues.map(({ speaker }) => speaker)).toEqual(['Speak…', ...cues.slice(1).map(() => undefined)]);
  });

  it('counts what a reader sees: an emoji family is one character', async () => {
    const [cue] = await cuesOf(spoken('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦'), { maxLineChars: 3 });
    expect(cue!.lines).toEqual(['👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦']);
  });

  it('gives the label a line of its own when the first word does not fit beside it', async () => {
    const labels: CueLabels = { nameOf: () => 'Professor Lidenbrock', everyCue: true };
    const [cue] = await cuesOf(spoken('incomprehensible', { speakerId: 'spk_1' }), { maxLineChars: 20 }, labels);
    expect(cue).toMatchObject({ lines: ['incomprehensible'], labelAlone: true, speaker: 'Profess…' });
  });

  it('shows what two people say at once on their channels at the time of each, with their names', async () => {
    const long = spoken('we have talked about the garden and the harbour for hours and hours and nobody knows what it will cost us in the end', { start: 1 });
    const aside = spoken('oh really', { start: 4 });
    const later = spoken('yes of course', { start: 20 });
    const merged = mergeChannels([channelSegments([...long, ...later], 0), channelSegments(aside, 1)]);
    const cues = await collect(toCues(merged, 30, CAPTION_DEFAULTS, { nameOf: (id) => id, everyCue: false }));
    expect(cues.map(({ start }) => start)).toEqual(cues.map(({ start }) => start).toSorted((one, other) => one - other));
    const [oneSide, otherSide] = ['S1', 'S2'].map((id) => cues.filter(({ speaker }) => speaker === id));
    expect(otherSide).toMatchObject([{ start: 4000, lines: ['oh really'] }]);
    expect(oneSide?.flatMap(({ lines }) => lines).join(' ').split(' ')).toEqual([...long, ...later].map(({ text }) => text));
    expect(oneSide?.at(-1)).toMatchObject({ start: 20_000 });
    for (const [index, cue] of (oneSide ?? []).entries()) expect(cue.start).toBeGreaterThanOrEqual(oneSide?.[index - 1]?.end ?? 0);
  });

  it('shows every word once, in order, within every limit, never two cues at once', async () => {
    await fc.assert(
      fc.asyncProperty(speech(), captionOptions(), fc.boolean(), async (words, options, everyCue) => {
        const labels: CueLabels = { nameOf: (speakerId) => `Speaker ${speakerId}`, everyCue };
        const cues = await cuesOf(words, options, labels);
        expect(withoutSpaces(cues.flatMap(({ lines }) => lines).join(''))).toBe(withoutSpaces(words.map(({ text }) => text).join('')));
        let lastEnd = 0;
        for (const cue of cues) {
          expect(cue.start).toBeGreaterThanOrEqual(lastEnd);
          expect(cue.end).toBeGreaterThan(cue.start);
          expect(cue.end - cue.start).toBeLessThanOrEqual(options.maxDuration * 1000);
          const shown = shownLines(cue);
          expect(shown.length).toBeLessThanOrEqual(options.maxLines);
          for (const line of shown) {
            expect(line).not.toBe('');
            expect(columnCount(line)).toBeLessThanOrEqual(options.maxLineChars);
          }
          lastEnd = cue.end;
        }
      }),
      { numRuns: 150 },
    );
  });

  it('leaves a cue short or fast only where the next one or the maximum duration forbids more', async () => {
    await fc.assert(
      fc.asyncProperty(speech(), captionOptions(), async (words, options) => {
        const cues = await cuesOf(words, options);
        cues.forEach((cue, index) => {
          const seen = cue.end - cue.start;
          const isReadable = seen >= options.minDuration * 1000 - 1 && readingSpeed(cue) <= options.maxCps + 0.05;
          const next = cues[index + 1]?.start ?? Infinity;
          if (!isReadable && seen < options.maxDuration * 1000 - 1) expect(next - cue.end).toBe(0);
        });
      }),
      { numRuns: 150 },
    );
  });
});

function shownLines({ lines, speaker, labelAlone }: Cue): string[] {
  if (speaker === undefined) return lines;
  const label = speaker + LABEL_SUFFIX;
  return labelAlone ? [label.trimEnd(), ...lines] : [label + lines[0], ...lines.slice(1)];
}

/** A line break counts where it stands for a space, which it does not within a word or in Japanese. */
const readingSpeed = (cue: Cue): number => {
  const text = cue.lines.join('\n').replace(/(?<=[x東京])\n(?=[x東京])/gu, '');
  return (columnCount(text) * 1000) / (cue.end - cue.start);
};

const withoutSpaces = (text: string): string => text.replace(/\s/gu, '');

const captionOptions = (): fc.Arbitrary<CaptionOptions> =>
  fc.record({
    maxLineChars: fc.constantFrom(10, 20, 37, 42, 80),
    maxLines: fc.constantFrom(1, 2, 3),
    minDuration: fc.constantFrom(0.5, 0.833, 1.5),
    maxDuration: fc.constantFrom(3, 7),
    maxCps: fc.constantFrom(12, 17, 20),
  });

function speech(): fc.Arbitrary<Word[]> {
  const texts = ['a', 'to', 'the', 'river', 'mountain', 'Stop.', 'then,', '東京', 'München', 'x'.repeat(90), 'e\u0301te\u0301', 'New York'];
  const word = fc.record({
    text: fc.constantFrom(...texts),
    length: fc.integer({ min: 0, max: 700 }),
    pause: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 3000 }) }),
    changes: fc.integer({ min: 0, max: 9 }),
  });
  return fc.array(word, { size: 'max', maxLength: 120 }).map((drawn) => {
    let time = 1000;
    let speaker = 1;
    return drawn.map(({ text, length, pause, changes }) => {
      if (changes === 0) speaker = 3 - speaker;
      const start = (time += pause) / 1000;
      return { start, end: (time += length) / 1000, text, confidence: 1, speakerId: `${speaker}` };
    });
  });
}
