import { AUDIT_ARCHITECTURES, type AllowedCall, type ArgumentTest, type FilteredArchitecture } from './system-calls.js';

/** Opcodes of classic BPF (linux/bpf_common.h). */
const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_SET = 0x45;
const RETURN = 0x06;

/** Return values of a filter (linux/seccomp.h). */
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const errno = (code: number): number => 0x00050000 | code;
const EPERM = 1;
const ENOSYS = 38;

/** Places in `struct seccomp_data`. Arguments have 64 bits, little-endian on both machine types: the lower word comes first. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

interface Instruction {
  code: number;
  jumpTrue?: number;
  jumpFalse?: number;
  value: number;
}

const load = (value: number): Instruction => ({ code: LOAD_WORD, value });
const answer = (value: number): Instruction => ({ code: RETURN, value });
/** Skips as many instructions as it says when the loaded word is not, or is, the value. */
const unlessEqual = (value: number, jumpFalse: number): Instruction => ({ code: JUMP_EQUAL, value, jumpFalse });
const whenEqual = (value: number, jumpTrue: number): Instruction => ({ code: JUMP_EQUAL, value, jumpTrue });

/** Continues after its last instruction when the test holds, and refuses otherwise. */
function testOf(test: ArgumentTest): Instruction[] {
  const refuse = answer(errno(EPERM));
  const word = load(argumentAt(test.argument));
  if ('isNull' in test) return [word, whenEqual(0, 1), refuse, load(argumentAt(test.argument) + 4), whenEqual(0, 1), refuse];
  if ('has' in test) return [word, { code: JUMP_SET, value: test.has, jumpTrue: 1 }, refuse];
  if ('lacks' in test) return [word, { code: JUMP_SET, value: test.lacks, jumpFalse: 1 }, refuse];
  return [word, ...test.equals.map((value, index) => whenEqual(value, test.equals.length - index)), refuse];
}

function allow(architecture: FilteredArchitecture, { when = [], ...call }: AllowedCall): Instruction[] {
  const number = call[architecture];
  if (number === undefined) return [];
  const body = [...when.flatMap(testOf), answer(ALLOW)];
  return [unlessEqual(number, body.length), ...body];
}

const unknown = (architecture: FilteredArchitecture, call: AllowedCall): Instruction[] => {
  const number = call[architecture];
  return number === undefined ? [] : [unlessEqual(number, 1), answer(errno(ENOSYS))];
};

/**
 * A seccomp filter as the kernel takes it: an array of `struct sock_filter`, little-endian.
 * A call of another machine type ends the process: its numbers mean other calls. Of x86-64, the x32 calls have numbers of
 * their own and are refused like every call that is not listed.
 */
export function seccompFilter(architecture: FilteredArchitecture, allowed: readonly AllowedCall[], unknownCalls: readonly AllowedCall[]): Buffer {
  const program = [
    load(ARCHITECTURE),
    whenEqual(AUDIT_ARCHITECTURES[architecture], 1),
    answer(KILL_PROCESS),
    load(NUMBER),
    ...allowed.flatMap((call) => allow(architecture, call)),
    ...unknownCalls.flatMap((call) => unknown(architecture, call)),
    answer(errno(EPERM)),
  ];
  return Buffer.concat(program.map(encode));
}

function encode({ code, jumpTrue = 0, jumpFalse = 0, value }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jumpTrue, 2);
  bytes.writeUInt8(jumpFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
