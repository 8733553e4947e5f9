import { afterAll, describe, expect, it } from '@jest/globals';
import { samplePcm } from '../../test/sample-pcm.js';
import { FixtureRecognizer } from '../speech/fixture/fixture-recognizer.js';
import { PocketsphinxRecognizer } from '../speech/pocketsphinx/pocketsphinx-recognizer.js';
import type { SpeechRecognizer } from '../speech/speech-recognizer.js';
import { SileroStreams } from '../voice-activity/silero-streams.js';
import { ChunkStreamingRecognizer } from './chunk-streaming-recognizer.js';
import type { StreamingEvent, StreamingInput } from './streaming-recognizer.js';

const speech = new SileroStreams();
const pocketsphinx = new PocketsphinxRecognizer();
afterAll(() => Promise.all([speech.close(), pocketsphinx.close()]));

async function* inBlocks(pcm: Uint8Array, bytes: number): AsyncGenerator<StreamingInput> {
  for (let at = 0; at < pcm.byteLength; at += bytes) yield { pcm: pcm.subarray(at, at + bytes) };
}

/** All but what depends on the pace. @param from seconds that precede the audio in its recording */
async function lasting(recognizer: SpeechRecognizer, pcm: Uint8Array, { from = 0, bytes = 3200 } = {}): Promise<StreamingEvent[]> {
  const streaming = new ChunkStreamingRecognizer(recognizer, speech);
  const request = { partials: false, silenceMs: 400, maxUtteranceMs: 8000, signal: new AbortController().signal };
  const events: StreamingEvent[] = [];
  for await (const event of streaming.recognize(inBlocks(pcm, bytes), request)) if (event.type !== 'warning') events.push(later(event, from));
  return events;
}

function later(event: StreamingEvent, seconds: number): StreamingEvent {
  const after = (time: number) => Math.round((time + seconds) * 1000) / 1000;
  if (event.type === 'progress') return { ...event, until: after(event.until) };
  if (event.type === 'speech_started' || event.type === 'speech_ended') return { ...event, at: after(event.at) };
  if (event.type !== 'final') return event;
  // Utterances are compared by their place.
  return { ...event, utterance: 0, start: after(event.start), end: after(event.end), words: event.words.map((word) => ({ ...word, start: after(word.start), end: after(word.end) })) };
}

const pointsOf = (events: readonly StreamingEvent[]) => [...events.entries()].flatMap(([nth, event]) => (event.type === 'progress' ? [{ nth, until: event.until }] : [])).slice(0, -1);

describe('a recognition that begins anew', () => {
  it.each(['meeting.mp3', 'reading.flac', 'report.mp4'])('finds in the rest of %s what the whole recognition found, beside other streams', async (name) => {
    const pcm = samplePcm(name);
    const whole = await lasting(new FixtureRecognizer(), pcm);
    const points = pointsOf(whole);
    expect(points.length).toBeGreaterThan(0);
    const rests = await Promise.all(points.map(({ until }, nth) => lasting(new FixtureRecognizer(), pcm.subarray(Math.round(until * 16_000) * 2), { from: until, bytes: 1001 * (nth + 1) })));
    for (const [at, { nth }] of points.entries()) expect(rests[at]).toEqual(whole.slice(nth + 1));
  });

  it('finds the same words with the built-in engine', async () => {
    const pcm = samplePcm('meeting.mp3').subarray(0, 10 * 32_000);
    const whole = await lasting(pocketsphinx, pcm);
    const points = pointsOf(whole);
    expect(whole.flatMap((event) => (event.type === 'final' ? event.words : [])).length).toBeGreaterThan(5);
    expect(points.length).toBeGreaterThan(1);
    for (const { nth, until } of points.slice(-2)) {
      expect(await lasting(pocketsphinx, pcm.subarray(Math.round(until * 16_000) * 2), { from: until, bytes: 64_000 })).toEqual(whole.slice(nth + 1));
    }
  });
});
