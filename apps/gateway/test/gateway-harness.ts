import { gateway } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { manifest } from '../src/service.js';
import { StandInServices } from './stand-in-services.js';

export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

/** Tests ask more often than a key may; the limits have tests of their own. */
const UNHURRIED = { RATE_LIMIT_PER_MINUTE: '10000000', ACCOUNT_RATE_LIMIT_PER_MINUTE: '10000000', SIGNUPS_PER_HOUR: '100000', SIGNUPS_PER_HOUR_TOTAL: '1000000', WRONG_KEYS_PER_MINUTE: '100000' };

/** The real gateway over HTTP, on embedded adapters, with stand-ins for the services behind it. */
export class GatewayHarness implements AsyncDisposable {
  private constructor(
    readonly services: StandInServices,
    readonly process: ServiceHarness,
    readonly url: string,
    readonly accountId: string,
    readonly apiKey: string,
  ) {}

  static async start(settings: Record<string, string> = {}, log?: Logger): Promise<GatewayHarness> {
    // What was started before a failure must not keep the test's process alive.
    await using started = new AsyncDisposableStack();
    const { services, env } = await StandInServices.start();
    started.use(services);
    const process = started.use(await ServiceHarness.start(manifest, { PORT: '0', ...UNHURRIED, ...env, ...settings }, log));
    const { url } = process.process;
    if (url === undefined) throw new Error('the gateway does not listen');
    const harness = new GatewayHarness(services, process, url, '', '');
    const { accountId, apiKey } = await harness.createAccount();
    started.move();
    return new GatewayHarness(services, process, url, accountId, apiKey);
  }

  createAccount(): Promise<gateway.CreateAccountResponse> {
    const client = this.process.process.connect('gateway', gateway.AccountServiceDefinition);
    return client.createAccount({ email: 'ada@example.org' });
  }

  createKey(scopes: string[], expiresAt?: Date): Promise<gateway.CreateKeyResponse> {
    const client = this.process.process.connect('gateway', gateway.AccountServiceDefinition);
    return client.createKey({ accountId: this.accountId, name: 'test', scopes, expiresAt });
  }

  /** The same gateway, asked with another account's key. */
  as(apiKey: string): GatewayHarness {
    return new GatewayHarness(this.services, this.process, this.url, '', apiKey);
  }

  /** Of a key of the account. */
  async keyId(): Promise<string> {
    const { body } = await this.call<{ data: { key_id: string }[] }>('GET', '/keys');
    return body.data[0]?.key_id ?? '';
  }

  /** With the account's key; JSON in and out. */
  async call<T = Record<string, unknown>>(method: string, path: string, init: RequestInit & { json?: unknown } = {}): Promise<Answer<T>> {
    const { json, ...rest } = init;
    const response = await this.fetch(`/api/v1${path}`, {
      ...rest,
      method,
      ...(json !== undefined && { body: JSON.stringify(json) }),
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...rest.headers },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as T };
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, { ...init, headers: { authorization: `Bearer ${this.apiKey}`, ...init.headers } });
  }

  async submit(body: Record<string, unknown> = {}): Promise<string> {
    const answer = await this.call<{ job_id: string }>('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3', ...body } });
    if (answer.status !== 202) throw new Error(`not accepted: ${JSON.stringify(answer.body)}`);
    return answer.body.job_id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    await this.services[Symbol.asyncDispose]();
  }
}
