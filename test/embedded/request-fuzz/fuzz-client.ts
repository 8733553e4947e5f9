import { Agent, request } from 'node:http';
import type { FuzzRequest } from './fuzz-requests.js';

const PATIENCE_MS = 15_000;

/** Sends what fetch would not: any header value, and bodies to whatever route. */
export class FuzzClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly url: string) {}

  /** @returns the status; 0 where the connection closed without an answer */
  send({ method, path, headers, body }: FuzzRequest): Promise<number> {
    return new Promise((resolve) => {
      const sent = request(`${this.url}${path}`, { method, headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) }, agent: this.agent, timeout: PATIENCE_MS });
      sent.on('response', (response) => response.resume().on('close', () => resolve(response.statusCode ?? 0)));
      sent.on('timeout', () => sent.destroy()).on('error', () => resolve(0));
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
