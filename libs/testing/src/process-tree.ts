import { readdir, readFile } from 'node:fs/promises';

export interface RunningProgram {
  pid: number;
  parent: number;
  /** As the kernel names it, at most 15 characters. */
  name: string;
}

/** The processes below these that still run, from one look at /proc. */
export async function descendants(...pids: number[]): Promise<RunningProgram[]> {
  const all = await runningPrograms();
  const found: RunningProgram[] = [];
  for (let parents = new Set(pids); parents.size > 0; ) {
    const children = all.filter(({ parent }) => parents.has(parent));
    found.push(...children);
    parents = new Set(children.map((child) => child.pid));
  }
  return found;
}

/** Programs below nobody of ours, that name this text in their arguments: what a killed process left running. */
export async function programsNaming(text: string): Promise<number[]> {
  const own = new Set((await descendants(process.pid)).map(({ pid }) => pid));
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && !own.has(Number(name)));
  const named = await Promise.all(pids.map(async (pid) => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(text)));
  return pids.filter((_, index) => named[index]).map(Number);
}

/** Resident memory of a process, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

async function runningPrograms(): Promise<RunningProgram[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap((stat) => {
    // pid (name) state parent …; the name may hold anything, the last parenthesis ends it.
    const [, pid, name = '', state, parent] = /^(\d+) \((.*)\) (\w) (\d+)/s.exec(stat) ?? [];
    return pid === undefined || state === 'Z' ? [] : [{ pid: Number(pid), parent: Number(parent), name }];
  });
}
