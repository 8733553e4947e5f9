import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Asks a product started with its environment how long the main thread ran without a pause. */
export class LoopProbe {
  private readonly socketPath = join(tmpdir(), `loop-probe-${process.pid}-${Date.now()}.sock`);

  /** For the environment of the product. */
  get env(): Record<string, string> {
    const preload = fileURLToPath(new URL('loop-probe-preload.mjs', import.meta.url));
    return { LOOP_PROBE_SOCKET: this.socketPath, NODE_OPTIONS: `--import=${preload}` };
  }

  /** @returns the longest stretch since the last call, milliseconds of processor time */
  async longestMs(): Promise<number> {
    let text = '';
    for await (const piece of connect(this.socketPath)) text += String(piece);
    return Number(text);
  }
}
