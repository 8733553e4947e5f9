import { execFile } from 'node:child_process';
import type { Logger } from '@parlance/platform';
import type { ConfinedCommand, SandboxLimits } from './confinement.js';

interface CpuAllowanceOptions {
  /** Absolute path; undefined: processes have no limits here. */
  prlimit: string | undefined;
  /** The user of the process, who alone may change its limits without a privilege. */
  as: ConfinedCommand['options'];
  limits: SandboxLimits;
  log: Logger;
}

/** Raises the limit of processor time of a running process, in steps of half the time that it began with. */
export class CpuAllowance {
  private allowed: number;

  constructor(
    private readonly pid: number,
    private readonly options: CpuAllowanceOptions,
  ) {
    this.allowed = options.limits.cpuSeconds;
  }

  /** @param seconds in all */
  raise(seconds: number): void {
    const { prlimit, as, limits, log } = this.options;
    const { cpuSeconds, maxCpuSeconds = cpuSeconds } = limits;
    const raised = Math.min(Math.floor(seconds), maxCpuSeconds);
    if (prlimit === undefined || raised < this.allowed + cpuSeconds / 2) return;
    this.allowed = raised;
    execFile(prlimit, ['--pid', String(this.pid), `--cpu=${raised}:${maxCpuSeconds + 5}`], as, (error) => {
      if (error && isRunning(this.pid)) log.warn({ err: error }, 'the processor time of a live decoder could not be raised');
    });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
