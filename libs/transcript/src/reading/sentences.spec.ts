import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergedSegment } from '../editing/segment-parts.js';
import { rewordedSegment } from '../editing/reworded-segment.js';
import { mergeChannels, wordOnChannel } from '../merge/merge-channels.js';
import { segmentWords } from '../segments/segment-words.js';
import { collect, segmentsOf, spoken, streamOf } from '../testing/streams.js';
import type { Segment } from '../transcript.js';
import { paragraphsOf } from './paragraphs.js';
import { sentencesFrom, sentencesOf, type Sentence } from './sentences.js';

const sentences = async (segments: Iterable<Segment>): Promise<Sentence[]> => collect(sentencesOf(segments));
const textsOf = async (text: string): Promise<string[]> => (await sentences(await segmentsOf(spoken(text)))).map((sentence) => sentence.text);

/** Pairs of one speaker, as an editor may merge them. */
const mergedInPairs = (segments: readonly Segment[]): Segment[] =>
  segments.flatMap((segment, index) => {
    const [before, after] = [segments[index - 1], segments[index + 1]];
    if (index % 2 === 0) return after?.speakerId === segment.speakerId && after ? [mergedSegment([segment, after])] : [segment];
    return before?.speakerId === segment.speakerId ? [] : [segment];
  });

