import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confine, letUserRead, type Confinement } from './confinement.js';

export interface TrialRequest {
  scratchFolder: string;
  /** Absolute paths; undefined when it is not installed. */
  perl: string | undefined;
  ffprobe: string | undefined;
}

/** Names what it reaches, one a line. Arguments: a file of the service, and the service's process id. */
const ATTEMPTS = String.raw`
my ($secret, $parent) = @ARGV;
open($input, '<', '/dev/fd/0') && readline($input) eq 'input' && print "input\n";
for my $file ($secret, '/etc/passwd', "/proc/$parent/environ") { print "files\n" if open($opened, '<', $file) && defined getc $opened }
my $child = fork; exit 0 if defined $child && $child == 0; print "processes\n" if defined $child;
print "network\n" if socket($tcp, 2, 1, 0) || socket($tcp6, 10, 1, 0) || socket($unix, 1, 1, 0);
print "parent\n" if kill 0, $parent;
print "written files\n" if open($written, '>', 'written') || mkdir('made');
`;

/** Returns whether a confinement works here and holds what its level says. It is run for real, twice. */
export function holds(confinement: Confinement, { scratchFolder, perl, ffprobe }: TrialRequest): boolean {
  const folder = mkdtempSync(join(scratchFolder, 'trial-'));
  try {
    const starts = ffprobe === undefined || outputOf(confinement, ffprobe, ['-version'], folder) !== undefined;
    if (!starts || confinement.level === 'limits' || confinement.level === 'other-user') return starts;
    return perl !== undefined && isConfined(confinement, perl, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isConfined(confinement: Confinement, perl: string, folder: string): boolean {
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'secret', { mode: 0o600 });
  const output = outputOf(confinement, perl, ['-e', ATTEMPTS, secret, String(process.pid)], folder);
  const reached = new Set(output?.trim().split('\n'));
  if (confinement.level === 'filtered') reached.delete('files');
  return reached.size === 1 && reached.has('input');
}

/** Undefined when it did not start, or failed. */
function outputOf(confinement: Confinement, executable: string, args: readonly string[], folder: string): string | undefined {
  const input = join(folder, 'input');
  writeFileSync(input, 'input', { mode: 0o600 });
  const descriptor = openSync(input, 'r');
  try {
    if (confinement.users) letUserRead(descriptor);
    const { command, args: rest, options } = confine(confinement, executable, args);
    const { status, stdout } = spawnSync(command, rest, {
      ...options,
      cwd: folder,
      env: { LC_ALL: 'C' },
      stdio: [descriptor, 'pipe', 'ignore'],
      encoding: 'utf8',
      timeout: TRIAL_TIMEOUT_MS,
    });
    return status === 0 ? stdout : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** A trial takes some ten milliseconds; a host that is busy starting everything else takes longer. */
const TRIAL_TIMEOUT_MS = 20_000;
