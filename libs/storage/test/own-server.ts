import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reservePort } from '@parlance/platform/contract';

const servers = resolve(process.env['PARLANCE_SERVERS'] ?? 'PARLANCE_SERVERS is not set');

/** A real server on a port of its own, which a test may kill. */
export class OwnServer {
  private constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly env: Record<string, string>,
    readonly port: number,
  ) {}

  static async create(program: 'mongo' | 's3', env: Record<string, string> = {}): Promise<OwnServer> {
    const folder = await mkdtemp(join(tmpdir(), `parlance-${program}-`));
    const port = await reservePort();
    const name = program.toUpperCase();
    // SERVERS_HOME is left: the programs are installed there once.
    return new OwnServer(join(servers, program), folder, { [`${name}_PORT`]: String(port), [`${name}_HEAP`]: '256m', TMPDIR: folder, ...env }, port);
  }

  /** With the data it had, when it ran before. @returns the settings that it prints */
  async start(): Promise<Record<string, string>> {
    // Again when it fails: the program may look for the process in the moment in which that is becoming the server.
    const printed = await this.run('start').catch(() => this.run('start'));
    return Object.fromEntries(printed.trim().split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  }

  /** kill -9, until its port is free. */
  async kill(): Promise<void> {
    const [run] = (await readdir(this.folder)).map((name) => join(this.folder, name));
    const pid = Number(await readFile(join(run ?? '', 'pid'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    while (await isTaken(this.port)) await sleep(20);
  }

  async dispose(): Promise<void> {
    await this.run('wipe');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async run(command: string): Promise<string> {
    const child = spawn(this.program, [command], { env: { ...process.env, ...this.env }, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const [code] = (await once(child, 'close')) as [number];
    if (code !== 0) throw new Error(`${this.program} ${command} ended with ${code}`);
    return printed;
  }
}

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
