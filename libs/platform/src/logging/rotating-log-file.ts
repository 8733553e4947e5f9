import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { pino, type DestinationStream } from 'pino';

interface RotatingLogFileOptions {
  path: string;
  /** About so many bytes; then the file is set aside as `<path>.1`, what was that as `<path>.2` and so on. */
  maxBytes: number;
  /** Files set aside; the oldest goes. */
  keep: number;
}

const MODE = 0o600;
/** The maximum of lines that wait for free disk space; more are dropped. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * A log file of bounded size, readable by its owner alone.
 * Lines are written at once: what is buffered must be flushed at the exit, and on a full disk that flush never ends.
 * @throws the file system's error when the file cannot be written
 */
export function rotatingLogFile(options: RotatingLogFileOptions): DestinationStream {
  const { path, maxBytes } = options;
  const found = statSync(path, { throwIfNoEntry: false });
  // A device, such as /dev/stderr, is never too large.
  const rotates = found?.isFile() ?? true;
  const isLarge = rotates && (found?.size ?? 0) >= maxBytes;
  if (isLarge) setAside(options);
  const destination = pino.destination({ dest: path, mkdir: true, sync: true, mode: MODE, maxLength: MAX_WAITING_BYTES });
  // On a full disk the log has gaps, and the services keep running.
  destination.on('error', () => undefined);
  if (rotates) rotateWhenLarge(destination, isLarge ? 0 : (found?.size ?? 0), options);
  return destination;
}

function rotateWhenLarge(destination: ReturnType<typeof pino.destination>, bytesNow: number, options: RotatingLogFileOptions): void {
  let bytes = bytesNow;
  let isDue = false;
  const rotate = () => {
    isDue = false;
    bytes = 0;
    try {
      setAside(options);
      destination.reopen();
    } catch {
      // Tried again when as much again was written: a log too large is better than none.
    }
  };
  destination.on('write', (written: number) => {
    bytes += written;
    if (bytes < options.maxBytes || isDue) return;
    isDue = true;
    // Not at once: the line that is being written still needs the file.
    setImmediate(rotate);
  });
}

/** Puts an empty file in the place of the log. It is made first, so that nothing has moved when the disk has no room for it. */
function setAside({ path, keep }: RotatingLogFileOptions): void {
  const next = `${path}.new`;
  closeSync(openSync(next, 'a', MODE));
  for (let age = keep - 1; age > 0; age--) {
    if (statSync(`${path}.${age}`, { throwIfNoEntry: false })) renameSync(`${path}.${age}`, `${path}.${age + 1}`);
  }
  renameSync(path, `${path}.1`);
  renameSync(next, path);
}
