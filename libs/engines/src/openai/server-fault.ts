/**
 * Why a call of a server failed, as far as a log may know it: what the server said may hold the key or what was sent.
 * Without a stack, which would tell where the call is made and not what the server did.
 */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';

  /** @param code of a closed set, never text of the server's own @param status of HTTP */
  constructor(code: string | undefined, status?: number) {
    super([status === undefined ? undefined : `status ${status}`, code].filter((part) => part !== undefined).join(', '));
    withoutStack(this);
  }
}

/** For faults that are to be expected. */
export function withoutStack<E extends Error>(error: E): E {
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
