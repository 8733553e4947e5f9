import { createReadStream } from 'node:fs';
import type { decoding, MediaDecoderService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { MediaDecoder, MediaTask } from './media-decoder.js';
import { MAX_STDERR, type SandboxEnd, type SandboxRun } from './sandbox.js';

const SOURCE_PIECE_BYTES = 256 * 1024;

/** Decodes in another process: sends the recording with each task and reads what the tool writes. */
export function createGrpcMediaDecoder(decoder: MediaDecoderService): MediaDecoder {
  return {
    async run(task, { file, signal, isLive = false }) {
      signal.throwIfAborted();
      const message = { ...toTaskMessage(task), live: isLive };
      // Bounded by the signal here and by the sandbox there.
      const responses = decoder.run(requests(message, createReadStream(file, { highWaterMark: SOURCE_PIECE_BYTES })), { signal, timeoutMs: Infinity });
      return runOf(responses, signal);
    },
    async stream({ format, audioIndex }, { source, signal }) {
      signal.throwIfAborted();
      const message: decoding.MediaTask = { kind: { $case: 'decodeLive', value: { format, audioIndex } }, live: true };
      return runOf(decoder.run(requests(message, source), { signal, timeoutMs: Infinity }), signal);
    },
  };
}

async function* requests(task: decoding.MediaTask, source: AsyncIterable<Uint8Array>): AsyncGenerator<decoding.RunRequest> {
  yield { part: { $case: 'task', value: task } };
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; at += SOURCE_PIECE_BYTES) yield { part: { $case: 'source', value: Buffer.from(bytes.subarray(at, at + SOURCE_PIECE_BYTES)) } };
  }
}

function toTaskMessage(task: MediaTask): Pick<decoding.MediaTask, 'kind'> {
  if (task.kind === 'probe') return { kind: { $case: 'probe', value: {} } };
  if (task.kind === 'clip') return { kind: { $case: 'clip', value: { start: task.start, duration: task.duration, format: task.format } } };
  if (task.kind === 'encode') return { kind: { $case: 'encode', value: { channels: task.channels } } };
  const { format, audioIndex } = task.track;
  const track = { format, audioIndex };
  if (task.kind === 'decodeChannels') return { kind: { $case: 'decodeChannels', value: { track, channels: task.channels } } };
  return { kind: { $case: task.kind, value: track } };
}

function runOf(responses: AsyncIterable<decoding.RunResponse>, signal: AbortSignal): SandboxRun {
  const end = Promise.withResolvers<SandboxEnd>();
  // Awaited only after stdout has been read; until then a failure must not count as unhandled.
  end.promise.catch(() => undefined);
  return { stdout: outputOf(responses, signal, end), end: end.promise };
}

async function* outputOf(responses: AsyncIterable<decoding.RunResponse>, signal: AbortSignal, end: PromiseWithResolvers<SandboxEnd>): AsyncGenerator<Uint8Array> {
  try {
    for await (const { part } of responses) {
      if (part?.$case === 'output') yield part.value;
      if (part?.$case === 'end') return end.resolve(endOf(part.value));
    }
    throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The media decoder ended a run without a result.' });
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    end.reject(reason);
    throw reason;
  } finally {
    // Without effect but where the reader left early, which ends the tool.
    end.resolve({ kind: 'limited', stderr: '' });
  }
}

/** Cut here as well: a decoder that a recording has taken over may send more. */
const endOf = ({ kind, stderr }: decoding.RunEnd): SandboxEnd => {
  const beginning = stderr.slice(0, MAX_STDERR);
  return kind?.$case === 'exitCode' ? { kind: 'exited', code: kind.value, stderr: beginning } : { kind: 'limited', stderr: beginning };
};
