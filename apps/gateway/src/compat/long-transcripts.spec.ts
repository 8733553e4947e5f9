import { describe, expect, it } from '@jest/globals';
import { ingest, transcription, transcripts } from '@parlance/contracts';
import { asrJson } from './asr/asr-answer.js';
import { asrRequest } from './asr/asr-request.js';
import { SpokenWords } from './assemblyai/spoken-words.js';
import { deepgramAnswer } from './deepgram/deepgram-answer.js';
import { deepgramRequest } from './deepgram/deepgram-request.js';
import { jsonAnswer } from './openai/openai-answer.js';
import { openAiRequest } from './openai/openai-request.js';
import { gathered, type TranscriptReading } from './transcript-text.js';

const SEGMENT_SECONDS = 4;
const SEGMENTS = (10 * 60 * 60) / SEGMENT_SECONDS;
const WORDS = 10;
const speakers = ['S1', 'S2'].map((speakerId) => transcripts.Speaker.fromPartial({ speakerId, name: speakerId }));

function segment(number: number, speakerId: string): transcripts.Segment {
  const start = number * SEGMENT_SECONDS;
  const words = Array.from({ length: WORDS }, (_, index) => transcripts.Word.fromPartial({ text: index === WORDS - 1 ? 'end.' : `word${number % 7}`, start: start + index * 0.3, end: start + index * 0.3 + 0.2 }));
  return transcripts.Segment.fromPartial({ segmentId: `seg_${String(number + 1).padStart(6, '0')}`, start, end: start + 3, text: words.map(({ text }) => text).join(' '), words, speakerId });
}

/** A recording of ten hours, and how many of its segments were read since a piece of the answer was given. */
class TenHours {
  private ahead = 0;
  private longest = 0;

  constructor(private readonly speakerOf: (number: number) => string) {}

  readonly reading: TranscriptReading = {
    header: { ...transcription.TranscriptHeader.fromPartial({ language: 'en', engine: 'whisper', duration: SEGMENTS * SEGMENT_SECONDS }), speakers },
    segments: () => this.segments(),
  };

  /** Reads the answer as a client does. @returns the most segments that were read for one piece, the longest piece and all characters */
  async read(pieces: AsyncIterable<string>): Promise<{ mostSegments: number; longestPiece: number; length: number }> {
    let [longestPiece, length] = [0, 0];
    for await (const piece of gathered(pieces)) {
      [longestPiece, length] = [Math.max(longestPiece, piece.length), length + piece.length];
      this.ahead = 0;
    }
    return { mostSegments: this.longest, longestPiece, length };
  }

  private async *segments(): AsyncGenerator<transcripts.Segment> {
    for (let number = 0; number < SEGMENTS; number += 1) {
      this.ahead += 1;
      this.longest = Math.max(this.longest, this.ahead);
      yield segment(number, this.speakerOf(number));
    }
  }
}

/** Text alone has some 60 characters a segment, and a piece 16,384. */
const MAX_SEGMENTS = 1000;
const MAX_PIECE = 64 * 1024;

const job = ingest.Job.fromPartial({});
const answers: Record<string, (reading: TranscriptReading) => AsyncGenerator<string>> = {
  'AssemblyAI’s transcript': (reading) => new SpokenWords(reading, speakers).members(),
  'AssemblyAI’s utterances': (reading) => new SpokenWords(reading, speakers).utterances(),
  'AssemblyAI’s sentences': (reading) => new SpokenWords(reading, speakers).sentences(),
  'AssemblyAI’s paragraphs': (reading) => new SpokenWords(reading, speakers).paragraphs(),
  'Deepgram’s': (reading) => deepgramAnswer(deepgramRequest({ smart_format: 'true', utterances: 'true', diarize: 'true', search: ['word1 word1'] }), { job, reading }),
  'OpenAI’s verbose_json': (reading) => jsonAnswer(openAiRequest({ response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] }), job, reading),
  'whisper-asr-webservice’s': (reading) => asrJson(asrRequest({ output: 'json', diarize: 'true' }), reading),
};

const turns = (number: number) => (number % 3 === 0 ? 'S1' : 'S2');

describe('the answer of ten hours is given while it is read', () => {
  it.each([...Object.keys(answers).map((name) => [name, 'turns']), ['AssemblyAI’s utterances', 'one speaker']])('as %s, with %s', async (name, speech) => {
    const transcript = new TenHours(speech === 'turns' ? turns : () => 'S1');
    const { mostSegments, longestPiece, length } = await transcript.read(answers[name]!(transcript.reading));
    expect(length).toBeGreaterThan(SEGMENTS * WORDS * 10);
    expect(mostSegments).toBeLessThan(MAX_SEGMENTS);
    expect(longestPiece).toBeLessThan(MAX_PIECE);
  });
});
