import { agglomerate, type ClusterModel } from '../clustering.js';
import type { SpeakerBounds } from '../speaker-bounds.js';

/** One voice of one block, as detected there. */
export interface BlockVoice {
  /** Undefined when there was too little speech of this voice. */
  embedding?: Float32Array | undefined;
  /** Seconds in which only this voice speaks. */
  seconds: number;
}

interface Voice {
  /** Sum of the unit vectors, each weighted by its seconds. */
  sum: Float64Array;
  seconds: number;
}

/** A voice with less speech is too uncertain to decide anything. */
const CLEAR_SECONDS = 1.5;
/** So many unlinked voices are linked at once: distances are quadratic in them, and the event loop waits meanwhile. */
const MAX_VOICES = 128;

const COSINE: ClusterModel<Voice> = {
  distance: ({ sum: a }, { sum: b }) => {
    let [product, squaresA, squaresB] = [0, 0, 0];
    for (let index = 0; index < a.length; index += 1) {
      const [x, y] = [a[index] ?? 0, b[index] ?? 0];
      product += x * y;
      squaresA += x * x;
      squaresB += y * y;
    }
    return 1 - product / Math.sqrt(squaresA * squaresB || 1);
  },
  merge: (one, other) => ({ sum: one.sum.map((value, index) => value + (other.sum[index] ?? 0)), seconds: one.seconds + other.seconds }),
};

/**
 * Finds the same people again over the blocks of a recording, by the likeness of their voices. Memory grows with the people
 * and not with the hours: as soon as many voices have come together, those that are very alike become one.
 */
export class VoiceLinker {
  private voices: Voice[] = [];
  /** For each voice that was added, its place among the voices; undefined where it had no embedding. */
  private places: (number | undefined)[] = [];
  private limit = MAX_VOICES;

  /** @param threshold cosine distance from which on two voices are of two people */
  constructor(private readonly threshold: number) {}

  /** @returns numbers of the voices, for `people` */
  add(voices: readonly BlockVoice[]): number[] {
    const first = this.places.length;
    for (const { embedding, seconds } of voices) this.places.push(embedding && this.voices.push(weighted(embedding, seconds)) - 1);
    if (this.voices.length > this.limit) this.link({ threshold: this.threshold / 2 });
    return voices.map((_, index) => first + index);
  }

  /** For each voice number its person, numbered from 0; undefined where nothing is known of it. */
  people({ minSpeakers, maxSpeakers }: SpeakerBounds): (number | undefined)[] {
    const clear = this.voices.flatMap(({ seconds }, index) => (seconds >= CLEAR_SECONDS ? [index] : []));
    const deciding = clear.length >= (minSpeakers ?? 1) ? clear : [...this.voices.keys()];
    const { clusters, labels } = agglomerate(
      deciding.map((index) => this.voices[index] as Voice),
      COSINE,
      { threshold: this.threshold, ...(minSpeakers !== undefined && { minClusters: minSpeakers }), ...(maxSpeakers !== undefined && { maxClusters: maxSpeakers }) },
    );
    const personOf = new Map(deciding.map((index, nth) => [index, labels[nth] ?? 0]));
    return this.places.map((place) => (place === undefined ? undefined : (personOf.get(place) ?? nearest(this.voices[place] as Voice, clusters))));
  }

  private link(rule: { threshold: number }): void {
    const { clusters, labels } = agglomerate(this.voices, COSINE, rule);
    this.voices = clusters;
    // When many voices differ, linking again is worth it only after their number has doubled.
    this.limit = Math.max(MAX_VOICES, 2 * clusters.length);
    this.places = this.places.map((place) => (place === undefined ? undefined : labels[place]));
  }
}

function weighted(embedding: Float32Array, seconds: number): Voice {
  const length = Math.sqrt(embedding.reduce((sum, value) => sum + value * value, 0)) || 1;
  const weight = Math.max(seconds, 0.1) / length;
  return { sum: Float64Array.from(embedding, (value) => value * weight), seconds };
}

const nearest = (voice: Voice, people: readonly Voice[]): number =>
  people.reduce((best, person, index) => (COSINE.distance(voice, person) < COSINE.distance(voice, people[best] as Voice) ? index : best), 0);
