import { describe, expect, it } from '@jest/globals';
import { transcripts } from '@parlance/contracts';
import { readingOf } from '../../../test/reading.js';
import { asrJson, asrText, asrTsv } from './asr-answer.js';
import { asrRequest } from './asr-request.js';

const word = (text: string, start: number) => transcripts.Word.fromPartial({ text, start, end: start + 0.4, confidence: 0.5 });
const segments = [
  transcripts.Segment.fromPartial({ text: 'Say "yes".', start: 0.2504, end: 1, confidence: 0.5, speakerId: 'S1', words: [word('Say', 0.25), word('"yes".', 0.6)] }),
  transcripts.Segment.fromPartial({ text: 'Nein\tdanke.', start: 1, end: 2, speakerId: 'S2', words: [word('Nein', 1)] }),
];
const speakers = ['S1', 'S2'].map((speakerId) => transcripts.Speaker.fromPartial({ speakerId, name: speakerId }));

const reading = readingOf(segments, { language: 'nb', duration: 2, speakers });

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

const jsonOf = async (query: Record<string, string>) => JSON.parse(await textOf(asrJson(asrRequest({ output: 'json', ...query }), reading))) as object;

describe('a transcript for whisper-asr-webservice', () => {
  it('has Whisper’s segments and its code of the language', async () => {
    expect(await jsonOf({})).toEqual({
      text: 'Say "yes". Nein\tdanke.',
      segments: [
        { id: 0, seek: 0, start: 0.2504, end: 1, text: ' Say "yes".', tokens: [], temperature: 0, avg_logprob: Math.log(0.5), compression_ratio: 1, no_speech_prob: 0 },
        { id: 1, seek: 0, start: 1, end: 2, text: ' Nein\tdanke.', tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 },
      ],
      language: 'no',
    });
  });

  it('has words with their probability', async () => {
    expect(await jsonOf({ word_timestamps: 'true' })).toMatchObject({ segments: [{ words: [{ word: ' Say', start: 0.25, end: 0.65, probability: 0.5 }, { word: ' "yes".' }] }, { words: [{ word: ' Nein' }] }] });
  });

  it('has the speakers and words of WhisperX when it is diarized', async () => {
    expect(await jsonOf({ diarize: 'true' })).toMatchObject({
      segments: [{ speaker: 'SPEAKER_00', words: [{ word: 'Say', score: 0.5, speaker: 'SPEAKER_00' }, { word: '"yes".' }] }, { speaker: 'SPEAKER_01' }],
      word_segments: [{ word: 'Say' }, { word: '"yes".' }, { word: 'Nein', speaker: 'SPEAKER_01' }],
    });
  });

  it('is a line for each segment, or milliseconds and text between tabs', async () => {
    expect(await textOf(asrText(reading))).toBe('Say "yes".\nNein\tdanke.\n');
    expect(await textOf(asrTsv(reading))).toBe('start\tend\ttext\n250\t1000\tSay "yes".\n1000\t2000\tNein danke.\n');
  });
});
