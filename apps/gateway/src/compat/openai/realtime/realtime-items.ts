import type { RealtimeServerEvent } from './realtime-events.js';
import type { Dialect } from './realtime-settings.js';

/** An utterance under the name that the client knows it by. */
export interface RealtimeItem {
  id: string;
  /** The text that was sent as deltas. */
  shown: string;
}

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';

/** Sends the events of items: each is committed, shown in deltas, and completed. */
export class RealtimeItems {
  private count = 0;
  private previous: string | null = null;

  constructor(
    private readonly sessionId: string,
    private readonly dialect: Dialect,
    private readonly send: (event: RealtimeServerEvent) => void,
  ) {}

  begin(): RealtimeItem {
    this.count += 1;
    return { id: `item_${this.sessionId}_${this.count}`, shown: '' };
  }

  speechStarted({ id }: RealtimeItem, atMs: number): void {
    this.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: atMs, item_id: id });
  }

  speechStopped({ id }: RealtimeItem, atMs: number): void {
    this.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: atMs, item_id: id });
  }

  commit({ id }: RealtimeItem): void {
    const previous = this.previous;
    this.previous = id;
    this.send({ type: 'input_audio_buffer.committed', item_id: id, previous_item_id: previous });
    const item = { id, object: 'realtime.item', type: 'message', status: 'completed', role: 'user', content: [{ type: 'input_audio', transcript: null }] };
    const types = this.dialect === 'beta' ? ['conversation.item.created'] : ['conversation.item.added', 'conversation.item.done'];
    for (const type of types) this.send({ type, previous_item_id: previous, item });
  }

  /** Deltas only add text: a text that does not continue what was sent waits for the end. */
  show(item: RealtimeItem, text: string): void {
    if (text.length <= item.shown.length || !text.startsWith(item.shown)) return;
    this.send({ type: `${TRANSCRIPTION}.delta`, item_id: item.id, content_index: 0, delta: text.slice(item.shown.length) });
    item.shown = text;
  }

  complete({ id }: RealtimeItem, transcript: string, seconds: number): void {
    this.send({ type: `${TRANSCRIPTION}.completed`, item_id: id, content_index: 0, transcript, usage: { type: 'duration', seconds } });
  }

  fail({ id }: RealtimeItem, error: object): void {
    this.send({ type: `${TRANSCRIPTION}.failed`, item_id: id, content_index: 0, error });
  }
}
