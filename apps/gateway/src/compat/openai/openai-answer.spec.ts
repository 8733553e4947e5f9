import { describe, expect, it } from '@jest/globals';
import { ingest, transcripts } from '@parlance/contracts';
import { readingOf } from '../../../test/reading.js';
import { jsonAnswer } from './openai-answer.js';
import { openAiRequest } from './openai-request.js';

const word = (text: string, confidence?: number) => transcripts.Word.fromPartial({ text, start: 0, end: 1, confidence });

async function answerTo(fields: Record<string, string>, segments: transcripts.Segment[]): Promise<unknown> {
  let body = '';
  for await (const piece of jsonAnswer(openAiRequest(fields), ingest.Job.fromPartial({}), readingOf(segments, { language: 'en', duration: 2.5 }))) body += piece;
  return JSON.parse(body);
}

describe('the answer in JSON', () => {
  it('is the text of all pages with quotes escaped, and the usage', async () => {
    const segments = [transcripts.Segment.fromPartial({ text: 'Say "yes".', start: 0, end: 1 }), transcripts.Segment.fromPartial({ text: 'No.', start: 1, end: 2 })];
    expect(await answerTo({ response_format: 'json' }, segments)).toEqual({ text: 'Say "yes". No.', usage: { type: 'duration', seconds: 3 } });
  });

  it('has the words of each segment in it as well, with the confidence that the engine gave', async () => {
    const segments = [transcripts.Segment.fromPartial({ text: 'Yes.', words: [word('Yes.', 0.5)] }), transcripts.Segment.fromPartial({ text: 'No.', words: [word('No.')] })];
    expect(await answerTo({ response_format: 'verbose_json', timestamp_granularities: 'word' }, segments)).toMatchObject({
      words: [{ word: 'Yes.', start: 0, end: 1 }, { word: 'No.', start: 0, end: 1 }],
      segments: [{ words: [{ word: 'Yes.', start: 0, end: 1, probability: 0.5 }] }, { words: [{ word: 'No.', start: 0, end: 1 }] }],
    });
    expect(await answerTo({ response_format: 'verbose_json' }, segments)).not.toHaveProperty('segments.0.words');
  });

  it('has the log probabilities of the words whose confidence the engine gave', async () => {
    const segments = [transcripts.Segment.fromPartial({ text: 'Ja, hör zu.', words: [word('Ja,', 0.5), word('hör', 0), word('zu.')] })];
    const logprobs = [{ token: 'Ja,', logprob: Math.log(0.5), bytes: [74, 97, 44] }, { token: ' hör', logprob: -9999, bytes: [32, 104, 195, 182, 114] }];
    expect(await answerTo({ include: 'logprobs' }, segments)).toEqual({ text: 'Ja, hör zu.', logprobs, usage: expect.anything() });
  });
});
