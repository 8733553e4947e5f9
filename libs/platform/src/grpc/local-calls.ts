import type { Client } from '@grpc/grpc-js';

export interface LocalCallOptions {
  /** Milliseconds since the epoch. */
  deadline: number;
  /** The call is over when any of them aborts. */
  signals: readonly AbortSignal[];
}

/**
 * Makes a call of a service that runs in this process.
 * @param path of the method, as gRPC sends it
 * @returns undefined for one that has to go through the client's channel; else it rejects as that would, with a ServiceError
 */
export type CallLocally = (path: string, request: unknown, options: LocalCallOptions) => Promise<unknown> | undefined;

const callers = new WeakMap<Client, CallLocally>();

/** From now on `callUnary` asks this first. */
export const answerLocally = (client: Client, call: CallLocally): void => void callers.set(client, call);

export const localCallsOf = (client: Client): CallLocally | undefined => callers.get(client);
