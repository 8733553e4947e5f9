import { createHash } from 'node:crypto';
import type { ClientMessage, ServerMessage, ServerMessageOf } from '@parlance/contracts';
import { z } from 'zod';
import { invalid } from '../../live/socket/client-messages.js';
import type { Closing, LiveProtocol } from '../../live/socket/live-protocol.js';
import { deepgramClosing } from './deepgram-closing.js';
import type { DeepgramLiveRequest } from './deepgram-live-request.js';
import { modelInfo, modelUuid } from './deepgram-model-info.js';
import { confidenceOf, deepgramWord, transcriptOf, type DeepgramWord, type RecognizedWord } from './deepgram-words.js';

const clientMessage = z.object({ type: z.enum(['KeepAlive', 'Finalize', 'CloseStream']) });

const MEANINGS = { KeepAlive: { type: 'keepalive' }, Finalize: { type: 'finalize' }, CloseStream: { type: 'finish' } } as const satisfies Record<string, ClientMessage>;

/** All channels are mixed to one. */
const CHANNEL = [0, 1];

interface ResultFlags {
  isFinal: boolean;
  speechFinal: boolean;
  fromFinalize: boolean;
}

/** The messages of one stream in the protocol of Deepgram's API (developers.deepgram.com, `listen.v1`). */
export class DeepgramMessages implements LiveProtocol {
  readonly canResume = false;
  private readonly hash = createHash('sha256');
  private engine = '';
  /** The end of the last word in seconds, until `UtteranceEnd` is sent or the next word comes. */
  private lastWordEnd: number | undefined;

  constructor(
    private readonly session: { id: string; createdAt: string },
    private readonly asked: DeepgramLiveRequest,
  ) {}

  read(json: unknown): ClientMessage {
    const { data } = clientMessage.safeParse(json);
    if (!data) throw invalid('Its type must be KeepAlive, Finalize or CloseStream.');
    return MEANINGS[data.type];
  }

  /** An empty frame is the older way to say CloseStream. */
  onAudio(bytes: Buffer): ClientMessage | undefined {
    if (bytes.byteLength === 0) return MEANINGS.CloseStream;
    this.hash.update(bytes);
    return undefined;
  }

  closing(error: unknown): Closing {
    return deepgramClosing(error);
  }

  write(message: ServerMessage): string[] {
    return this.translated(message).map((each) => JSON.stringify(each));
  }

  private translated(message: ServerMessage): object[] {
    switch (message.type) {
      case 'ready':
        this.engine = message.engine;
        return [];
      case 'partial':
        this.lastWordEnd = undefined;
        return [this.results(message, wordsOf(message), { isFinal: false, speechFinal: false, fromFinalize: false })];
      case 'final':
        return [this.final(message)];
      case 'speech_started':
        return [...this.utteranceEnd(message.at, true), ...(this.asked.vadEvents ? [{ type: 'SpeechStarted', channel: CHANNEL, timestamp: message.at }] : [])];
      case 'ack':
        return this.utteranceEnd(message.processed_ms / 1000, false);
      case 'finished':
        return [...this.utteranceEnd(message.audio_ms / 1000, true), this.metadata(message)];
      default:
        return [];
    }
  }

  private final(message: ServerMessageOf<'final'>): object {
    const { endpoint, words, end } = message;
    this.lastWordEnd = endpoint === 'length' ? undefined : (words.at(-1)?.end ?? end);
    const speechFinal = endpoint === 'silence' ? this.asked.endpointing : endpoint !== 'length';
    return this.results(message, words, { isFinal: true, speechFinal, fromFinalize: endpoint === 'finalize' });
  }

  private results({ start, end }: { start: number; end: number }, recognized: readonly RecognizedWord[], { isFinal, speechFinal, fromFinalize }: ResultFlags): object {
    const words: DeepgramWord[] = recognized.map((word) => deepgramWord(word, this.asked.formatted));
    return {
      type: 'Results',
      channel_index: CHANNEL,
      duration: rounded(end - start),
      start,
      is_final: isFinal,
      speech_final: speechFinal,
      channel: { alternatives: [{ transcript: transcriptOf(words), confidence: confidenceOf(words), words }] },
      metadata: { request_id: this.session.id, model_info: modelInfo(this.engine), model_uuid: modelUuid(this.engine) },
      from_finalize: fromFinalize,
    };
  }

  /** @param until seconds of audio that are recognized. @param isOver whether the pause does not go on */
  private utteranceEnd(until: number, isOver: boolean): object[] {
    const { utteranceEndMs } = this.asked;
    const last = this.lastWordEnd;
    if (last === undefined || utteranceEndMs === undefined) return [];
    const isLong = (until - last) * 1000 >= utteranceEndMs;
    if (isLong || isOver) this.lastWordEnd = undefined;
    return isLong ? [{ type: 'UtteranceEnd', channel: CHANNEL, last_word_end: last }] : [];
  }

  private metadata({ audio_ms: ms }: ServerMessageOf<'finished'>): object {
    const uuid = modelUuid(this.engine);
    return {
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: this.session.id,
      sha256: this.hash.copy().digest('hex'),
      created: this.session.createdAt,
      duration: ms / 1000,
      channels: 1,
      models: [uuid],
      model_info: { [uuid]: modelInfo(this.engine) },
    };
  }
}

/** The words of a partial share its time by their lengths: only finals have times of words. */
function wordsOf({ text, start, end }: ServerMessageOf<'partial'>): RecognizedWord[] {
  const texts = text.split(/\s+/).filter((word) => word !== '');
  const secondsPerCharacter = (end - start) / Math.max(1, texts.join('').length);
  let from = start;
  return texts.map((word) => {
    const to = from + word.length * secondsPerCharacter;
    const timed = { text: word, start: rounded(from), end: rounded(to) };
    from = to;
    return timed;
  });
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;
