import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, open } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { AppError, removeScratch, type Logger } from '@parlance/platform';
import { chooseConfinement } from './choose-confinement.js';
import { confine, letUserRead, type ConfinedCommand, type SandboxLimits } from './confinement.js';
import type { IsolationLevel, SandboxMode } from './isolation-level.js';
import { CpuAllowance } from './cpu-allowance.js';
import { superviseFed } from './sandbox-feed.js';
import { fileExhaustion, supervise, type SandboxedChild, type SandboxRun } from './sandbox-supervision.js';

export { MAX_STDERR, type SandboxEnd, type SandboxRun } from './sandbox-supervision.js';

export type MediaTool = 'ffmpeg' | 'ffprobe';

/** The address space of all decoders of a process fits the memory limit of its pod; a test compares them. */
export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = { cpuSeconds: 1800, addressSpaceBytes: 1024 ** 3, deadlineMs: 3_600_000 };

/**
 * The limits of a run whose recording is still arriving, which may last for hours. Its processor time begins with this and is raised
 * with what it decodes. Measured: 10 MB of its own memory, 35 to 60 MB of data in all (the rest is not touched), 40 MB of libraries
 * that all runs share.
 */
export const DEFAULT_FEED_LIMITS: SandboxLimits = { cpuSeconds: 120, maxCpuSeconds: 86_400, addressSpaceBytes: 1024 ** 3, dataBytes: 96 * 1024 ** 2, deadlineMs: Infinity };

/**
 * Returns the limits of one run, where all runs for a recording together have so many minutes. They are wide enough that those
 * minutes are over first (media_timeout), though ffmpeg keeps several cores busy. A run that is not waited for any more still ends.
 */
export const sandboxTimes = (minutes: number): Pick<SandboxLimits, 'cpuSeconds' | 'deadlineMs'> => ({ cpuSeconds: 4 * minutes * 60, deadlineMs: minutes * 60_000 });

/** Name of a tool's input in its arguments: the only file that it can open, wherever that lies. */
export const INPUT = '/dev/fd/0';

export interface SandboxInput {
  /** The file that the tool reads as `INPUT`. */
  file: string;
  signal: AbortSignal;
  /** It is the beginning of a live recording: the run has no more memory than one that is fed, and waits for no place. */
  isLive?: boolean;
}

/** A recording that is still arriving. */
export interface SandboxFeed {
  /** Written to the tool's standard input, no faster than it reads; left early when the tool ends. What it throws ends the run. */
  source: AsyncIterable<Uint8Array>;
  signal: AbortSignal;
}

export interface FedRun extends SandboxRun {
  /** Allows so many seconds of processor time in all. */
  allowCpu(seconds: number): void;
}

/** Runs ffmpeg and ffprobe on media from strangers. */
export interface MediaSandbox {
  /** The level that holds on this machine, tried when the sandbox was made. */
  readonly level: IsolationLevel;
  /** @throws AppError internal when the tool is not installed. */
  run(tool: MediaTool, args: readonly string[], input: SandboxInput): Promise<SandboxRun>;
  /** Without a limit of time. @throws AppError internal when the tool is not installed. */
  feed(tool: MediaTool, args: readonly string[], feed: SandboxFeed): Promise<FedRun>;
}

interface MediaSandboxOptions {
  /** Each run gets an empty folder of its own in here, gone when it ends. */
  scratchFolder: string;
  /** Other files and folders that no decoder may read. */
  privatePaths?: readonly string[];
  log: Logger;
  mode?: SandboxMode;
  limits?: Partial<SandboxLimits>;
  feedLimits?: Partial<SandboxLimits>;
  /** The folders in which the tools are searched, once. Default: the process's PATH. */
  path?: string;
  /** Why this process can open no file now; undefined when it can. Default: it opens one. */
  exhaustion?: () => Promise<unknown>;
}

/**
 * A child process in an empty folder, without this process's environment, in a process group of its own that is killed whole;
 * on Linux with prlimit (util-linux): processor time, memory, threads, open files, no core, and no file written at all; and
 * with the best isolation that holds here (isolation-level.ts).
 * @throws ConfigError when isolation is required and does not hold.
 */
export function createMediaSandbox({ scratchFolder, privatePaths = [], log, mode = 'auto', limits, feedLimits, path = process.env['PATH'] ?? '', exhaustion = fileExhaustion }: MediaSandboxOptions): MediaSandbox {
  const effective = { ...DEFAULT_SANDBOX_LIMITS, ...limits };
  const ofFeeds = { ...DEFAULT_FEED_LIMITS, ...feedLimits };
  const tools = { ffmpeg: findExecutable('ffmpeg', path), ffprobe: findExecutable('ffprobe', path) };
  const confinement = chooseConfinement({
    mode,
    limits: effective,
    log,
    scratchFolder,
    privatePaths: [scratchFolder, ...privatePaths],
    ffprobe: tools.ffprobe,
    perl: findExecutable('perl', path),
    prlimit: findExecutable('prlimit', path),
  });
  const ofBeginnings = { ...confinement, limits: { ...effective, dataBytes: ofFeeds.dataBytes as number } };
  log.info(tools, 'media tools');
  const begin = async (tool: MediaTool, signal: AbortSignal) => {
    signal.throwIfAborted();
    const executable = tools[tool];
    if (!executable) throw new AppError({ kind: 'internal', code: 'internal', message: `${tool} is not installed.` });
    return { executable, folder: await mkdtemp(join(scratchFolder, `${tool}-`)) };
  };
  return {
    level: confinement.level,
    async run(tool, args, { file, signal, isLive = false }) {
      const { executable, folder } = await begin(tool, signal);
      const input = await open(file, 'r').catch(async (error: unknown) => {
        await removeScratch(folder);
        throw error;
      });
      const cleanUp = () => Promise.all([input.close(), removeScratch(folder)]);
      // No event is awaited from here on: Node drops the output of a process that ends before anything listens.
      const child = await started(() => {
        if (confinement.users) letUserRead(input.fd);
        return start(confine(isLive ? ofBeginnings : confinement, executable, args), input.fd, folder);
      }, cleanUp);
      return supervise(child, { signal, limits: effective, cleanUp, exhaustion });
    },
    async feed(tool, args, { source, signal }) {
      const { executable, folder } = await begin(tool, signal);
      const cleanUp = () => removeScratch(folder);
      const confined = confine({ ...confinement, limits: ofFeeds }, executable, args);
      const child = await started(() => start(confined, 'pipe', folder), cleanUp);
      const run = superviseFed(child, source, { signal, limits: ofFeeds, cleanUp, exhaustion });
      const cpu = new CpuAllowance(child.pid as number, { prlimit: confinement.prlimit, as: confined.options, limits: ofFeeds, log });
      return { ...run, allowCpu: (seconds) => cpu.raise(seconds) };
    },
  };
}

/** Without a free descriptor a child has no process and no pipes; an event says why. @throws why it did not start, after `cleanUp` */
async function started(begin: () => SandboxedChild, cleanUp: () => Promise<unknown>): Promise<SandboxedChild> {
  try {
    const child = begin();
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    return child;
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

const start = ({ command, args, options }: ConfinedCommand, input: number | 'pipe', folder: string) =>
  spawn(command, args, {
    ...options,
    cwd: folder,
    env: { LC_ALL: 'C', HOME: folder, TMPDIR: folder },
    stdio: [input, 'pipe', 'pipe'],
    detached: true,
  }) as SandboxedChild;

/** The absolute path of a program. Folders of PATH that are relative are left out: they mean another program in another folder. */
export function findExecutable(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
