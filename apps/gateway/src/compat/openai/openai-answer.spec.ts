import { describe, expect, it } from '@jest/globals';
import { ingest, transcription, transcripts } from '@parlance/contracts';
import { jsonAnswer } from './openai-answer.js';
import { openAiRequest } from './openai-request.js';

describe('the answer in JSON', () => {
  it('is the text of all pages with quotes escaped, and the usage', async () => {
    const segments = [transcripts.Segment.fromPartial({ text: 'Say "yes".', start: 0, end: 1 }), transcripts.Segment.fromPartial({ text: 'No.', start: 1, end: 2 })];
    async function* rest(): AsyncGenerator<transcription.GetTranscriptResponse> {
      yield { header: undefined, segments: segments.slice(1) };
    }
    const first = { header: transcription.TranscriptHeader.fromPartial({ language: 'en', duration: 2.5 }), segments: segments.slice(0, 1) };
    let body = '';
    for await (const piece of jsonAnswer(openAiRequest({ response_format: 'json' }), ingest.Job.fromPartial({}), { first, rest: rest() })) body += piece;
    expect(JSON.parse(body)).toEqual({ text: 'Say "yes". No.', usage: { type: 'duration', seconds: 3 } });
  });
});
