import type { MetricReadings } from './metric-readings.js';
import type { RunningProgram } from './process-tree.js';
import type { TestApi } from './test-api.js';

/** A running Parlance, whatever it consists of: what the system suite asks of each shape. */
export interface Parlance extends AsyncDisposable {
  /** As the first account. */
  readonly api: TestApi;
  /** Its servers': with them `parlance-admin` works on this installation. */
  readonly settings: Record<string, string>;
  /** Of the process that answers HTTP. */
  readonly gatewayPid: number;
  /** As another account of the same installation. */
  newAccount(): Promise<TestApi>;
  /** Programs that its processes started and that still run. */
  programs(): Promise<RunningProgram[]>;
  /** Temporary files and folders of its services, `<service>/…`. */
  scratch(): Promise<string[]>;
  /** What the media store holds of a job: `source`, `plan.json`, `audio/000000.pcm` …, and hidden objects that the sealing store keeps beside them */
  media(jobId: string): Promise<string[]>;
  /** Of all its processes, JSON lines. */
  log(): Promise<string>;
  /** Of all its processes. */
  metrics(): Promise<MetricReadings>;
  /** As the kernel's out-of-memory killer would: no chance to clean up. */
  kill(): Promise<void>;
  /** SIGTERM, and waits. @returns the exit code; of several processes the largest */
  stop(): Promise<number | null>;
  /** Starts again on what it stored, stopped before if it runs. */
  restart(env?: Record<string, string>): Promise<void>;
  dispose(): Promise<void>;
}
