import { describe, expect, it } from '@jest/globals';
import { ingest, transcription, transcripts } from '@parlance/contracts';
import { jsonOf, readingOf } from '../../../test/reading.js';
import { deepgramAnswer } from './deepgram-answer.js';
import type { DeepgramQuery } from './deepgram-query.js';
import { deepgramRequest } from './deepgram-request.js';

interface Answer {
  metadata: { channels: number };
  results: { channels: { alternatives: { transcript: string; confidence: number; words: object[]; paragraphs?: object }[] }[]; utterances?: { transcript: string; channel: number; speaker?: number; start: number }[] };
}

const wordsOf = (text: string, start: number) => text.split(' ').map((word, index) => ({ text: word, start: start + index, end: start + index + 0.9 }));
const segmentOf = (segmentId: string, text: string, start: number, more: Partial<transcripts.Segment> = {}) =>
  transcripts.Segment.fromPartial({ segmentId, text, start, end: start + text.split(' ').length, words: wordsOf(text, start), ...more });

const answerOf = async (query: DeepgramQuery, segments: transcripts.Segment[], splitChannels?: number) => {
  const job = ingest.Job.fromPartial({ jobId: 'job_1', media: { splitChannels } });
  const header = transcription.TranscriptHeader.fromPartial({ engine: 'whisper', language: 'en', duration: 9, speakers: [{ speakerId: 'S1' }, { speakerId: 'S2' }] });
  return jsonOf<Answer>(deepgramAnswer(deepgramRequest(query), { job, reading: readingOf(segments, header) }));
};

describe('a transcript as Deepgram’s clients get it', () => {
  it('has one channel for each that was transcribed apart, also without a word', async () => {
    const { metadata, results } = await answerOf({ multichannel: 'true', utterances: 'true' }, [segmentOf('a', 'Yes indeed.', 0, { channel: 1 }), segmentOf('b', 'No.', 1, { channel: 0 })], 3);
    expect(metadata.channels).toBe(3);
    expect(results.channels.map(({ alternatives }) => alternatives[0]?.transcript)).toEqual(['no', 'yes indeed', '']);
    expect(results.channels[2]?.alternatives[0]).toMatchObject({ confidence: 0, words: [] });
    expect(results.utterances?.map(({ channel, transcript }) => [channel, transcript])).toEqual([[1, 'yes indeed'], [0, 'no']]);
  });

  it('has utterances that end at a pause and at another speaker', async () => {
    const segments = [segmentOf('a', 'One two', 0, { speakerId: 'S2' }), segmentOf('b', 'three', 2, { speakerId: 'S1' }), segmentOf('c', 'four', 5, { speakerId: 'S1' })];
    const told = async (query: DeepgramQuery) => (await answerOf({ utterances: 'true', ...query }, segments)).results.utterances?.map(({ transcript, speaker }) => [transcript, speaker]);
    expect(await told({ diarize: 'true' })).toEqual([['one two', 1], ['three', 0], ['four', 0]]);
    expect(await told({})).toEqual([['one two three', undefined], ['four', undefined]]);
    expect(await told({ utt_split: '10' })).toEqual([['one two three four', undefined]]);
  });

  it('has paragraphs of whole sentences, with their speakers', async () => {
    const { results } = await answerOf({ paragraphs: 'true', diarize: 'true' }, [segmentOf('a', 'First one. Second one.', 0, { speakerId: 'S1' }), segmentOf('b', 'An answer.', 5, { speakerId: 'S2' })]);
    expect(results.channels[0]?.alternatives[0]).toMatchObject({
      transcript: 'First one. Second one. An answer.',
      paragraphs: {
        transcript: '\nSpeaker 0: First one. Second one.\n\nSpeaker 1: An answer.\n',
        paragraphs: [
          { speaker: 0, num_words: 4, sentences: [{ text: 'First one.' }, { text: 'Second one.' }] },
          { speaker: 1, num_words: 2, sentences: [{ text: 'An answer.' }] },
        ],
      },
    });
  });

  it('joins words of scripts without spaces as they are written', async () => {
    const segment = transcripts.Segment.fromPartial({ segmentId: 'a', text: '你好', words: [{ text: '你', start: 0, end: 1 }, { text: '好', start: 1, end: 2 }] });
    expect((await answerOf({}, [segment])).results.channels[0]?.alternatives[0]?.transcript).toBe('你好');
  });
});
