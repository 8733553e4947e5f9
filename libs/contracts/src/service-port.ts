/** Options of a call. */
export interface CallOptions {
  /** Milliseconds until the call fails with a time-out; less when the call that it is made for ends before. Default 10 s; for streams 10 min. */
  timeoutMs?: number;
  /** Cancels the call, in the called service too. */
  signal?: AbortSignal | undefined;
}

/** A message type as ts-proto generates it. */
export interface MessageType {
  encode(message: never): { finish(): Uint8Array };
  decode(input: Uint8Array): unknown;
  /** A copy with protobuf's defaults for what is left out. */
  fromPartial(object: never): unknown;
}

export interface MethodDefinition {
  name: string;
  requestType: MessageType;
  requestStream: boolean;
  responseType: MessageType;
  responseStream: boolean;
  options: { idempotencyLevel?: 'NO_SIDE_EFFECTS' | 'IDEMPOTENT' };
}

/** A gRPC service as ts-proto generates it (`outputServices=generic-definitions`). */
export interface ServiceDefinition {
  /** With its package: `parlance.ingest.v1.JobService`. */
  fullName: string;
  methods: Readonly<Record<string, MethodDefinition>>;
}

type MessageOf<Type> = Type extends { decode(...input: never[]): infer Message } ? Message : never;

type RequestOf<Method extends MethodDefinition> = Method['requestStream'] extends true
  ? AsyncIterable<MessageOf<Method['requestType']>>
  : MessageOf<Method['requestType']>;

type AnswerOf<Method extends MethodDefinition> = Method['responseStream'] extends true
  ? AsyncGenerator<MessageOf<Method['responseType']>>
  : Promise<MessageOf<Method['responseType']>>;

/**
 * The port of a service: what its callers call and what the service implements. Streams are async iterables; leaving the loop
 * over one cancels the call. Every call throws AppError and nothing else.
 */
export type ServicePort<Definition extends ServiceDefinition> = {
  [Name in keyof Definition['methods']]: (request: RequestOf<Definition['methods'][Name]>, options?: CallOptions) => AnswerOf<Definition['methods'][Name]>;
};
