import { agglomerate } from '../clustering.js';
import type { DiarizationResult, SpeakerTurn } from '../speaker-diarizer.js';
import { changePoints, statisticsOf } from './change-points.js';
import { COEFFICIENTS, FRAME_SECONDS, mfccOf } from './mfcc.js';
import { bayesianModel, voiceOf, type Voice } from './speaker-model.js';

const RATE = 16_000;

/**
 * Weights of the penalty, tuned on dialogues (bench/measures/diarization.mjs): a smaller one splits a speaker in two, a larger
 * one joins speakers who say little with others. The weight is lower during a recording, because a merge cannot be undone; it
 * is higher at the end of a long recording, in which a phrase that one speaker often repeats would become a speaker.
 */
const EARLY_PENALTY = 1.5;
const PENALTY = 2;
const MORE_FOR_EACH_DOUBLING = 0.25;
const FRAMES_OF_A_MINUTE = 60 / FRAME_SECONDS;
/** Voices held before they are joined for the first time: half an hour of talk. */
const MAX_VOICES = 600;

/** A stretch in which nothing hints at a second speaker. Seconds of the media. */
interface Piece {
  start: number;
  end: number;
  /** The index of its voice in the pool. */
  voice: number;
}

/** Speech without a pause, as far as it is known. */
interface Unit {
  start: number;
  end: number;
  /** The length of its samples in the tracker's memory. */
  length: number;
}

/** A unit is worked on at the latest when it is this long; seconds. */
const MAX_UNIT_SECONDS = 60;
const HALF_UNIT = MAX_UNIT_SECONDS / 2;
/** Regions no further apart are one unit: a region can be cut where a piece of audio ends. */
const UNIT_GAP = 0.06;
/** Pieces of one speaker no further apart are one turn (the tolerance of NIST's evaluations). */
const TURN_GAP = 0.3;

/** Reads a recording in order and returns at its end who spoke when. It keeps voices and pieces, but no frames. */
export class SpeakerTracker {
  private voices: Voice[] = [];
  private pieces: Piece[] = [];
  private unit: Unit | undefined;
  /** The samples of the current unit. */
  private readonly samples = new Int16Array(MAX_UNIT_SECONDS * RATE + 1);
  private frames = 0;

  /** @param start of the samples, seconds @param samples need not stay @param speech regions, in order, of which only what lies inside the samples counts */
  hear(start: number, samples: Int16Array, speech: readonly { start: number; end: number }[]): void {
    const end = start + samples.length / RATE;
    for (const region of speech) {
      const from = Math.max(region.start, start);
      const to = Math.min(region.end, end);
      for (let at = from; at < to; at += HALF_UNIT) {
        const until = Math.min(to, at + HALF_UNIT);
        this.hearSpeech(at, until, samples.subarray(Math.round((at - start) * RATE), Math.round((until - start) * RATE)));
      }
    }
  }

  finish(bounds: { minSpeakers?: number; maxSpeakers?: number } = {}): DiarizationResult {
    this.endUnit();
    const rule = {
      threshold: 0,
      ...(bounds.minSpeakers !== undefined && { minClusters: bounds.minSpeakers }),
      ...(bounds.maxSpeakers !== undefined && { maxClusters: bounds.maxSpeakers }),
    };
    const { labels } = agglomerate(this.voices, bayesianModel(penaltyFor(this.frames)), rule);
    const turns = turnsOf(this.pieces.map((piece) => ({ ...piece, voice: (labels[piece.voice] as number) })));
    return { turns, speakerCount: new Set(turns.map(({ speakerId }) => speakerId)).size };
  }

  private hearSpeech(start: number, end: number, samples: Int16Array): void {
    if (this.unit && (start - this.unit.end > UNIT_GAP || end - this.unit.start > MAX_UNIT_SECONDS)) this.endUnit();
    this.unit ??= { start, end, length: 0 };
    const kept = samples.subarray(0, this.samples.length - this.unit.length);
    this.samples.set(kept, this.unit.length);
    this.unit.length += kept.length;
    this.unit.end = end;
  }

  private endUnit(): void {
    const { unit } = this;
    this.unit = undefined;
    if (!unit) return;
    const frames = mfccOf(this.samples.subarray(0, unit.length));
    const count = frames.length / COEFFICIENTS;
    if (count === 0) return;
    this.frames += count;
    const edges = [0, ...changePoints(frames), count];
    for (let index = 1; index < edges.length; index++) {
      const [from, to] = [(edges[index - 1] as number), (edges[index] as number)];
      const start = unit.start + from * FRAME_SECONDS;
      const end = index === edges.length - 1 ? unit.end : unit.start + to * FRAME_SECONDS;
      this.pieces.push({ start, end, voice: this.voices.push(voiceOf(statisticsOf(frames, from, to))) - 1 });
    }
    // Given back at once, half a megabyte for a minute of talk: garbage collection hardly sees its weight.
    frames.buffer.transfer(0);
    if (this.voices.length > MAX_VOICES) this.compact();
  }

  /** Joins voices that are surely one, so that hours need no more memory and time than their number of voices does. */
  private compact(): void {
    const { clusters, labels } = agglomerate(this.voices, bayesianModel(EARLY_PENALTY), { threshold: 0, maxClusters: MAX_VOICES / 2 });
    this.voices = clusters;
    for (const piece of this.pieces) piece.voice = (labels[piece.voice] as number);
  }
}

/** @param frames of speech in the whole recording */
const penaltyFor = (frames: number): number => PENALTY + MORE_FOR_EACH_DOUBLING * Math.log2(Math.max(1, frames / FRAMES_OF_A_MINUTE));

/** Pieces in order of start, their speakers numbered in the order of first speaking. */
function turnsOf(pieces: readonly Piece[]): SpeakerTurn[] {
  const ids = new Map<number, string>();
  const turns: SpeakerTurn[] = [];
  for (const { start, end, voice } of pieces) {
    if (!ids.has(voice)) ids.set(voice, `S${ids.size + 1}`);
    const speakerId = ids.get(voice) ?? '';
    const last = turns.at(-1);
    if (last?.speakerId === speakerId && start - last.end <= TURN_GAP) last.end = toMs(end);
    else turns.push({ start: toMs(start), end: toMs(end), speakerId });
  }
  return turns;
}

const toMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;
