/** The machine types that the filter is known for, by Node's name, with the kernel's number of each (`AUDIT_ARCH_*`, linux/audit.h). */
export const AUDIT_ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

export type FilteredArchitecture = keyof typeof AUDIT_ARCHITECTURES;

/** A test of one argument, of its lower 32 bits where nothing else is said. All of a call's tests must hold. */
export type ArgumentTest =
  | { argument: number; equals: readonly number[] }
  /** All 64 bits are 0. */
  | { argument: number; isNull: true }
  /** At least one of these bits is set. */
  | { argument: number; has: number }
  /** None of these bits is set. */
  | { argument: number; lacks: number };

export interface AllowedCall {
  name: string;
  x64?: number;
  arm64?: number;
  when?: readonly ArgumentTest[];
}

const call = (name: string, x64?: number, arm64?: number, when?: readonly ArgumentTest[]): AllowedCall => ({
  name,
  ...(x64 !== undefined && { x64 }),
  ...(arm64 !== undefined && { arm64 }),
  ...(when && { when }),
});

/** O_WRONLY, O_RDWR, O_CREAT and O_TRUNC: what is opened is only read. */
const WRITING = 0o1 | 0o2 | 0o100 | 0o1000;
const CLONE_THREAD = 0x10000;
/** F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC. Not F_SETOWN and F_SETSIG, which send signals. */
const DESCRIPTOR_COMMANDS = [0, 1, 2, 3, 4, 1030];
const PR_SET_NAME = 15;

/**
 * All that a decoder needs: its memory, its threads, files that it may only read, its output. Numbers: x86-64 from
 * asm/unistd_64.h, AArch64 from asm-generic/unistd.h. Every other call fails with EPERM.
 * Absent on purpose: socket and its kin, ptrace, process_vm_*, kill and tgkill, mount, namespaces, bpf, keyctl, io_uring,
 * memfd_create, ioctl, getdents, chmod, setuid, and every call that writes to the file system.
 */
export const DECODER_CALLS: readonly AllowedCall[] = [
  // Input and output.
  call('read', 0, 63), call('write', 1, 64), call('readv', 19, 65), call('writev', 20, 66), call('pread64', 17, 67),
  call('lseek', 8, 62), call('close', 3, 57), call('close_range', 436, 436), call('dup', 32, 23),
  call('fstat', 5, 80), call('newfstatat', 262, 79), call('stat', 4), call('lstat', 6), call('statx', 332, 291),
  call('access', 21), call('faccessat', 269, 48), call('fadvise64', 221, 223),
  call('poll', 7), call('ppoll', 271, 73), call('select', 23), call('pselect6', 270, 72),
  call('openat', 257, 56, [{ argument: 2, lacks: WRITING }]),
  call('open', 2, undefined, [{ argument: 1, lacks: WRITING }]),
  call('fcntl', 72, 25, [{ argument: 1, equals: DESCRIPTOR_COMMANDS }]),
  // Memory.
  // mlock: within the limit of locked memory, which libgcrypt complains about on standard error when it gets none.
  call('mlock', 149, 228), call('munlock', 150, 229),
  call('mmap', 9, 222), call('munmap', 11, 215), call('mprotect', 10, 226), call('mremap', 25, 216), call('madvise', 28, 233), call('brk', 12, 214),
  // Threads, and no process: clone3 is refused with ENOSYS, after which the C library asks for clone.
  call('clone', 56, 220, [{ argument: 0, has: CLONE_THREAD }]),
  call('futex', 202, 98), call('set_tid_address', 218, 96), call('set_robust_list', 273, 99), call('rseq', 334, 293),
  call('sched_yield', 24, 124), call('sched_getaffinity', 204, 123), call('membarrier', 324, 283),
  call('prctl', 157, 167, [{ argument: 0, equals: [PR_SET_NAME] }]),
  // Its own signals.
  call('rt_sigaction', 13, 134), call('rt_sigprocmask', 14, 135), call('rt_sigreturn', 15, 139), call('sigaltstack', 131, 132), call('restart_syscall', 219, 128),
  // Time and chance.
  call('clock_gettime', 228, 113), call('clock_getres', 229, 114), call('gettimeofday', 96, 169), call('time', 201),
  call('nanosleep', 35, 101), call('clock_nanosleep', 230, 115), call('getrandom', 318, 278),
  // Calls that query the process and the machine.
  call('getpid', 39, 172), call('gettid', 186, 178), call('getuid', 102, 174), call('geteuid', 107, 175), call('getgid', 104, 176), call('getegid', 108, 177),
  call('uname', 63, 160), call('sysinfo', 99, 179), call('times', 100, 153), call('getrusage', 98, 165), call('getrlimit', 97, 163),
  // Reads a limit of its own; limits of others, and new ones, are refused.
  call('prlimit64', 302, 261, [{ argument: 0, equals: [0] }, { argument: 2, isNull: true }]),
  // Start and end. What it starts stays behind the same filter.
  call('execve', 59, 221), call('arch_prctl', 158), call('exit', 60, 93), call('exit_group', 231, 94),
];

/** Calls that a program must believe to be unknown to the kernel, so that it uses the older one. */
export const UNKNOWN_CALLS: readonly AllowedCall[] = [call('clone3', 435, 435), call('faccessat2', 439, 439), call('openat2', 437, 437)];
