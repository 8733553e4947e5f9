import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { interruptible } from '@parlance/platform';
import { killGroup, supervise, type SandboxedChild, type SandboxRun, type Supervision } from './sandbox-supervision.js';

/** ffmpeg says so when the silence of a gap does not fit into its memory, and the times of everything after it are wrong then. */
const GAP_TOO_LONG = 'Failed to compensate for timestamp delta';

/** Supervises a child whose standard input is a pipe, and writes the source to it. A gap that is too long is a limit that it hit. */
export function superviseFed(child: SandboxedChild, source: AsyncIterable<Uint8Array>, supervision: Supervision): SandboxRun {
  const [over, failed] = [new AbortController(), new AbortController()];
  const run = supervise(child, { ...supervision, signal: AbortSignal.any([supervision.signal, failed.signal]) });
  const leave = () => over.abort();
  run.end.then(leave, leave);
  child.stderr.on('data', (text: string) => {
    if (text.includes(GAP_TOO_LONG)) killGroup(child.pid, 'SIGXCPU');
  });
  feed(child.stdin as Writable, source, over.signal).catch((reason: unknown) => {
    if (!over.signal.aborted) failed.abort(reason);
  });
  return run;
}

/** @throws what the source throws; the signal's reason */
async function feed(stdin: Writable, source: AsyncIterable<Uint8Array>, over: AbortSignal): Promise<void> {
  // A tool may end without reading all: its end says why.
  stdin.on('error', () => undefined);
  for await (const bytes of interruptible(source, over)) {
    if (!stdin.write(bytes)) await once(stdin, 'drain', { signal: over });
  }
  stdin.end();
}
