import { spawnSync } from 'node:child_process';

/** landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION), which has this number on x86-64 and AArch64: the version, or -1. */
const LANDLOCK_VERSION = 'print syscall(444, 0, 0, 1)';

/**
 * Whether this machine has all that the media sandbox needs to isolate programs: Landlock and perl. It asks the kernel, not the
 * product, so that a product which no longer isolates fails its tests in place of skipping them.
 */
export function canIsolateHere(): boolean {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) return false;
  const { stdout } = spawnSync('perl', ['-e', LANDLOCK_VERSION], { encoding: 'utf8' });
  return Number(stdout) >= 1;
}
