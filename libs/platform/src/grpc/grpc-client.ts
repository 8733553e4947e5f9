import { Metadata, type CallOptions, type Client, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { fromGrpcError } from './grpc-errors.js';

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
  /** Milliseconds until the call is given up; the far side sees the same deadline. Default 10 s. */
  timeoutMs?: number;
  requestId?: string;
  /** W3C trace context. */
  traceparent?: string;
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
  return new Promise((resolve, reject) => {
    const call = method.call(client, request, metadataOf(context), optionsOf(context), (error, response) => {
      context.signal?.removeEventListener('abort', cancel);
      if (error) reject(fromGrpcError(error));
      else resolve(response);
    }) as { cancel(): void };
    const cancel = () => call.cancel();
    context.signal?.addEventListener('abort', cancel, { once: true });
    if (context.signal?.aborted) cancel();
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
  const cancel = () => stream.cancel();
  context.signal?.addEventListener('abort', cancel, { once: true });
  try {
    for await (const message of stream) yield message as Response;
  } catch (error) {
    throw fromGrpcError(error as ServiceError);
  } finally {
    context.signal?.removeEventListener('abort', cancel);
    stream.cancel();
  }
}

function metadataOf({ requestId, traceparent }: CallContext): Metadata {
  const metadata = new Metadata();
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  if (requestId !== undefined) metadata.set('x-request-id', requestId);
  return metadata;
}

const optionsOf = ({ timeoutMs = DEFAULT_TIMEOUT_MS }: CallContext): Partial<CallOptions> => ({
  deadline: new Date(Date.now() + timeoutMs),
});
