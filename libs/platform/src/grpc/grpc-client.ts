import { Metadata, status, type CallOptions, type Client, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import type { AppError } from '../errors/app-error.js';
import { currentCallScope } from './call-scope.js';
import { fromGrpcError, isAppErrorStatus } from './grpc-errors.js';
import { localCallsOf } from './local-calls.js';

type UnaryMethod<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => unknown;

type StreamMethod<Request, Response> = (
  request: Request,
  metadata?: Metadata,
  options?: Partial<CallOptions>,
) => ClientReadableStream<Response>;

export interface CallContext {
  /** Milliseconds until the call is given up, or less when the call that it is made for ends before; the far side sees the same deadline. Default 10 s. */
  timeoutMs?: number;
  requestId?: string;
  /** Cancels the call, on the far side too. */
  signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * A unary call as a promise: `await callUnary(client, client.getJob, request)`.
 * @throws AppError, the one the far side threw or one that says it did not answer.
 */
export function callUnary<Request, Response>(
  client: Client,
  method: UnaryMethod<Request, Response>,
  request: Request,
  context: CallContext = {},
): Promise<Response> {
  const { path = '' } = method as { path?: string };
  const local = localCallsOf(client)?.(path, request, { deadline: deadlineOf(context), signals: signalsOf(context) });
  if (local) return (local as Promise<Response>).catch((error: ServiceError) => Promise.reject(failureOf(error, context)));
  return new Promise((resolve, reject) => {
    const call = method.call(client, request, metadataOf(context), optionsOf(context), (error, response) => {
      unbind();
      if (error) reject(failureOf(error, context));
      else resolve(response);
    }) as { cancel(): void };
    const unbind = cancelWith(context, call);
  });
}

/** A server stream as an async iterable; leaving the loop cancels the call. */
export async function* callStream<Request, Response>(
  client: Client,
  method: StreamMethod<Request, Response>,
  request: Request,
  context: CallContext = {},
): AsyncGenerator<Response> {
  const stream = method.call(client, request, metadataOf(context), optionsOf({ timeoutMs: 600_000, ...context }));
  const unbind = cancelWith(context, stream);
  try {
    for await (const message of stream) yield message as Response;
  } catch (error) {
    throw failureOf(error as ServiceError, context);
  } finally {
    unbind();
    stream.cancel();
  }
}

function metadataOf({ requestId }: CallContext): Metadata {
  const metadata = new Metadata();
  if (requestId !== undefined) metadata.set('x-request-id', requestId);
  return metadata;
}

const optionsOf = (context: CallContext): Partial<CallOptions> => ({ deadline: deadlineOf(context) });

const deadlineOf = ({ timeoutMs = DEFAULT_TIMEOUT_MS }: CallContext): number => Math.min(Date.now() + timeoutMs, currentCallScope()?.deadline ?? Infinity);

/** A server that is stopped before a call has ended cancels it. Who called did not, and hears that the other side is away. */
function failureOf(error: ServiceError, context: CallContext): AppError {
  const cutOff = error.code === status.CANCELLED && !isAppErrorStatus(error.metadata) && !signalsOf(context).some(({ aborted }) => aborted);
  return fromGrpcError(cutOff ? Object.assign(error, { code: status.UNAVAILABLE }) : error);
}

const signalsOf = ({ signal }: Pick<CallContext, 'signal'>): AbortSignal[] =>
  [signal, currentCallScope()?.signal].filter((each) => each !== undefined);

/** Cancels the call when its own signal aborts, or the caller for whom it is made gives up. @returns what ends that. */
function cancelWith(context: CallContext, call: { cancel(): void }): () => void {
  const signals = signalsOf(context);
  const cancel = () => call.cancel();
  for (const each of signals) each.addEventListener('abort', cancel, { once: true });
  if (signals.some(({ aborted }) => aborted)) cancel();
  return () => signals.forEach((each) => each.removeEventListener('abort', cancel));
}
