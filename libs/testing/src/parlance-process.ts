import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TestApi } from './test-api.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

export interface StartOptions {
  /** Settings over the tests' own: a free port, a data folder of its own, loopback allowed for fetches and webhooks. */
  env?: Record<string, string>;
  /** Default: a new empty one, removed by `dispose`. */
  dataFolder?: string;
}

/** The product as its users run it: all seven services in a child process, reached over HTTP. */
export class ParlanceProcess {
  private constructor(
    readonly dataFolder: string,
    private readonly env: Record<string, string>,
    private child: ChildProcess,
    private currentApi: TestApi,
    private readonly ownsFolder: boolean,
  ) {}

  /** Needs the build (`npm test` makes it before). @throws Error with what the process said when it does not get ready */
  static async start({ env = {}, dataFolder }: StartOptions = {}): Promise<ParlanceProcess> {
    const folder = dataFolder ?? (await mkdtemp(join(tmpdir(), 'parlance-system-')));
    const { child, api } = await launch(folder, env);
    return new ParlanceProcess(folder, env, child, api, dataFolder === undefined);
  }

  get api(): TestApi {
    return this.currentApi;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** As the kernel's out-of-memory killer would: no chance to clean up. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** SIGTERM, and waits. @returns the exit code */
  async stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Starts again on the same data folder. */
  async restart(env: Record<string, string> = {}): Promise<void> {
    const { child, api } = await launch(this.dataFolder, { ...this.env, ...env });
    this.child = child;
    this.currentApi = api;
  }

  async dispose(): Promise<void> {
    await this.stop();
    if (this.ownsFolder) await rm(this.dataFolder, { recursive: true, force: true });
  }

  async log(): Promise<string> {
    return readFile(join(this.dataFolder, 'parlance.log'), 'utf8');
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  }
}

async function launch(dataFolder: string, env: Record<string, string>): Promise<{ child: ChildProcess; api: TestApi }> {
  const main = join(REPOSITORY, 'apps', 'standalone', 'dist', 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main, '--no-sample'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PARLANCE_DATA: dataFolder, PORT: '0', EGRESS_ALLOW: '127.0.0.0/8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    said += `${line}\n`;
    const url = /ready at (http:\/\/\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    const apiKey = env.BOOTSTRAP_API_KEY ?? (await readFile(join(dataFolder, 'api-key'), 'utf8')).trim();
    return { child, api: new TestApi(url, apiKey) };
  }
  throw new Error(`Parlance did not get ready:\n${said}`);
}
