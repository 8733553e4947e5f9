import type { buildConnector } from 'undici';

/** The connection that was made last to each origin to which one is open. */
export class OpenConnections {
  private readonly origins = new Map<string, { open: number; last: number }>();
  private made = 0;

  watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) =>
      connect(options, (...outcome) => {
        const [, socket] = outcome;
        if (socket) {
          const origin = `${options.protocol}//${options.host ?? options.hostname}`;
          this.opened(origin);
          socket.once('close', () => this.closed(origin));
        }
        callback(...outcome);
      });
  }

  /** Names the connection that was made last, while one of them is open. */
  last(origin: string): number | undefined {
    return this.origins.get(origin)?.last;
  }

  /**
   * True when a request that failed used one of the connections that existed before it. @param before the newest connection at
   * that time
   */
  wasKept(origin: string, before: number | undefined): boolean {
    const latest = this.last(origin);
    return before !== undefined && (latest === before || latest === undefined);
  }

  private opened(origin: string): void {
    const { open = 0 } = this.origins.get(origin) ?? {};
    this.origins.set(origin, { open: open + 1, last: (this.made += 1) });
  }

  private closed(origin: string): void {
    const known = this.origins.get(origin);
    if (!known) return;
    if (known.open === 1) this.origins.delete(origin);
    else this.origins.set(origin, { ...known, open: known.open - 1 });
  }
}
