import { describe, expect, it } from '@jest/globals';
import { seccompFilter } from './seccomp-filter.js';
import { AUDIT_ARCHITECTURES, DECODER_CALLS, UNKNOWN_CALLS, type FilteredArchitecture } from './system-calls.js';

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const KILL = 0x80000000;

/** What the kernel would answer: an interpreter of the instructions that a seccomp filter may have (networking/filter.rst). */
function answerTo(filter: Buffer, data: Buffer): number {
  let accumulator = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const [code, whenTrue, whenFalse, value] = [filter.readUInt16LE(at), filter[at + 2] ?? 0, filter[at + 3] ?? 0, filter.readUInt32LE(at + 4)];
    if (code === 0x06) return value;
    else if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x15) at += 8 * (accumulator === value ? whenTrue : whenFalse);
    else if (code === 0x45) at += 8 * ((accumulator & value) !== 0 ? whenTrue : whenFalse);
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('the filter has no end');
}

/** `struct seccomp_data` of a call. */
function callOf(architecture: number, number: number, args: readonly bigint[] = []): Buffer {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture, 4);
  args.forEach((argument, index) => data.writeBigUInt64LE(argument, 16 + 8 * index));
  return data;
}

describe.each(['x64', 'arm64'] as const)('the filter for %s', (architecture: FilteredArchitecture) => {
  const filter = seccompFilter(architecture, DECODER_CALLS, UNKNOWN_CALLS);
  const numberOf = (name: string) => [...DECODER_CALLS, ...UNKNOWN_CALLS].find((call) => call.name === name)?.[architecture] ?? -1;
  const ask = (number: number, ...args: bigint[]) => answerTo(filter, callOf(AUDIT_ARCHITECTURES[architecture], number, args));

  it('allows the listed calls and no other number', () => {
    const listed = DECODER_CALLS.filter(({ when }) => !when).flatMap((call) => call[architecture] ?? []);
    const conditional = DECODER_CALLS.filter(({ when }) => when).flatMap((call) => call[architecture] ?? []);
    const allowed = Array.from({ length: 1024 }, (_, number) => number).filter((number) => !conditional.includes(number) && ask(number) === ALLOW);
    expect(allowed).toEqual(listed.toSorted((a, b) => a - b));
  });

  it('opens files to read only', () => {
    const [READ, CLOSE_ON_EXEC] = [0n, 0o2000000n];
    expect(ask(numberOf('openat'), 0n, 0n, READ | CLOSE_ON_EXEC)).toBe(ALLOW);
    for (const flag of [0o1n, 0o2n, 0o100n, 0o1000n]) expect(ask(numberOf('openat'), 0n, 0n, flag)).toBe(EPERM);
  });

  it('starts threads and no process', () => {
    const [THREAD, PROCESS] = [0x3d0f00n, 0x1200011n];
    expect([ask(numberOf('clone'), THREAD), ask(numberOf('clone'), PROCESS), ask(numberOf('clone3'))]).toEqual([ALLOW, EPERM, ENOSYS]);
  });

  it('reads limits of its own and sets none, wherever in its memory the new ones lie', () => {
    const [own, parent] = [0n, 4711n];
    expect(ask(numberOf('prlimit64'), own, 3n, 0n, 4096n)).toBe(ALLOW);
    for (const pointer of [4096n, 0x1_0000_0000n]) expect(ask(numberOf('prlimit64'), own, 3n, pointer)).toBe(EPERM);
    expect(ask(numberOf('prlimit64'), parent, 3n, 0n)).toBe(EPERM);
  });

  it('sets no owner of a descriptor, who would get its signals', () => {
    const [GET_FLAGS, SET_OWNER, SET_SIGNAL] = [3n, 8n, 10n];
    expect([GET_FLAGS, SET_OWNER, SET_SIGNAL].map((command) => ask(numberOf('fcntl'), 1n, command))).toEqual([ALLOW, EPERM, EPERM]);
  });

  it('ends a process that calls by the numbers of another machine type, and refuses x32', () => {
    const I386 = 0x40000003;
    expect(answerTo(filter, callOf(I386, numberOf('read')))).toBe(KILL);
    expect(ask(0x40000000 + numberOf('read'))).toBe(EPERM);
  });
});
