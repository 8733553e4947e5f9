// Summarises in a thread of its own: hours of talk take seconds of computing, and more memory than the rest of the process.
import { parentPort } from 'node:worker_threads';
import { toAppError } from '@parlance/platform/errors';
import { ExtractiveEngine } from './extractive-engine.js';
import type { ExtractiveAnswer, ExtractiveFailure, ExtractiveRequest, ExtractiveWork } from './extractive-messages.js';

const engine = new ExtractiveEngine();
let running = new AbortController();

parentPort?.on('message', (request: ExtractiveRequest) => {
  if ('cancel' in request) running.abort();
  else void answer(request);
});

async function answer(request: ExtractiveWork): Promise<void> {
  running = new AbortController();
  const outcome = await work(request, running.signal).then(
    (result): ExtractiveAnswer => ({ result }),
    (error: unknown): ExtractiveAnswer => ({ failure: failureOf(error) }),
  );
  parentPort?.postMessage(outcome);
}

function work(request: ExtractiveWork, signal: AbortSignal) {
  if ('summarize' in request) return engine.summarize(request.summarize.transcript, request.summarize.request, signal);
  if ('divide' in request) return engine.divide(request.divide.transcript, signal);
  if ('findEntities' in request) return engine.findEntities(request.findEntities.transcript, signal);
  return engine.highlight(request.highlight.transcript, signal);
}

function failureOf(error: unknown): ExtractiveFailure {
  const { kind, code, message, retryable } = toAppError(error);
  return { kind, code, message, retryable };
}
