import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, describe } from '@jest/globals';
import { reserveAddresses } from '@parlance/platform/contract';

// gRPC then asks the name server that the target names; it reads this when it is loaded.
process.env.GRPC_NODE_USE_ALTERNATIVE_RESOLVER = 'true';
const { eventually, TestProcess } = await import('@parlance/testing/grpc-replica');

const stack: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const started of stack.splice(0).toReversed()) await started.close();
});
const keep = <T extends { close(): Promise<unknown> }>(started: T): T => {
  stack.push(started);
  return started;
};

/** A name server that knows one thing: the addresses of a headless service. RFC 1035. */
class NameServer {
  private constructor(
    readonly address: string,
    public hosts: string[],
    readonly close: () => Promise<unknown>,
  ) {}

  static async start(hosts: string[]): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address() as AddressInfo;
    const server = new NameServer(`127.0.0.1:${port}`, hosts, () => once(socket.close(), 'close'));
    socket.on('message', (query, { port: from, address }) => socket.send(server.answer(query), from, address));
    return server;
  }

  private answer(query: Buffer): Buffer {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const isIPv4 = question.readUInt16BE(question.length - 4) === 1;
    const hosts = isIPv4 ? this.hosts : [];
    const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, hosts.length, 0, 0, 0, 0]);
    // A pointer to the name, type A, class IN, no time to live, four bytes.
    const records = hosts.map((host) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...host.split('.').map(Number)]));
    return Buffer.concat([header, question, ...records]);
  }
}

/** Replicas of one headless service: one port, an address each. */
async function headless(known: string[], env: Record<string, string> = {}) {
  const [address = ''] = await reserveAddresses(1);
  const port = address.split(':')[1]!;
  const names = keep(await NameServer.start(known));
  const start = async (number: number) => keep(await TestProcess.replica({ number, listen: `127.0.0.${number}:${port}`, env }));
  return { names, start, target: `dns://${names.address}/transcription:${port}` };
}

describe('a client of a headless service', () => {
  it('finds the replica that took the place of one that went', async () => {
    const { names, start, target } = await headless(['127.0.0.1']);
    const first = await start(1);
    const client = keep(await TestProcess.client(target));
    expect(await client.read()).toBe(1);
    await start(2);
    names.hosts = ['127.0.0.2'];
    await first.close();
    await eventually('an answer of the new one', () => client.read().then((number) => number === 2, () => false));
  });

  it('finds one that came, as connections end at their age, and no call fails by that', async () => {
    const { names, start, target } = await headless(['127.0.0.1'], { GRPC_CONNECTION_AGE_SECONDS: '1' });
    await start(1);
    const client = keep(await TestProcess.client(target));
    expect(await client.write()).toBe(1);
    await start(2);
    names.hosts = ['127.0.0.1', '127.0.0.2'];
    const seen = new Set<number>();
    await eventually('answers of both', async () => seen.add(await client.write()).size === 2);
  });
});
