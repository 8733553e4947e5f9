import { createServer, type Server } from 'node:net';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';

const RESERVATION_PORT = 7;
const TRIES = 50;

/**
 * 254 addresses of 127.0.0.0/8 that no other test has: fixed ports on them need no search for a free one. Linux answers
 * on the whole block without set-up.
 */
export class LoopbackBlock implements AsyncDisposable {
  private constructor(
    private readonly prefix: string,
    private readonly reservation: Server,
  ) {}

  static async reserve(): Promise<LoopbackBlock> {
    for (let tries = 0; ; tries += 1) {
      const prefix = `127.${randomInt(1, 255)}.${randomInt(0, 256)}`;
      const reservation = createServer();
      try {
        await once(reservation.listen(RESERVATION_PORT, `${prefix}.1`), 'listening');
        return new LoopbackBlock(prefix, reservation);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === TRIES) throw error;
      }
    }
  }

  /** @param host 2 to 254 */
  address(host: number): string {
    return `${this.prefix}.${host}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.reservation.close(resolve));
  }
}
