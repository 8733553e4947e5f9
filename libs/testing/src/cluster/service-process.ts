import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@parlance/runtime/service-manifest';
import { childEnvironment, START_FLAGS } from '../child-environment.js';
import { eventually } from '../eventually.js';

const bundle = fileURLToPath(new URL('../../../../bundle/', import.meta.url));
const READY_WITHIN_MS = 180_000;
/** Milliseconds between two readiness checks. Each makes the process check all servers, and fourteen processes start at once. */
const READY_EVERY_MS = 250;
const HEALTH_PORT = 9090;
export const GRPC_PORT = 50051;

interface ServiceProcessOptions {
  service: ServiceName;
  /** Its own address, of fixed ports. */
  address: string;
  /** Its scratch folder and its log. */
  folder: string;
  env: Record<string, string>;
}

/** One process of one service, as a pod runs it. */
export class ServiceProcess {
  private child: ChildProcess | undefined;
  /** Ends once the log holds everything that the process wrote. */
  private written: Promise<unknown> = Promise.resolve();

  constructor(readonly options: ServiceProcessOptions) {}

  get service(): ServiceName {
    return this.options.service;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts it; `ready` waits until it serves. */
  async start(env: Record<string, string> = {}): Promise<void> {
    const { service, address, folder } = this.options;
    await mkdir(folder, { recursive: true });
    const main = join(bundle, `${service}.js`);
    const own = { PARLANCE_DATA: folder, GRPC_LISTEN: `${address}:${GRPC_PORT}`, HEALTH_HOST: address, HEALTH_PORT: String(HEALTH_PORT) };
    const child = spawn(process.execPath, [...START_FLAGS, main], {
      env: { ...childEnvironment(), ...own, ...this.options.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log: WriteStream = createWriteStream(this.logFile, { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.written = once(log, 'finish');
    child.once('close', () => log.end());
    this.child = child;
  }

  /** @throws Error with its log when it left, or did not get ready in time */
  async ready(): Promise<void> {
    try {
      await eventually(`${this.service} to be ready`, () => this.isReady(), READY_WITHIN_MS, READY_EVERY_MS);
    } catch (error) {
      if (!this.running) await this.written;
      throw new Error(`${this.service} is not ready, ${(error as Error).message}:\n${await this.log()}`, { cause: error });
    }
  }

  /** @returns the exit code; undefined of one that a signal ended */
  async end(signal: NodeJS.Signals): Promise<number | undefined> {
    const { child } = this;
    if (!child) return undefined;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return child.exitCode ?? undefined;
  }

  log(): Promise<string> {
    return readFile(this.logFile, 'utf8').catch(() => '');
  }

  /** In Prometheus' text format. */
  async metrics(): Promise<string> {
    return (await fetch(`http://${this.options.address}:${HEALTH_PORT}/metrics`)).text();
  }

  private get logFile(): string {
    return `${this.options.folder}.log`;
  }

  private async isReady(): Promise<boolean> {
    if (!this.running) throw new Error(`it left with ${this.child?.exitCode ?? this.child?.signalCode}`);
    return fetch(`http://${this.options.address}:${HEALTH_PORT}/health/ready`).then(({ ok }) => ok, () => false);
  }
}
