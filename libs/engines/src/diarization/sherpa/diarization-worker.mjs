// Diarizes one block of a recording by sherpa-onnx in a separate process. Plain JavaScript, so that it runs unchanged from src/ and
// from dist/. In: `{ load: { diarization, embedding } }`, then `{ samples: Int16Array }`; out: `{}`, and `{ turns: [{ start, end,
// voice }], voices: [{ embedding: Float32Array, seconds }] }`, voices by number.
import { createRequire } from 'node:module';
import { answerParent } from '../../local-models/answer-parent.mjs';

const { OfflineSpeakerDiarization, SpeakerEmbeddingExtractor } = createRequire(import.meta.url)('sherpa-onnx-node');
const SAMPLE_RATE = 16_000;
/** More of a voice makes it no clearer. */
const ENOUGH_SECONDS = 30;
/** Extractors fail on less than a few frames. */
const SHORTEST_SECONDS = 0.1;
let diarization;
let extractor;

/** The parts of a voice's turns without other speakers; all of its turns when there are always other speakers. */
function aloneOf(voice, turns) {
  const own = turns.filter((turn) => turn.voice === voice);
  const others = turns.filter((turn) => turn.voice !== voice);
  const alone = own.flatMap(({ start, end }) => {
    let parts = [{ start, end }];
    for (const other of others) {
      parts = parts.flatMap((part) =>
        other.end <= part.start || other.start >= part.end
          ? [part]
          : [{ start: part.start, end: other.start }, { start: other.end, end: part.end }].filter((rest) => rest.end > rest.start),
      );
    }
    return parts;
  });
  return secondsOf(alone) >= SHORTEST_SECONDS ? alone : own;
}

const secondsOf = (parts) => parts.reduce((sum, { start, end }) => sum + end - start, 0);

/** @returns undefined where there is too little to hear who it is */
function embeddingOf(audio, parts) {
  const pieces = parts.map(({ start, end }) => audio.subarray(Math.round(start * SAMPLE_RATE), Math.round(end * SAMPLE_RATE)));
  const length = Math.min(ENOUGH_SECONDS * SAMPLE_RATE, pieces.reduce((sum, piece) => sum + piece.length, 0));
  if (length < SHORTEST_SECONDS * SAMPLE_RATE) return undefined;
  const samples = new Float32Array(length);
  let at = 0;
  for (const piece of pieces) {
    samples.set(piece.subarray(0, length - at), at);
    at = Math.min(length, at + piece.length);
  }
  const stream = extractor.createStream();
  stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE });
  stream.inputFinished();
  if (!extractor.isReady(stream)) return undefined;
  // false: copied; a view of native memory would not outlive this process's work.
  return extractor.compute(stream, false);
}

function hear(samples) {
  const audio = Float32Array.from(samples, (sample) => sample / 32768);
  const turns = diarization.process(audio).map(({ start, end, speaker }) => ({ start, end, voice: speaker }));
  const count = Math.max(-1, ...turns.map(({ voice }) => voice)) + 1;
  const voices = Array.from({ length: count }, (_, voice) => {
    const parts = aloneOf(voice, turns);
    return { embedding: embeddingOf(audio, parts), seconds: secondsOf(parts) };
  });
  return { turns, voices };
}

answerParent(({ load, samples }) => {
  if (!load) return hear(samples);
  diarization = new OfflineSpeakerDiarization(load.diarization);
  extractor = new SpeakerEmbeddingExtractor(load.embedding);
  return {};
});
