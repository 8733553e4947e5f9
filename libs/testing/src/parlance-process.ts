import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { childEnvironment, START_FLAGS } from './child-environment.js';
import { filesBelow, scratchEntries } from './files-below.js';
import { HIGH_LIMITS } from './high-limits.js';
import { mediaNames } from './media-names.js';
import { MetricReadings } from './metric-readings.js';
import type { Parlance } from './parlance.js';
import { descendants, type RunningProgram } from './process-tree.js';
import { STANDALONE } from './standalone-command.js';
import { TestApi } from './test-api.js';

interface StartOptions {
  /** Settings over the tests' own: a free port, a data folder of its own, loopback allowed for fetches and webhooks. */
  env?: Record<string, string>;
  /** Default: a new empty one, removed by `dispose`. */
  dataFolder?: string;
  /** Puts the data folder on a disk of this size, which only this process sees and which is gone when it ends. Linux. */
  diskMegabytes?: number;
  /** Descriptors that the process may have at once. Linux. */
  descriptors?: number;
}

/** The product as its users run it: all seven services in a child process, reached over HTTP. */
export class ParlanceProcess implements Parlance {
  private constructor(
    private readonly folder: string,
    private readonly options: StartOptions,
    private child: ChildProcess,
    private currentApi: TestApi,
  ) {}

  /** Needs the build (`npm test` makes it before). @throws Error with what the process said when it does not get ready */
  static async start(options: StartOptions = {}): Promise<ParlanceProcess> {
    const folder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'parlance-system-')));
    try {
      const { child, api } = await launch(folder, options);
      return new ParlanceProcess(folder, options, child, api);
    } catch (error) {
      if (options.dataFolder === undefined) await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get api(): TestApi {
    return this.currentApi;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get settings(): Record<string, string> {
    return { ...this.options.env, PARLANCE_DATA: this.dataFolder };
  }

  get gatewayPid(): number {
    return this.pid;
  }

  async newAccount(): Promise<TestApi> {
    const [{ createAccount }, { grpcTarget }] = await Promise.all([import('./create-account.js'), import('@parlance/runtime/grpc-addresses')]);
    return this.api.as(await createAccount(grpcTarget('gateway', {}, this.dataFolder)));
  }

  /** Where its data can be read from outside. */
  get dataFolder(): string {
    return seenFromOutside(this.folder, this.child, this.options);
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.stop();
    const { child, api } = await launch(this.folder, { ...this.options, env: { ...this.options.env, ...env } });
    this.child = child;
    this.currentApi = api;
  }

  async dispose(): Promise<void> {
    await this.stop();
    if (this.options.dataFolder === undefined) await rm(this.folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async log(): Promise<string> {
    return readFile(join(this.dataFolder, 'parlance.log'), 'utf8');
  }

  async metrics(): Promise<MetricReadings> {
    return new MetricReadings([await (await fetch(`${this.api.url}/metrics`)).text()]);
  }

  programs(): Promise<RunningProgram[]> {
    return descendants(this.pid);
  }

  /** Linux. */
  async descriptorsInUse(): Promise<number> {
    return (await readdir(`/proc/${this.pid}/fd`)).length;
  }

  async scratch(): Promise<string[]> {
    return scratchEntries(join(this.dataFolder, 'scratch'));
  }

  async media(jobId: string): Promise<string[]> {
    const files = await filesBelow(join(this.dataFolder, 'media'));
    return mediaNames(files.flatMap((file) => file.split(`/${jobId}/`).slice(1)));
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  }
}

async function launch(folder: string, options: StartOptions): Promise<{ child: ChildProcess; api: TestApi }> {
  const { env = {} } = options;
  const [command = process.execPath, ...args] = [...onSmallDisk(options), ...withDescriptors(options), process.execPath, ...START_FLAGS, STANDALONE, '--no-sample'];
  const child = spawn(command, args, {
    env: { ...childEnvironment(), PARLANCE_DATA: folder, PORT: '0', EGRESS_ALLOW: '127.0.0.0/8', ...HIGH_LIMITS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    said += `${line}\n`;
    const url = /ready at (http:\/\/[^\s)]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    // Nobody else would say why every further call is refused.
    child.once('exit', (code) => void (code ? process.stderr.write(`Parlance left with ${code}:\n${said}\n`) : undefined));
    const apiKey = env.BOOTSTRAP_API_KEY ?? (await readFile(join(seenFromOutside(folder, child, options), 'api-key'), 'utf8')).trim();
    return { child, api: new TestApi(url, apiKey) };
  }
  throw new Error(`Parlance did not get ready:\n${said}`);
}

/** A mount namespace with a small file system over the data folder; without root by a user namespace. */
function onSmallDisk({ diskMegabytes }: StartOptions): string[] {
  if (diskMegabytes === undefined) return [];
  const flags = process.getuid?.() === 0 ? '--mount' : '--map-root-user --mount';
  return ['unshare', ...flags.split(' '), 'sh', '-c', `mount -t tmpfs -o size=${diskMegabytes}m tmpfs "$PARLANCE_DATA" && exec "$@"`, 'sh'];
}

const withDescriptors = ({ descriptors }: StartOptions): string[] => (descriptors === undefined ? [] : ['prlimit', `--nofile=${descriptors}:${descriptors}`, '--']);

const seenFromOutside = (folder: string, child: ChildProcess, { diskMegabytes }: StartOptions): string =>
  diskMegabytes === undefined ? folder : `/proc/${child.pid}/root${folder}`;
