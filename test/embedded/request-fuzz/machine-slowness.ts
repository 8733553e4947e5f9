/** Milliseconds of processor time of `fixedWork` on the machine for which the limits were chosen. */
const REFERENCE_MS = 30;
const TRIES = 3;

/** Parsing and replacing text, as requests do. */
function fixedWork(): void {
  const list = `[${'[1,2,{"b":"c"}],'.repeat(300)}0]`;
  for (let nth = 0; nth < 200; nth += 1) JSON.stringify(JSON.parse(list)).replace(/[a-c]/g, (letter) => letter + letter);
}

function workMs(): number {
  const before = process.cpuUsage();
  fixedWork();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * How many times longer this machine takes for the same work than the one for which limits were chosen; at least 1. Processor time
 * grows as well where others use the same cores, caches and memory.
 */
export function machineSlowness(): number {
  const shortest = Math.min(...Array.from({ length: TRIES }, workMs));
  return Math.max(1, shortest / REFERENCE_MS);
}
