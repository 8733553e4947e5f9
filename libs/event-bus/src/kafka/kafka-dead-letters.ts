import { TOPICS, type Topic } from '@parlance/contracts';
import { notFound, pause, retryDelay, type Logger } from '@parlance/platform';
import type { KafkaMessage } from 'kafkajs';
import type { DeadLetter, DeadLetters } from '../event-bus.js';
import { fromDeadLetterRecord, type StoredLetter } from './dead-letter-record.js';
import { ErasedKeys, toErasureRecord } from './erased-keys.js';
import { busClosed, fromKafkaError } from './kafka-errors.js';
import type { KafkaConnection } from './kafka-connection.js';
import type { RecordPublisher } from './record-publisher.js';
import { TopicTail } from './topic-tail.js';
import { deadLetterTopic } from './topics.js';

const DEFAULT_LIMIT = 100;
/** While a letter of an erased key cannot be dropped. */
const BACK_OFF = { initialDelayMs: 500, maxDelayMs: 60_000 };
/** Any that all who erase may write to. */
const ERASURES_IN: Topic = 'parlance.jobs.v1';

interface Placed extends StoredLetter {
  /** In the order of arrival. */
  offset: number;
}

/**
 * The letters that lie in the dead letter topics. A tombstone under a letter's id drops it, and compaction then forgets
 * both. The first question starts reading the topics; every answer waits until all that was there when it was asked is read.
 * A process that has erased a key continues reading, and drops later dead letters of erased keys.
 */
export class KafkaDeadLetters implements DeadLetters {
  private readonly letters = new Map<string, Placed>();
  private readonly erased = new ErasedKeys();
  /** True when this process drops the letters of erased keys. */
  private drops = false;
  /** Some have come since they were last looked for. */
  private late = false;
  private dropping: Promise<void> | undefined;
  private tail: TopicTail | undefined;
  private started: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly publisher: RecordPublisher,
    private readonly log: Logger,
  ) {}

  async list({ topic, group, limit = DEFAULT_LIMIT }: { topic?: Topic; group?: string; limit?: number } = {}): Promise<DeadLetter[]> {
    await this.read();
    return [...this.letters.values()]
      .filter(({ letter }) => (topic === undefined || letter.topic === topic) && (group === undefined || letter.group === group))
      .toSorted(newestFirst)
      .slice(0, limit)
      .map(({ letter }) => letter);
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    await this.read();
    return this.letters.get(id)?.letter;
  }

  /** Crashing between its two steps leaves the letter, so that a replay can be repeated. */
  async replay(id: string): Promise<void> {
    const { letter, replay } = await this.find(id);
    await this.publisher.send([{ ...replay, topic: this.topicOf(letter) }]);
    await this.bury(letter);
  }

  async drop(id: string): Promise<void> {
    const { letter } = await this.find(id);
    await this.bury(letter);
  }

  /** Drops all letters of the key and of keys below it, but those of one event; also those that come within a day. */
  async eraseKey(key: string, exceptEvent: string): Promise<void> {
    await this.connection.ready();
    await this.publisher.send([{ topic: this.lettersOf(ERASURES_IN), ...toErasureRecord(key, exceptEvent) }]);
    this.drops = true;
    await this.dropErased();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.tail?.close();
  }

  private async find(id: string): Promise<StoredLetter> {
    await this.read();
    const stored = this.letters.get(id);
    if (!stored) throw notFound('The dead letter');
    return stored;
  }

  private async bury(letter: DeadLetter): Promise<void> {
    await this.buryAll([letter]);
  }

  private async buryAll(letters: readonly DeadLetter[]): Promise<void> {
    await this.publisher.send(letters.map(({ id, topic }) => ({ topic: this.lettersOf(topic), key: id, value: null, headers: {} })));
  }

  private async dropErased(): Promise<void> {
    this.late = false;
    await this.read();
    await this.buryAll([...this.letters.values()].map(({ letter }) => letter).filter((letter) => this.erased.has(letter)));
  }

  /** A letter came of a key that was erased before, by this process or another. */
  private dropLate(): void {
    this.late = true;
    this.dropping ??= this.dropUntilNoneIsLate();
  }

  private async dropUntilNoneIsLate(): Promise<void> {
    for (let failures = 0; this.late && !this.closed; ) {
      try {
        await this.dropErased();
        failures = 0;
      } catch (error) {
        this.late = true;
        failures += 1;
        if (this.closed) return;
        this.log.warn({ err: error, failures }, 'dead letters of erased keys could not be dropped; trying again');
        await pause(retryDelay(failures, BACK_OFF, 1), undefined, { ref: false });
      }
    }
    // In the same breath as the last look at `late`.
    this.dropping = undefined;
  }

  private lettersOf(topic: Topic): string {
    return deadLetterTopic(`${this.connection.settings.topicPrefix}${topic}`);
  }

  private topicOf({ topic }: DeadLetter): string {
    return `${this.connection.settings.topicPrefix}${topic}`;
  }

  private async read(): Promise<void> {
    if (this.closed) throw busClosed();
    await this.connection.ready();
    const { topicPrefix } = this.connection.settings;
    try {
      await this.readAll(topicPrefix);
    } catch (error) {
      throw fromKafkaError(error);
    }
    if (this.closed) throw busClosed();
  }

  private async readAll(topicPrefix: string): Promise<void> {
    const topics = Object.keys(TOPICS).map((topic) => deadLetterTopic(`${topicPrefix}${topic}`));
    this.tail ??= new TopicTail({ topics, from: 'beginning', show: (_, message) => this.take(message) }, this.connection, this.log);
    this.started ??= this.tail.start();
    try {
      await this.started;
    } catch (error) {
      this.started = undefined;
      throw error;
    }
    await this.tail.caughtUp();
  }

  private take(message: KafkaMessage): void {
    const id = message.key?.toString() ?? '';
    const stored = fromDeadLetterRecord(message);
    if (this.erased.take(message)) return;
    if (!stored) {
      this.letters.delete(id);
      return;
    }
    this.letters.set(id, { ...stored, offset: Number(message.offset) });
    if (this.drops && this.erased.has(stored.letter)) this.dropLate();
  }
}

/** Offsets order the letters of a topic; between topics, the clocks of those who wrote them. */
function newestFirst(a: Placed, b: Placed): number {
  if (a.letter.topic === b.letter.topic) return b.offset - a.offset;
  return a.letter.failedAt < b.letter.failedAt ? 1 : -1;
}
