import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { continuation, lineOf, partOf } from './transcript-part.js';

type Transcript = Parameters<typeof partOf>[0];

const transcriptOf = (texts: string[]): Transcript => ({
  revision: 0,
  text: texts.join(' '),
  language: 'en',
  duration: texts.length * 2,
  speakers: [{ speaker_id: 'S1', name: 'Ada', talk_time: 1 }],
  segments: texts.map((text, index) => ({ segment_id: `seg_${index}`, start: index * 2, end: index * 2 + 2, text, ...(index % 2 === 0 && { speaker_id: 'S1' }) })),
});

describe('a part of a transcript', () => {
  it('read on from part to part, has every segment once and in order', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 }), { minLength: 1, maxLength: 40 }), fc.integer({ min: 200, max: 600 }), (texts, maxChars) => {
        const transcript = transcriptOf(texts);
        const read: string[] = [];
        for (let segmentId: string | undefined, isFirst = true; isFirst || segmentId !== undefined; isFirst = false) {
          const { segments, next } = partOf(transcript, { segmentId, maxChars });
          expect(segments.length === 1 || segments.map(lineOf).join('\n').length <= maxChars).toBe(true);
          read.push(...segments.map(({ segment_id: id }) => id));
          segmentId = next?.segment_id;
        }
        expect(read).toEqual(transcript.segments.map(({ segment_id: id }) => id));
      }),
    );
  });

  it('has the segments that overlap a range of time', () => {
    const { segments, next } = partOf(transcriptOf(['a', 'b', 'c', 'd', 'e']), { from: 3, to: 6, maxChars: 1000 });
    expect(segments.map(({ text }) => text)).toEqual(['b', 'c']);
    expect(next).toBeUndefined();
  });

  it('names speakers and times', () => {
    const { segments } = partOf(transcriptOf(['Good morning.', 'Hello.']), { maxChars: 1000 });
    expect(segments.map(lineOf)).toEqual(['[0:00:00] Ada: Good morning.', '[0:00:02] Hello.']);
  });

  it('says how to read on', () => {
    const { next } = partOf(transcriptOf(['a'.repeat(300), 'b']), { to: 4, maxChars: 200 });
    expect(continuation('job_1', next, 4)).toContain('read_transcript, job_id: job_1, segment_id: seg_1, to: 4');
  });

  it('cannot begin with a segment that is not there', () => {
    expect(() => partOf(transcriptOf(['a']), { segmentId: 'seg_9', maxChars: 1000 })).toThrow('no segment seg_9');
  });
});
