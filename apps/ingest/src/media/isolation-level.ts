/**
 * Levels of isolation of ffmpeg and ffprobe, best first.
 * - `isolated`: reads its input, programs and libraries; no network, no other file, no process, no way to this one.
 * - `filtered`: the same by system calls, but the kernel has no Landlock: it reads every file that its user may read.
 * - `other-user`: a user of its own, so that this process's files, memory and environment are closed to it; it has the network.
 * - `limits`: processor time, memory, time and no written file, as the same user.
 */
export const ISOLATION_LEVELS = ['isolated', 'filtered', 'other-user', 'limits'] as const;

export type IsolationLevel = (typeof ISOLATION_LEVELS)[number];

/** `auto`: the best that works here. `require`: isolated, or no start. `limits`: without isolation, by choice. */
export const SANDBOX_MODES = ['auto', 'require', 'limits'] as const;

export type SandboxMode = (typeof SANDBOX_MODES)[number];
