import { createHmac } from 'node:crypto';
import type { Redacted } from './redact-words.js';
import type { RedactionStyle } from './redaction-style.js';

/** The style of labels, and for hashes the key: equal things have equal hashes in all transcripts with the same one. */
interface LabelOptions {
  style: RedactionStyle;
  /** 32 bytes in base64. */
  hashKey?: string | undefined;
}

/** Bytes of a hash in a label. */
const HASH_BYTES = 6;

/** The labels of one transcript: equal things have the same number, in the order in which they are first said. */
export class RedactionLabels {
  private readonly numbers = new Map<string, Map<string, number>>();

  constructor(private readonly options: LabelOptions) {}

  /** @returns undefined when asterisks stand for the words */
  of(place: Redacted): string | undefined {
    const { style } = this.options;
    return style === 'mask' ? undefined : labelOf(place, style === 'hash' ? this.hashOf(place) : String(this.numberOf(place)));
  }

  private numberOf({ policy, value }: Redacted): number {
    const numbers = this.numbers.get(policy) ?? new Map<string, number>();
    this.numbers.set(policy, numbers);
    const number = numbers.get(value) ?? numbers.size + 1;
    numbers.set(value, number);
    return number;
  }

  /** @throws Error without a key: a hash that everybody can compute tells short numbers */
  private hashOf({ policy, value }: Redacted): string {
    const { hashKey } = this.options;
    if (hashKey === undefined) throw new Error('a redaction by hash has no key');
    return createHmac('sha256', Buffer.from(hashKey, 'base64')).update(`${policy}\0${value}`).digest().subarray(0, HASH_BYTES).toString('hex');
  }
}

/** The label of words of which others may be said later, or were said before, that are not known here: without a number. */
export const provisionalLabel = (place: Redacted, { style }: LabelOptions): string | undefined => (style === 'mask' ? undefined : labelOf(place));

const labelOf = ({ policy }: Redacted, suffix?: string): string => `[${policy.toUpperCase()}${suffix === undefined ? '' : `_${suffix}`}]`;
