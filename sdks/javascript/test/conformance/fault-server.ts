import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../conformance/fault-server.mjs', import.meta.url));

/** A case of sdks/conformance (its README has the format). */
export interface Case {
  name: string;
  client?: { max_retries?: number; timeout?: object; default_headers?: Record<string, string>; api_key?: string; base_url_suffix?: string };
  call: string;
  // What it is depends on the call.
  params: never;
  options?: Record<string, unknown>;
  result?: unknown;
  error?: Record<string, unknown>;
  progress?: number[];
}

export interface Run {
  run: string;
  base_url: string;
}

/** The server that plays the cases. */
export class FaultServer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly url: string,
  ) {}

  static async start(): Promise<FaultServer> {
    const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    return new FaultServer(child, url);
  }

  cases(): Promise<Case[]> {
    return this.json('/control/cases');
  }

  begin(name: string): Promise<Run> {
    return this.json('/control/runs', { method: 'POST', body: JSON.stringify({ case: name }) });
  }

  async faults(run: string): Promise<string[]> {
    return (await this.json<{ faults: string[] }>(`/control/runs/${run}`)).faults;
  }

  async stop(): Promise<void> {
    this.process.kill();
    await once(this.process, 'exit');
  }

  private async json<T>(path: string, init?: RequestInit): Promise<T> {
    return (await (await fetch(this.url + path, init)).json()) as T;
  }
}
