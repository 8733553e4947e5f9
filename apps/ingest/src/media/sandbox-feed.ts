import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { interruptible } from '@parlance/platform';
import { killGroup, supervise, type SandboxEnd, type SandboxedChild, type SandboxRun, type Supervision } from './sandbox-supervision.js';

/** ffmpeg says so when the silence of a gap does not fit into its memory, and the times of everything after it are wrong then. */
const GAP_TOO_LONG = 'Failed to compensate for timestamp delta';

/** Supervises a child whose standard input is a pipe, and writes the source to it. A gap that is too long is a limit that it hit. */
export function superviseFed(child: SandboxedChild, source: AsyncIterable<Uint8Array>, supervision: Supervision): SandboxRun {
  const [over, failed] = [new AbortController(), new AbortController()];
  const run = supervise(child, { ...supervision, signal: AbortSignal.any([supervision.signal, failed.signal]) });
  const leave = () => over.abort();
  run.end.then(leave, leave);
  const gap = new GapWatch(child);
  feed(child.stdin as Writable, source, over.signal).catch((reason: unknown) => {
    if (!over.signal.aborted) failed.abort(reason);
  });
  const end = run.end.then((ended): SandboxEnd => (gap.isTooLong ? { kind: 'limited', stderr: ended.stderr } : ended));
  // As for `run.end`: awaited only after stdout has been read.
  end.catch(() => undefined);
  return { ...run, end };
}

/** Ends a tool that has met a gap that is too long. Where the tool was quicker and has exited by itself, `isTooLong` says so. */
class GapWatch {
  isTooLong = false;
  private last = '';

  constructor(child: SandboxedChild) {
    child.stderr.on('data', (text: string) => {
      const said = this.last + text;
      this.last = said.slice(-GAP_TOO_LONG.length);
      if (this.isTooLong || !said.includes(GAP_TOO_LONG)) return;
      this.isTooLong = true;
      killGroup(child.pid, 'SIGXCPU');
    });
  }
}

/** @throws what the source throws; the signal's reason */
async function feed(stdin: Writable, source: AsyncIterable<Uint8Array>, over: AbortSignal): Promise<void> {
  // A tool may end without reading all: its end says why.
  stdin.on('error', () => undefined);
  for await (const bytes of interruptible(source, over)) {
    if (stdin.write(bytes)) continue;
    await once(stdin, 'drain', { signal: over }).catch((error: unknown) => {
      if (!stdin.errored) throw error;
    });
    if (stdin.errored) return;
  }
  stdin.end();
}
