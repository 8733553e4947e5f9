import { describe, expect, it } from '@jest/globals';
import type { ServerMessage } from '@parlance/contracts';
import type { RealtimeServerEvent } from './realtime-events.js';
import { RealtimeItems } from './realtime-items.js';
import { CommittedTurns, DetectedTurns, type RealtimeTurns } from './realtime-turns.js';

const started = (at: number): ServerMessage => ({ type: 'speech_started', seq: 1, at });
const ended = (at: number): ServerMessage => ({ type: 'speech_ended', seq: 1, at });
const partial = (start: number, text: string, stable: number): ServerMessage => ({ type: 'partial', utterance: 1, revision: 1, start, end: start + 1, text, stable_chars: stable });
const final = (start: number, text: string): ServerMessage => ({ type: 'final', seq: 1, utterance: 1, id: 'utt_1', start, end: start + 1, text, words: [], endpoint: 'silence' });
const ack = (finalMs: number): ServerMessage => ({ type: 'ack', offset: 0, audio_ms: 0, processed_ms: 0, lag_ms: 0, final_ms: finalMs });

/** The events as short lines: their type, the number of their item, and their text. */
function turnsOf(Turns: new (items: RealtimeItems) => RealtimeTurns) {
  const lines: string[] = [];
  const send = ({ type, item_id: id, delta, transcript }: RealtimeServerEvent) => {
    const text = delta ?? transcript;
    if (!type.startsWith('conversation.item.added') && !type.startsWith('conversation.item.done')) lines.push([type.split('.').at(-1), String(id).split('_').at(-1), ...(text === undefined ? [] : [`"${String(text)}"`])].join(' '));
  };
  const turns = new Turns(new RealtimeItems('sess', 'ga', send));
  return { turns, lines, take: (...messages: ServerMessage[]) => messages.forEach((message) => turns.take(message)) };
}

describe('the items of detected speech', () => {
  it('are begun, committed, shown and completed', () => {
    const { take, lines } = turnsOf(DetectedTurns);
    take(started(0), partial(0, 'one tw', 3), partial(0, 'one two', 7), ended(1), final(0, 'one two three'));
    expect(lines).toEqual(['speech_started 1', 'delta 1 "one"', 'delta 1 " two"', 'speech_stopped 1', 'committed 1', 'delta 1 " three"', 'completed 1 "one two three"']);
  });

  it('are completed without a text when the next begins, or the session ends', () => {
    const { take, lines } = turnsOf(DetectedTurns);
    take(started(0), ended(1), started(2), ended(3), { type: 'finished', seq: 9, transcription_id: 'job', audio_ms: 1 });
    expect(lines.filter((line) => line.startsWith('completed'))).toEqual(['completed 1 ""', 'completed 2 ""']);
  });

  it('show no text that does not continue what was shown', () => {
    const { take, lines } = turnsOf(DetectedTurns);
    take(started(0), partial(0, 'one two', 7), partial(0, 'won too', 7), ended(1), final(0, 'Won two'));
    expect(lines.filter((line) => /^(?:delta|completed)/.test(line))).toEqual(['delta 1 "one two"', 'completed 1 "Won two"']);
  });

  it('fail when the session does', () => {
    const { take, turns, lines } = turnsOf(DetectedTurns);
    take(started(0), ended(1));
    turns.fail({ code: 'internal' });
    expect(lines.at(-1)).toBe('failed 1');
  });
});

describe('the items of commits', () => {
  it('have all utterances that began before, and are completed when these are final', () => {
    const { take, turns, lines } = turnsOf(CommittedTurns);
    take(started(0), final(0, 'one'), final(1.5, 'two'), partial(3, 'three', 5));
    turns.commit(4000);
    // Counts in windows: the next utterance begins a little before the commit.
    take(ack(2500), partial(3.98, 'later', 5), final(3, 'three'), ack(3970));
    expect(lines).toEqual(['delta 1 "one"', 'delta 1 " two"', 'delta 1 " three"', 'committed 1', 'delta 2 "later"', 'completed 1 "one two three"']);
  });

  it('leave out what was withdrawn', () => {
    const { take, turns, lines } = turnsOf(CommittedTurns);
    turns.clear(2000);
    turns.commit(4000);
    take(final(0, 'withdrawn'), final(2.5, 'kept'), ack(4000));
    expect(lines).toEqual(['committed 1', 'delta 1 "kept"', 'completed 1 "kept"']);
  });
});
