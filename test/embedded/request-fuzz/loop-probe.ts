import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface LoopTimes {
  /** The longest stretch without a pause. */
  longestMs: number;
  totalMs: number;
}

/** Asks a product started with its environment how long the main thread ran without a pause. */
export class LoopProbe {
  private readonly socketPath = join(tmpdir(), `loop-probe-${process.pid}-${Date.now()}.sock`);

  /** For the environment of the product. */
  get env(): Record<string, string> {
    const preload = fileURLToPath(new URL('loop-probe-preload.mjs', import.meta.url));
    return { LOOP_PROBE_SOCKET: this.socketPath, NODE_OPTIONS: `--import=${preload}` };
  }

  /** Measures since the last call, in milliseconds of processor time. */
  async measure(): Promise<LoopTimes> {
    let text = '';
    for await (const piece of connect(this.socketPath)) text += String(piece);
    return JSON.parse(text) as LoopTimes;
  }
}
