import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@parlance/runtime/service-manifest';
import { type MediaStore, openMediaStore } from '@parlance/storage';
import { createAccount } from '../create-account.js';
import { scratchEntries } from '../files-below.js';
import { HIGH_LIMITS } from '../high-limits.js';
import { mediaNames } from '../media-names.js';
import { MetricReadings } from '../metric-readings.js';
import type { Parlance } from '../parlance.js';
import { descendants, type RunningProgram } from '../process-tree.js';
import { TestApi } from '../test-api.js';
import { deleteTopics, prepareInstallation } from './installation-topics.js';
import { LoopbackBlock } from './loopback-block.js';
import { installationName, portSettings, realServers, type RealServers } from './real-servers.js';
import { GRPC_PORT, ServiceProcess } from './service-process.js';

const HTTP_PORT = 3000;
/** Of the first replica of the first service, in the block; the next replica of each is REPLICA_STEP further. */
const FIRST_HOST = 10;
const REPLICA_STEP = 20;

/** A file of master keys, version and key: what is stored is encrypted, as in production. */
const MASTER_KEY = `1 ${Buffer.alloc(32, 5).toString('base64')}\n`;

interface ClusterOptions {
  env?: Record<string, string>;
  /** Processes of each service, or of some; default 1. */
  replicas?: number | Partial<Record<ServiceName, number>>;
}

/** Each service in a process of its own, on a real Kafka, MongoDB, S3 and OpenSearch, reached over HTTP. */
export class ParlanceCluster implements Parlance {
  readonly processes: readonly ServiceProcess[];

  private constructor(
    private readonly block: LoopbackBlock,
    private readonly folder: string,
    private readonly servers: RealServers,
    private readonly installation: string,
    readonly settings: Record<string, string>,
    private readonly store: MediaStore,
    private readonly replicas: NonNullable<ClusterOptions['replicas']>,
  ) {
    this.processes = SERVICE_NAMES.flatMap((service) =>
      this.addressesOf(service).map((address, replica) => new ServiceProcess({ service, address, env: settings, folder: join(folder, `${service}-${replica}`) })),
    );
  }

  /** Needs the build, and the servers' addresses in the environment. @throws Error with the log of what does not get ready */
  static async start({ env = {}, replicas = 1 }: ClusterOptions = {}): Promise<ParlanceCluster> {
    const servers = realServers();
    const installation = installationName();
    const ports = portSettings(servers, installation);
    const [block, folder, store] = await Promise.all([
      LoopbackBlock.reserve(),
      mkdtemp(join(tmpdir(), 'parlance-cluster-')),
      openStore(ports),
      prepareInstallation(ports),
    ]);
    const keys = join(folder, 'keys');
    await writeFile(keys, MASTER_KEY, { mode: 0o600 });
    const settings = { ...ports, KEY_PROVIDER: `local:${keys}`, EGRESS_ALLOW: '127.0.0.0/8', ...HIGH_LIMITS, BOOTSTRAP_API_KEY: `operators-key-of-${installation}`, ...env };
    const cluster = new ParlanceCluster(block, folder, servers, installation, settings, store, replicas);
    await cluster.startAll().catch(async (error: unknown) => {
      await cluster.dispose();
      throw error;
    });
    return cluster;
  }

  /** Asks the gateways in turns. */
  get api(): TestApi {
    return new TestApi(this.addressesOf('gateway').map((address) => `http://${address}:${HTTP_PORT}`), this.settings['BOOTSTRAP_API_KEY'] ?? '');
  }

  get gatewayPid(): number {
    return this.processes.find(({ service }) => service === 'gateway')?.pid ?? 0;
  }

  of(service: ServiceName): ServiceProcess[] {
    return this.processes.filter((process) => process.service === service);
  }

  async newAccount(): Promise<TestApi> {
    return this.api.as(await createAccount(`${this.addressesOf('gateway')[0]}:${GRPC_PORT}`));
  }

  programs(): Promise<RunningProgram[]> {
    return descendants(...this.processes.map(({ pid }) => pid));
  }

  async scratch(): Promise<string[]> {
    return (await Promise.all(this.processes.map(({ options: { folder } }) => scratchEntries(join(folder, 'scratch'))))).flat();
  }

  async media(jobId: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.store.list('')) keys.push(...key.split(`/${jobId}/`).slice(1));
    return mediaNames(keys);
  }

  async log(): Promise<string> {
    return (await Promise.all(this.processes.map((process) => process.log()))).join('');
  }

  async metrics(): Promise<MetricReadings> {
    return new MetricReadings(await Promise.all(this.processes.map((process) => process.metrics())));
  }

  async kill(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.end('SIGKILL')));
  }

  async stop(): Promise<number | null> {
    const codes = await Promise.all(this.processes.map((process) => process.end('SIGTERM')));
    return Math.max(...codes.map((code) => code ?? 0));
  }

  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.stop();
    await this.startAll(env);
  }

  /** Ends one process, and starts it again at its address. @returns when it is ready */
  async replace(process: ServiceProcess, signal: NodeJS.Signals): Promise<void> {
    await process.end(signal);
    await process.start(this.discovery(process));
    await process.ready();
  }

  async dispose(): Promise<void> {
    await this.stop();
    const { kafkaBrokers, openSearchUrl } = this.servers;
    await Promise.all([deleteTopics(kafkaBrokers, this.installation), deleteIndices(openSearchUrl, this.installation), this.block[Symbol.asyncDispose]()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  private async startAll(env: Record<string, string> = {}): Promise<void> {
    await Promise.all(this.processes.map((process) => process.start({ ...this.discovery(process), ...env })));
    await Promise.all(this.processes.map((process) => process.ready()));
  }

  /** Where the others are, as a headless service's name would resolve. */
  private discovery({ options: { address } }: ServiceProcess): Record<string, string> {
    const targets = SERVICE_NAMES.map((service) => {
      const addresses = this.addressesOf(service).map((host) => `${host}:${GRPC_PORT}`);
      return [`${service.toUpperCase().replaceAll('-', '_')}_GRPC_URL`, `ipv4:${addresses.join(',')}`];
    });
    return { ...Object.fromEntries(targets), HOST: address, PORT: String(HTTP_PORT) };
  }

  private addressesOf(service: ServiceName): string[] {
    const first = FIRST_HOST + SERVICE_NAMES.indexOf(service);
    const count = typeof this.replicas === 'number' ? this.replicas : (this.replicas[service] ?? 1);
    return Array.from({ length: count }, (_, replica) => this.block.address(first + replica * REPLICA_STEP));
  }
}

/** The adapter takes its credentials as the SDK finds them, from the environment. */
function openStore(ports: Record<string, string>): Promise<MediaStore> {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) process.env[name] = ports[name];
  return openMediaStore(ports['MEDIA_URL'] ?? '');
}

/** A node of a test machine does not hold hundreds of indices. */
async function deleteIndices(openSearchUrl: string, installation: string): Promise<void> {
  const answer = await fetch(`${openSearchUrl}/_cat/indices/${installation}-*?format=json`);
  const indices = answer.ok ? ((await answer.json()) as { index: string }[]) : [];
  await Promise.all(indices.map(({ index }) => fetch(`${openSearchUrl}/${index}`, { method: 'DELETE' })));
}
