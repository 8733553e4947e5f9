// Listens to a recording in a thread of its own: what it does for an hour of speech would hold the main loop for many seconds.
// In: messages below, each answered when it is worked in; the last answer is the result.
import { parentPort } from 'node:worker_threads';
import type { DiarizationResult } from '../speaker-diarizer.js';
import type { SharedSamples } from '../../voice-activity/whole-samples.js';
import { SpeakerTracker } from './speaker-tracker.js';

export type DiarizationMessage =
  | { start: number; samples: SharedSamples; speech: { start: number; end: number }[] }
  | { finish: { minSpeakers?: number; maxSpeakers?: number } };

export type DiarizationAnswer = DiarizationResult | undefined;

const tracker = new SpeakerTracker();

parentPort?.on('message', (message: DiarizationMessage) => {
  if ('finish' in message) return parentPort?.postMessage(tracker.finish(message.finish));
  tracker.hear(message.start, message.samples, message.speech);
  return parentPort?.postMessage(undefined);
});
