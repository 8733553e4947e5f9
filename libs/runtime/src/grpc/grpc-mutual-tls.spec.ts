import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parlance/platform';
import { TestAuthority, type TestCertificate } from './certificates.fixture.js';
import { reserveAddresses } from '@parlance/platform/contract';
import { eventually, TestProcess } from '@parlance/testing/grpc-replica';

let folder: string;
let ours: TestAuthority;
let theirs: TestAuthority;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-mtls-'));
  [ours, theirs] = await Promise.all([TestAuthority.create(folder, 'ours'), TestAuthority.create(folder, 'theirs')]);
});
afterAll(() => rm(folder, { recursive: true }));

const stack: TestProcess[] = [];
afterEach(async () => {
  for (const started of stack.splice(0).toReversed()) await started.close();
});

/** Settings as a mounted secret gives them. */
async function mounted({ cert, key }: TestCertificate, { ca }: TestAuthority, name: string): Promise<Record<string, string>> {
  const contents = { CERT: cert, KEY: key, CA: ca };
  const entries = Object.entries(contents).map(async ([part, content]) => {
    const path = join(folder, `${name}-${part}.pem`);
    await writeFile(path, content);
    return [`GRPC_TLS_${part}_FILE`, path] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** A server and a client with the given settings, and what the client's log says. */
async function pair(server: Record<string, string>, settings: Record<string, string>) {
  const [listen = ''] = await reserveAddresses(1);
  stack.push(await TestProcess.replica({ number: 1, listen, env: server }));
  return client(listen, settings);
}

async function client(address: string, settings: Record<string, string>) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) } });
  const caller = await TestProcess.client(`ipv4:${address}`, settings, log);
  stack.push(caller);
  const told = (text: string) => lines.filter(({ msg }) => msg === text);
  return { caller, warnings: () => told('a service cannot be reached'), mendings: () => told('a service can be reached again') };
}

describe('mutual TLS between services', () => {
  it('lets those talk whose certificates one authority has signed', async () => {
    const server = await mounted(await ours.issue('server'), ours, 'server');
    const { caller } = await pair(server, await mounted(await ours.issue('client'), ours, 'client'));
    expect(await caller.read()).toBe(1);
  });

  it('knows servers by one name for all of them, where that is configured', async () => {
    const shared = await mounted(await ours.issue('shared', { hosts: ['DNS:parlance.internal'] }), ours, 'shared');
    const { caller } = await pair(shared, { ...shared, GRPC_TLS_SERVER_NAME: 'parlance.internal' });
    expect(await caller.read()).toBe(1);
  });

  it('takes a certificate for server auth alone, as the media decoder has it, from a server and not from a caller', async () => {
    const ofService = await mounted(await ours.issue('service'), ours, 'service');
    const ofDecoder = await mounted(await ours.issue('decoder', { usage: 'serverAuth' }), ours, 'decoder');
    const { caller: service } = await pair(ofDecoder, ofService);
    expect(await service.read()).toBe(1);
    const { caller: decoder } = await pair(ofService, ofDecoder);
    await expect(decoder.read()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('leaves unix sockets, which are their owner’s alone, as they are', async () => {
    const replica = await TestProcess.replica({ number: 1, env: await mounted(await ours.issue('server', { hosts: ['DNS:elsewhere.example'] }), ours, 'server') });
    stack.push(replica);
    expect(await replica.read()).toBe(1);
  });

  it.each<[string, () => Promise<[TestCertificate | undefined, TestAuthority]>, RegExp]>([
    ['who shows no certificate and speaks in plain', async () => [undefined, ours], /No connection established|Connection dropped|ECONNRESET|socket hang up/],
    ['whose certificate somebody else has signed', async () => [await theirs.issue('stranger'), theirs], /self.signed|unable to (get|verify)|certificate/i],
  ])('refuses a caller %s', async (_who, make, reason) => {
    const server = await mounted(await ours.issue('server'), ours, 'server');
    const [certificate, authority] = await make();
    const { caller, warnings } = await pair(server, certificate ? await mounted(certificate, authority, 'stranger') : {});
    await expect(caller.read()).rejects.toMatchObject({ kind: 'unavailable', message: expect.not.stringMatching(/certificate|127\.0\.0\.1/) });
    await expect(caller.read()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(warnings()).toEqual([expect.objectContaining({ calling: 'transcription', reason: expect.stringMatching(reason) })]);
  });

  it('refuses a caller with the right authority but a certificate of another', async () => {
    const server = await mounted(await ours.issue('server'), ours, 'server');
    const stranger = await theirs.issue('stranger');
    // It trusts the server, but not the other way round.
    const chain = { ...(await mounted(stranger, theirs, 'stranger')), GRPC_TLS_CA_FILE: '', GRPC_TLS_CA: `${theirs.ca}\n${ours.ca}` };
    const { caller, warnings } = await pair(server, chain);
    await expect(caller.read()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(warnings()).toEqual([expect.objectContaining({ reason: expect.stringMatching(/No connection established/) })]);
  });

  it('refuses a server whose certificate ran out while it was running', async () => {
    const { cert, key } = await ours.issue('late', { expired: true });
    const server = new Server();
    const security = ServerCredentials.createSsl(Buffer.from(ours.ca), [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }], true);
    const port = await new Promise<number>((resolve, reject) => server.bindAsync('127.0.0.1:0', security, (error, bound) => (error ? reject(error) : resolve(bound))));
    const { caller, warnings } = await client(`127.0.0.1:${port}`, await mounted(await ours.issue('client'), ours, 'client'));
    await expect(caller.read()).rejects.toMatchObject({ kind: 'unavailable' });
    server.forceShutdown();
    expect(warnings()).toEqual([expect.objectContaining({ reason: expect.stringMatching(/certificate has expired/) })]);
  });

  it('refuses a server of another name', async () => {
    const server = await mounted(await ours.issue('elsewhere', { hosts: ['DNS:elsewhere.example'] }), ours, 'elsewhere');
    const { caller, warnings } = await pair(server, await mounted(await ours.issue('client'), ours, 'client'));
    await expect(caller.read()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(warnings()).toEqual([expect.objectContaining({ reason: expect.stringMatching(/altnames|does not match/i) })]);
  });

  it('does not start with a certificate whose time is over, and says so in one line', async () => {
    const late = await mounted(await ours.issue('late', { expired: true }), ours, 'late');
    await expect(TestProcess.client('ipv4:127.0.0.1:1', late)).rejects.toThrow(/^GRPC_TLS_CERT: expired on 2020-02-01T00:00:00\.000Z \(CN=late\)$/);
  });

  it('tells once that a service is away, and once that it is there again', async () => {
    const [listen = ''] = await reserveAddresses(1);
    const { caller, warnings, mendings } = await client(listen, {});
    for (let nth = 0; nth < 3; nth += 1) await expect(caller.read()).rejects.toMatchObject({ kind: 'unavailable' });
    stack.push(await TestProcess.replica({ number: 1, listen }));
    await eventually('an answer', () => caller.read().then((number) => number === 1, () => false));
    expect([warnings().length, mendings().length]).toEqual([1, 1]);
  });
});
