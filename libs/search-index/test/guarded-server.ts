import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createPlainServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from '@parlance/platform/contract';

export interface GuardOptions {
  /** With a certificate of an authority of its own. */
  tls?: boolean;
  /** `user:password` that it asks for. */
  credentials?: string;
  /** What it answers instead of the server, as one of another version or under load would. */
  instead?: (path: string, body: string) => { status: number; body: object } | undefined;
}

/** A gate before the real server, such as the security plugin or a proxy is. */
export class GuardedServer {
  private server: Server | undefined;
  port = 0;

  private constructor(
    private readonly options: GuardOptions,
    private readonly folder: string,
  ) {}

  static async create(options: GuardOptions = {}): Promise<GuardedServer> {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-guard-'));
    const guard = new GuardedServer(options, folder);
    if (options.tls) certify(folder);
    await guard.start();
    return guard;
  }

  get ca(): string {
    return join(this.folder, 'cert.pem');
  }

  get host(): string {
    return `localhost:${this.port}`;
  }

  /** On the port it had before, when it had one. */
  async start(): Promise<void> {
    this.port ||= await reservePort();
    const handle = (incoming: IncomingMessage, response: ServerResponse) => void this.answer(incoming, response);
    this.server = this.options.tls
      ? createTlsServer({ key: await readFile(join(this.folder, 'key.pem')), cert: await readFile(this.ca) }, handle)
      : createPlainServer(handle);
    this.server.listen(this.port);
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((done) => this.server?.close(done));
  }

  async dispose(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true });
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const expected = this.options.credentials && `Basic ${Buffer.from(this.options.credentials).toString('base64')}`;
    if (expected && incoming.headers.authorization !== expected) {
      response.writeHead(401, { 'content-type': 'text/plain' }).end('Unauthorized');
      return;
    }
    const instead = this.options.instead?.(incoming.url ?? '', body.toString('utf8'));
    if (instead) {
      response.writeHead(instead.status, { 'content-type': 'application/json' }).end(JSON.stringify(instead.body));
      return;
    }
    const target = new URL(incoming.url ?? '/', process.env['OPENSEARCH_URL']);
    const headers = { ...incoming.headers };
    delete headers.authorization;
    const onward = request(target, { method: incoming.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end(body);
  }
}

function certify(folder: string): void {
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const { status, stderr } = spawnSync('openssl', [...args, '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]);
  if (status !== 0) throw new Error(`openssl: ${stderr.toString()}`);
}