describe('sentences of a transcript', () => {
  it('have times, text, segments and their first and last word', async () => {
    const segments = await segmentsOf(spoken('I think 1 we should go. Yes.', { speakerId: 'S1' }));
    expect(segments).toHaveLength(3);
    expect(await sentences(segments)).toEqual([
      { start: 0, end: 2.8, speakerId: 'S1', text: 'I think we should go.', segmentIds: ['seg_000001', 'seg_000002'], firstWordId: '1.1', lastWordId: '2.3' },
      { start: 2.9, end: 3.2, speakerId: 'S1', text: 'Yes.', segmentIds: ['seg_000003'], firstWordId: '3.1', lastWordId: '3.1' },
    ]);
  });

  it.each([
    ['Chinese', '今天 天气 很好。 我们 走 吧！ 好', ['今天天气很好。', '我们走吧！', '好']],
    ['Japanese', '今日は 晴れ です｡ 行き ましょう', ['今日は晴れです｡', '行きましょう']],
    ['Arabic', 'كيف حالك؟ أنا بخير.', ['كيف حالك؟', 'أنا بخير.']],
    ['Urdu', 'یہ اچھا ہے۔ شکریہ', ['یہ اچھا ہے۔', 'شکریہ']],
    ['Hindi', 'यह अच्छा है। धन्यवाद।', ['यह अच्छा है।', 'धन्यवाद।']],
    ['Amharic', 'ሰላም ነው። እሺ።', ['ሰላም ነው።', 'እሺ።']],
  ])('end behind the punctuation of the script: %s', async (_language, text, expected) => {
    expect(await textsOf(text)).toEqual(expected);
  });

  it('are the segments where nothing is punctuated', async () => {
    expect(await textsOf('good morning 1 how are you 1.5 fine')).toEqual(['good morning', 'how are you', 'fine']);
    const run = 'word '.repeat(400).trim();
    const segments = await segmentsOf(spoken(run));
    expect(await textsOf(run)).toEqual(segments.map(({ text }) => text));
  });

  it('end at a long pause and at a change of speaker, whatever the text', async () => {
    expect(await textsOf('I think 2.5 we go.')).toEqual(['I think', 'we go.']);
    const words = [...spoken('so I', { speakerId: 'S1' }), ...spoken('and then we go.', { start: 0.8, speakerId: 'S2' })];
    expect((await sentences(await segmentsOf(words))).map(({ speakerId, text }) => [speakerId, text])).toEqual([
      ['S1', 'so I'],
      ['S2', 'and then we go.'],
    ]);
  });

  it('keep apart what is said at once on channels of their own, also when both are one speaker', async () => {
    const channel = (number: number, text: string, start: number) => segmentWords(streamOf(spoken(text, { start }).map((word) => wordOnChannel(word, number))));
    const merged = (await collect(mergeChannels([channel(0, 'I say 1.2 this.', 0), channel(1, 'No', 0.2)]))).map((segment) => ({ ...segment, speakerId: 'S1' }));
    expect((await sentences(merged)).map(({ channel: on, text }) => [on, text])).toEqual([
      [0, 'I say'],
      [1, 'No'],
      [0, 'this.'],
    ]);
  });

  it('follow edits: a segment with several sentences is cut, with its text as it was written', async () => {
    const [one, two] = await segmentsOf(spoken('we go. Now'));
    const merged = mergedSegment([one!, two!]);
    expect((await sentences([merged])).map(({ text, firstWordId, lastWordId }) => [text, firstWordId, lastWordId])).toEqual([
      ['we go.', '1.1', '1.2'],
      ['Now', '2.1', '2.1'],
    ]);
    const edited = rewordedSegment(one!, 'We go! It costs 5 %. Fine.', () => 'new');
    expect((await sentences([edited])).map(({ text }) => text)).toEqual(['We go!', 'It costs 5 %.', 'Fine.']);
  });

  it('have the text of segments without words, such as translated ones', async () => {
    const segments = (await segmentsOf(spoken('Guten 1 Tag.'))).map((segment) => ({ ...segment, words: [] }));
    expect(await sentences(segments)).toEqual([{ start: 0, end: 1.6, text: 'Guten Tag.', segmentIds: ['seg_000001', 'seg_000002'] }]);
  });

  it('have every word once, in order, and are the same from wherever reading begins', async () => {
    const words = fc.array(fc.record({ text: fc.constantFrom('a', 'river', 'Stop.', 'then,', '好。', 'x'.repeat(120)), pause: fc.integer({ min: 0, max: 2500 }), speakerId: fc.constantFrom('S1', 'S1', 'S1', 'S2') }), { size: 'max', maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(words, fc.nat(), fc.boolean(), async (drawn, from, isMerged) => {
        let time = 0;
        const recognized = await segmentsOf(
          drawn.map(({ pause, ...word }) => {
            const start = (time += pause) / 1000;
            return { ...word, start, end: (time += 300) / 1000 };
          }),
        );
        const segments = isMerged ? mergedInPairs(recognized) : recognized;
        const all = await sentences(segments);
        const written = (text: string) => text.replace(/\s/gu, '');
        expect(written(all.map(({ text }) => text).join(''))).toBe(written(drawn.map(({ text }) => text).join('')));
        const first = from % Math.max(1, all.length);
        const { segmentIds: [segmentId = ''] = [], firstWordId } = all[first] ?? {};
        expect(await collect(sentencesFrom(streamOf(segments), { segmentId, firstWordId }))).toEqual(all.slice(first));
      }),
      { numRuns: 50 },
    );
  });
});

describe('paragraphs of a transcript', () => {
  const paragraphs = async (segments: Iterable<Segment>, speakers = true) => (await collect(paragraphsOf(sentencesOf(segments), { speakers }))).map(({ text }) => text);

  it('end at another speaker and at a pause, and otherwise with the sentence in which they grow long', async () => {
    const long = `So ${'we talk about it at length '.repeat(11)}and go.`;
    const words = [...spoken(`${long} ${long} ${long} Yes. 3 Well.`, { speakerId: 'S1' }), ...spoken('No.', { start: 100, speakerId: 'S2' })];
    expect(await paragraphs(await segmentsOf(words))).toEqual([`${long} ${long}`, `${long} Yes.`, 'Well.', 'No.']);
  });

  it('go on over speakers that a document does not name', async () => {
    const words = [...spoken('Yes.', { speakerId: 'S1' }), ...spoken('No.', { start: 0.5, speakerId: 'S2' })];
    expect(await paragraphs(await segmentsOf(words), false)).toEqual(['Yes. No.']);
  });
});
