import { checkHealth, type HealthCheck, type HealthReport, type Metrics } from '@parlance/platform';
import { Gauge } from 'prom-client';

interface ProcessHealthParts {
  /** True from the end of the start until the process stops. */
  isStarted: () => boolean;
  /** Checks of the stores on the process's own disk, without which it cannot serve. */
  own: () => readonly HealthCheck[];
  /** Checks of the servers that other processes use as well. */
  servers: () => readonly HealthCheck[];
  /** Names of the servers that reads do not need. */
  readsWithout?: () => readonly string[];
  details: () => Record<string, string>;
  metrics: Metrics;
}

const WATCH_EVERY_MS = 15_000;

/** Milliseconds after the start in which a server that reads do not need, and that has not answered yet, keeps the process from being ready. */
const AWAIT_SERVERS_MS = 120_000;

/**
 * Ready says whether this process can serve; the state of its servers is apart. A server that goes away later takes no process
 * out of service: an orchestrator would take all of them, and reads that need no such server fail with the others. Until each
 * server has answered once the process is not ready: a rollout with a wrong password or bucket does not replace what works.
 * Those that reads do not need are awaited for AWAIT_SERVERS_MS: pods that restart while S3 or Kafka is away serve reads all the same.
 */
export class ProcessHealth {
  private readonly up: Gauge<'dependency'>;
  /** Servers that have answered since the start. */
  private readonly reached = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly createdAt = performance.now();

  constructor(private readonly parts: ProcessHealthParts) {
    this.up = new Gauge({
      name: 'parlance_dependency_up',
      help: 'Whether a server or store was available at its last check, every 15 s: 1 or 0',
      labelNames: ['dependency'],
      registers: [parts.metrics],
    });
  }

  async ready(): Promise<HealthReport> {
    if (this.isAwaitingServers()) {
      const report = await this.dependencies();
      if (this.isAwaitingServers()) return report;
    }
    return this.report([this.started, ...this.parts.own()]);
  }

  /** Checks everything that the process uses. */
  async dependencies(): Promise<HealthReport> {
    const { own, servers } = this.parts;
    const serverChecks = servers();
    const report = await this.report([this.started, ...own(), ...serverChecks]);
    for (const { name } of serverChecks) if (report.checks[name] === 'ok') this.reached.add(name);
    for (const { name } of [...own(), ...servers()]) this.up.set({ dependency: name }, report.checks[name] === 'ok' ? 1 : 0);
    return report;
  }

  watch(): void {
    void this.dependencies();
    this.timer = setInterval(() => void this.dependencies(), WATCH_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private isAwaitingServers(): boolean {
    const isEarly = performance.now() - this.createdAt < AWAIT_SERVERS_MS;
    const spared = new Set(isEarly ? [] : this.parts.readsWithout?.());
    return this.parts.servers().some(({ name }) => !this.reached.has(name) && !spared.has(name));
  }

  private get started(): HealthCheck {
    return {
      name: 'started',
      check: async () => {
        if (!this.parts.isStarted()) throw new Error('starting or stopping');
      },
    };
  }

  private async report(checks: readonly HealthCheck[]): Promise<HealthReport> {
    const details = this.parts.details();
    return { ...(await checkHealth(checks)), ...(Object.keys(details).length > 0 && { details }) };
  }
}
