import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ServerMessage, ServerMessageOf } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { deepgramLiveRequest } from './deepgram-live-request.js';
import { DeepgramMessages } from './deepgram-messages.js';
import type { DeepgramQuery } from './deepgram-query.js';

const messagesFor = (query: DeepgramQuery = {}) => new DeepgramMessages({ id: 'job_1', createdAt: '2026-01-01T00:00:00.000Z' }, deepgramLiveRequest(query));
const written = (messages: DeepgramMessages, ...sent: ServerMessage[]) => sent.flatMap((message) => messages.write(message)).map((text) => JSON.parse(text) as Record<string, unknown>);
const final = (endpoint: ServerMessageOf<'final'>['endpoint'], end = 2): ServerMessageOf<'final'> => ({ type: 'final', seq: 1, utterance: 1, id: 's1', start: 1, end, text: 'Hello there.', words: [{ text: 'Hello', start: 1, end: 1.4, confidence: 0.8 }, { text: 'there.', start: 1.5, end }], endpoint });
const ack = (processed: number): ServerMessage => ({ type: 'ack', offset: 0, audio_ms: processed, processed_ms: processed, lag_ms: 0, final_ms: processed });
const started = (at: number): ServerMessage => ({ type: 'speech_started', seq: 2, at });

describe('the messages of a stream for Deepgram’s clients', () => {
  it('have finals with their words and a mean confidence', () => {
    const [result] = written(messagesFor({ punctuate: 'true' }), final('silence'));
    expect(result).toMatchObject({ type: 'Results', channel_index: [0, 1], start: 1, duration: 1, is_final: true, speech_final: true, from_finalize: false, metadata: { request_id: 'job_1' } });
    expect(result?.['channel']).toEqual({ alternatives: [{ transcript: 'Hello there.', confidence: 0.9, words: [{ word: 'hello', punctuated_word: 'Hello', start: 1, end: 1.4, confidence: 0.8 }, { word: 'there', punctuated_word: 'there.', start: 1.5, end: 2, confidence: 1 }] }] });
  });

  it.each<[ServerMessageOf<'final'>['endpoint'], DeepgramQuery, object]>([
    ['silence', {}, { speech_final: true, from_finalize: false }],
    ['silence', { endpointing: 'false' }, { speech_final: false, from_finalize: false }],
    ['length', {}, { speech_final: false, from_finalize: false }],
    ['finalize', {}, { speech_final: true, from_finalize: true }],
    ['end', {}, { speech_final: true, from_finalize: false }],
  ])('say of an utterance that ended by %s with %j: %j', (endpoint, query, flags) => {
    expect(written(messagesFor(query), final(endpoint))[0]).toMatchObject({ is_final: true, ...flags });
  });

  it('have partials whose words share their time', () => {
    const [result] = written(messagesFor({ interim_results: 'true' }), { type: 'partial', utterance: 1, revision: 1, start: 1, end: 2, text: 'one three', stable_chars: 0 });
    expect(result).toMatchObject({ is_final: false, speech_final: false, channel: { alternatives: [{ transcript: 'one three', words: [{ word: 'one', start: 1, end: 1.375 }, { word: 'three', start: 1.375, end: 2 }] }] } });
  });

  it('say once that an utterance is over when no word came for so long', () => {
    const messages = messagesFor({ utterance_end_ms: '1000' });
    expect(written(messages, final('silence'), ack(2900)).map(({ type }) => type)).toEqual(['Results']);
    expect(written(messages, ack(3000), ack(9000))).toEqual([{ type: 'UtteranceEnd', channel: [0, 1], last_word_end: 2 }]);
  });

  it('say nothing of that when speech goes on sooner, or it was not asked for', () => {
    const messages = messagesFor({ utterance_end_ms: '1000' });
    expect(written(messages, final('silence'), started(2.5), ack(9000)).map(({ type }) => type)).toEqual(['Results']);
    expect(written(messages, final('length'), ack(9000)).map(({ type }) => type)).toEqual(['Results']);
    expect(written(messagesFor(), final('silence'), ack(9000)).map(({ type }) => type)).toEqual(['Results']);
  });

  it('report speech only by vad_events', () => {
    expect(written(messagesFor({ vad_events: 'true' }), started(2.5))).toEqual([{ type: 'SpeechStarted', channel: [0, 1], timestamp: 2.5 }]);
    expect(written(messagesFor(), started(2.5))).toEqual([]);
  });

  it('end with the digest of the audio', () => {
    const messages = messagesFor();
    messages.onAudio(Buffer.from('ab'));
    messages.onAudio(Buffer.from('c'));
    const [metadata] = written(messages, { type: 'finished', seq: 3, transcription_id: 'job_1', audio_ms: 1500 });
    expect(metadata).toMatchObject({ type: 'Metadata', request_id: 'job_1', duration: 1.5, channels: 1, created: '2026-01-01T00:00:00.000Z', sha256: createHash('sha256').update('abc').digest('hex') });
  });

  it('leave out messages of our own protocol', () => {
    expect(written(messagesFor(), { type: 'go_away', reconnect_within_ms: 1 }, { type: 'warning', code: 'x', message: 'x' }, ack(1))).toEqual([]);
  });
});

describe('the messages of Deepgram’s clients', () => {
  it.each([
    ['KeepAlive', 'keepalive'],
    ['Finalize', 'finalize'],
    ['CloseStream', 'finish'],
  ])('%s means %s', (type, meaning) => {
    expect(messagesFor().read({ type })).toEqual({ type: meaning });
  });

  it('of another type are refused', () => {
    expect(() => messagesFor().read({ type: 'Configure' })).toThrow(/KeepAlive, Finalize or CloseStream/);
  });

  it('end the stream by an empty frame', () => {
    expect(messagesFor().onAudio(Buffer.alloc(0))).toEqual({ type: 'finish' });
  });
});

describe('the end of a stream with an error', () => {
  const error = (code: 'live_idle' | 'live_frame_too_large' | 'live_message_invalid' | 'unauthenticated' | 'quota_exhausted' | 'media_unsupported' | 'no_live_capacity' | 'internal') => new AppError({ code, message: 'Why.' } as never);

  it.each([
    ['live_idle', 1011, 'NET-0001: Why.'],
    ['live_frame_too_large', 1009, 'PAYLOAD_TOO_LARGE: Why.'],
    ['live_message_invalid', 1008, 'DATA-0000: Why.'],
    ['unauthenticated', 1008, 'INVALID_AUTH: Why.'],
    ['quota_exhausted', 1008, 'ASR_PAYMENT_REQUIRED: Why.'],
    ['media_unsupported', 1008, 'DATA-0000: Why.'],
    ['no_live_capacity', 1013, 'NET-0000: Why.'],
  ] as const)('%s has the code %d and the reason %s', (code, closing, reason) => {
    expect(messagesFor().closing(error(code))).toEqual({ code: closing, reason });
  });

  it('has a reason that fits into a frame', () => {
    const { reason } = messagesFor().closing(new AppError({ code: 'live_idle', message: 'ä'.repeat(100) }));
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
    expect(reason).toMatch(/ä$/);
  });
});
