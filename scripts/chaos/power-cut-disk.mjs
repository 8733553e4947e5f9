import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@parlance/testing';

const run = promisify(execFile);

const DISK_BYTES = 256 * 1024 * 1024;
const UNMOUNT_LIMIT_MS = 60_000;

/**
 * EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH (linux, fs/ext4/ext4.h): from this moment on, the file system writes
 * nothing more to its device, neither dirty pages nor its open journal transaction. xfstests cuts the power by it as well.
 */
const SHUT_DOWN = `
import fcntl, os, struct, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
print("ready", flush=True)
sys.stdin.readline()
fcntl.ioctl(folder, 0x8004587D, struct.pack("I", 2))
`;

/** @returns why there can be no such disk on this machine; undefined when there can */
export async function powerCutUnavailable() {
  if (process.platform !== 'linux') return 'it needs ext4, and this is not Linux';
  if (process.getuid() !== 0) return 'it needs root, for a loop device';
  try {
    const disk = await PowerCutDisk.create({ commitSeconds: 5 });
    await disk.cut();
    await disk[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    return `it needs a loop device, mkfs.ext4 and python3: ${String(error.stderr || error.message).trim().split('\n')[0]}`;
  }
}

/** An ext4 file system on a loop device that can stop writing from one moment to the next. */
export class PowerCutDisk {
  /** Mounted by this process; a command that is interrupted must not leave them. */
  static #open = new Set();

  #work;
  #options;

  constructor(work, options) {
    this.#work = work;
    this.#options = options;
  }

  /** @param commitSeconds how often ext4 commits its journal by itself. After 5 s, its default, much is on the disk that no program flushed; after 600 s, nothing. */
  static async create({ commitSeconds }) {
    const disk = new PowerCutDisk(await mkdtemp(join(tmpdir(), 'parlance-power-')), `loop,commit=${commitSeconds}`);
    await mkdir(disk.folder);
    await writeFile(disk.#image, '');
    await truncate(disk.#image, DISK_BYTES);
    await run('mkfs.ext4', ['-q', '-E', 'lazy_itable_init=1,nodiscard', disk.#image]);
    PowerCutDisk.#open.add(disk);
    await disk.#mount();
    return disk;
  }

  /** Unmounts and removes all disks, without waiting for the processes that use them. For a process about to end. */
  static removeAll() {
    for (const disk of PowerCutDisk.#open) {
      spawnSync('umount', ['--lazy', disk.folder], { stdio: 'ignore' });
      rmSync(disk.#work, { recursive: true, force: true });
    }
    PowerCutDisk.#open.clear();
  }

  /** The mount point. */
  get folder() {
    return join(this.#work, 'disk');
  }

  get #image() {
    return join(this.#work, 'image');
  }

  /**
   * Nothing reaches the device after this. Writes fail, what is in memory can still be read. An fdatasync that runs at that moment may
   * report success all the same: ext4 does not look again once its journal's transaction has ended, by being aborted too.
   * @param begin called right before
   */
  async cut(begin = () => {}) {
    const python = spawn('python3', ['-c', SHUT_DOWN, this.folder], { stdio: 'pipe' });
    const ended = once(python, 'close');
    const failure = text(python.stderr);
    await Promise.race([once(python.stdout, 'data'), ended]);
    begin();
    python.stdin.on('error', () => {}).end('\n');
    const [code] = await ended;
    if (code !== 0) throw new Error(`the file system could not be shut down: ${(await failure).trim().split('\n').at(-1)}`);
  }

  /** Once no process uses it any more: mounts what has reached the device, for which ext4 replays its journal. */
  async powerOn() {
    await this.#unmount();
    await this.#mount();
  }

  async [Symbol.asyncDispose]() {
    await this.#unmount();
    await rm(this.#work, { recursive: true });
    PowerCutDisk.#open.delete(this);
  }

  async #mount() {
    await run('mount', ['-t', 'ext4', '-o', this.#options, this.#image, this.folder]);
  }

  async #unmount() {
    await eventually('the disk to be unused', () => run('umount', [this.folder]).then(() => true, () => false), UNMOUNT_LIMIT_MS, 50);
    // A process with mounts of its own may hold the file system a moment longer. A mount would then get it as it is, shut down, in place of the disk's content.
    await eventually('the disk to be let go', () => this.#isLetGo(), UNMOUNT_LIMIT_MS, 50);
  }

  async #isLetGo() {
    if ((await run('losetup', ['-j', this.#image])).stdout.trim() === '') return true;
    await this.#unmountElsewhere();
    return false;
  }

  /** A mount namespace that any program made meanwhile has the disk mounted as well, for as long as the program lives. */
  async #unmountElsewhere() {
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '');
      if (mounts.includes(` ${this.folder} `)) await run('nsenter', [`--mount=/proc/${pid}/ns/mnt`, 'umount', '--lazy', this.folder]).catch(() => undefined);
    }
  }
}
