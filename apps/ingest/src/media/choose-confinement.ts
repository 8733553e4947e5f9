import { ConfigError, type Logger } from '@parlance/platform';
import { isolatedCommand, readableFolderOf } from '@parlance/platform/isolation';
import type { Confinement, SandboxLimits } from './confinement.js';
import type { SandboxMode } from './isolation-level.js';
import { holds, type TrialRequest } from './isolation-trial.js';

interface ConfinementRequest extends TrialRequest {
  mode: SandboxMode;
  limits: SandboxLimits;
  /** Absolute path; undefined when it is not installed. */
  prlimit: string | undefined;
  /** Files and folders that no decoder may read. */
  privatePaths: readonly string[];
  log: Logger;
}

/** User ids that systemd gives to services temporarily (DynamicUser): no account has one, and containers map them. */
const USERS = { first: 61_184, count: 4_336 };

/**
 * The best confinement that holds on this machine, by trial.
 * @throws ConfigError when isolation is required and does not hold.
 */
export function chooseConfinement(request: ConfinementRequest): Confinement {
  const exposed = exposedPath(request.privatePaths);
  const isCandidate = ({ level }: Confinement) => level !== 'isolated' || exposed === undefined;
  const chosen = candidates(request).filter(isCandidate).find((confinement) => confinement.level === 'limits' || holds(confinement, request)) ?? limitsOnly(request);
  const { level } = chosen;
  const needed = exposed ?? NEEDED;
  if (request.mode === 'require' && level !== 'isolated') {
    throw new ConfigError([exposed === undefined ? `MEDIA_SANDBOX: isolation of ffmpeg is required, but this machine supports only "${level}". ${NEEDED}` : `MEDIA_SANDBOX: isolation of ffmpeg is required. ${exposed}`]);
  }
  if (!chosen.prlimit) request.log.warn('prlimit is not installed: ffmpeg runs without limits on CPU time and memory');
  if (level === 'isolated' || request.mode === 'limits') request.log.info({ media_sandbox: level }, `media sandbox: ${level}`);
  else request.log.warn({ media_sandbox: level }, `media sandbox: ${level}. ffmpeg reads callers' files without full isolation. ${needed}`);
  return chosen;
}

/** Isolated decoders read the folders of programs and libraries, and so what else lies there. */
function exposedPath(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const folder = readableFolderOf(path);
    if (folder !== undefined) return `${path} is in ${folder}, which decoders read for their libraries: move it to another folder.`;
  }
  return undefined;
}

const NEEDED = 'Isolation needs Linux 5.13 or newer with Landlock, x86-64 or AArch64, and perl.';

const limitsOnly = ({ limits, prlimit }: ConfinementRequest): Confinement => ({ level: 'limits', limits, ...(prlimit !== undefined && { prlimit }) });

/** Best first. A process that is root in name only, as in some containers, cannot change its user. */
function candidates(request: ConfinementRequest): Confinement[] {
  const bare = limitsOnly(request);
  if (request.mode === 'limits') return [bare];
  const isRoot = process.getuid?.() === 0;
  const isolate = request.perl === undefined ? undefined : isolatedCommand({ perl: request.perl, platform: process.platform, architecture: process.arch });
  const asUsers: Partial<Confinement>[] = isRoot ? [{ users: USERS }, {}] : [{}];
  return [
    ...(isolate ? (['isolated', 'filtered'] as const).flatMap((level) => asUsers.map((users) => ({ ...bare, ...users, isolate, level }))) : []),
    ...(isRoot ? [{ ...bare, users: USERS, level: 'other-user' as const }] : []),
    bare,
  ];
}
