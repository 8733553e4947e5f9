import { once } from 'node:events';
import { Metadata, status, type CallOptions as GrpcCallOptions, type Client, type ClientDuplexStream, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import type { CallOptions, ServiceDefinition, ServicePort } from '@parlance/contracts';
import { interruptible, type AppError } from '@parlance/platform';
import { fromGrpcError, isAppErrorStatus } from '../grpc/grpc-errors.js';
import { grpcMethods, type GrpcMethodDefinition } from './grpc-methods.js';
import { callLimits, onAbort } from './outgoing-call.js';

/** The port of a service that is called through a channel. */
export function grpcPort<D extends ServiceDefinition>(definition: D, client: Client): ServicePort<D> {
  const methods = Object.entries(grpcMethods(definition)).map(([name, method]) => [name, portMethod(client, method)]);
  return Object.fromEntries(methods) as ServicePort<D>;
}

function portMethod(client: Client, method: GrpcMethodDefinition) {
  if (method.requestStream) return (requests: AsyncIterable<unknown>, options: CallOptions = {}) => exchange(client, method, requests, options);
  if (method.responseStream) return (request: unknown, options: CallOptions = {}) => read(client, method, request, options);
  return (request: unknown, options: CallOptions = {}) => ask(client, method, request, options);
}

function ask(client: Client, { path, requestSerialize, responseDeserialize }: GrpcMethodDefinition, request: unknown, options: CallOptions): Promise<unknown> {
  const { deadline, signals } = callLimits(options, false);
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), { deadline }, (error, response) => {
      unbind();
      if (error) reject(failureOf(error, signals));
      else resolve(response);
    });
    const unbind = onAbort(signals, () => call.cancel());
  });
}

async function* read(client: Client, { path, requestSerialize, responseDeserialize }: GrpcMethodDefinition, request: unknown, options: CallOptions): AsyncGenerator<unknown> {
  const { deadline, signals } = callLimits(options, true);
  const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), { deadline });
  yield* messagesOf(stream, signals);
}

/** Sends the requests no faster than the other side reads them. @throws what `requests` throws */
async function* exchange(client: Client, { path, requestSerialize, responseDeserialize }: GrpcMethodDefinition, requests: AsyncIterable<unknown>, options: CallOptions): AsyncGenerator<unknown> {
  const { deadline, signals } = callLimits(options, true);
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata(), { deadline } satisfies GrpcCallOptions);
  const over = new AbortController();
  let unsent: { reason: unknown } | undefined;
  const sent = sendAll(stream, requests, over.signal).catch((reason: unknown) => {
    if (over.signal.aborted) return;
    unsent = { reason };
    stream.cancel();
  });
  try {
    yield* messagesOf(stream, signals);
  } catch (error) {
    throw unsent ? unsent.reason : error;
  } finally {
    over.abort();
    await sent;
  }
}

async function* messagesOf(stream: ClientReadableStream<unknown> | ClientDuplexStream<unknown, unknown>, signals: readonly AbortSignal[]): AsyncGenerator<unknown> {
  const unbind = onAbort(signals, () => stream.cancel());
  try {
    for await (const message of stream) yield message;
  } catch (error) {
    throw failureOf(error as ServiceError, signals);
  } finally {
    unbind();
    stream.cancel();
  }
}

/** Stops when the call has ended, also while the next request is not coming. @throws what `requests` throws; the signal's reason */
async function sendAll(stream: ClientDuplexStream<unknown, unknown>, requests: AsyncIterable<unknown>, over: AbortSignal): Promise<void> {
  for await (const request of interruptible(requests, over)) {
    if (!stream.write(request) && !(await drained(stream, over))) return;
  }
  stream.end();
}

/** @returns false when the call ended before */
const drained = (stream: NodeJS.EventEmitter, over: AbortSignal): Promise<boolean> => once(stream, 'drain', { signal: over }).then(() => true, () => false);

/** A server that is stopped before it has answered cancels the call. The caller did not cancel it: to the caller, the service is unavailable. */
function failureOf(error: ServiceError, signals: readonly AbortSignal[]): AppError {
  const cutOff = error.code === status.CANCELLED && !isAppErrorStatus(error.metadata) && !signals.some(({ aborted }) => aborted);
  return fromGrpcError(cutOff ? Object.assign(error, { code: status.UNAVAILABLE }) : error);
}
