import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { reserveAddresses } from '@parlance/platform/contract';
import { eventually, TestProcess } from '@parlance/testing/grpc-replica';

const PROGRAM = fileURLToPath(new URL('../../../testing/dist/grpc-replica/replica-process.js', import.meta.url));

/** A replica in a process of its own. */
class KillableReplica {
  private readonly said: string[] = [];
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    createInterface({ input: child.stdout! }).on('line', (line) => this.said.push(line));
  }

  static async start(number: number, listen: string): Promise<KillableReplica> {
    // Its data is below: who is killed does not tidy up.
    const folder = await mkdtemp(join(tmpdir(), 'parlance-replica-'));
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, [PROGRAM, String(number), listen], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const replica = new KillableReplica(child, folder);
    await replica.says('ready');
    return replica;
  }

  says(line: string): Promise<unknown> {
    return eventually(`a replica to say ${line}`, () => this.said.includes(line));
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
    await rm(this.folder, { recursive: true });
  }
}

const stack: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of stack.splice(0).toReversed()) await close();
});
const keep = <T extends { close(): Promise<void> }>(started: T): T => {
  stack.push(() => started.close());
  return started;
};
const killable = async (number: number, listen: string) => {
  const replica = await KillableReplica.start(number, listen);
  stack.push(() => replica.kill());
  return replica;
};

/** Until every one of the replicas has answered: connections are made one by one, those for reads and for writes apart. */
const untilAllAnswer = async (client: TestProcess, numbers: number[]) => {
  const [readers, writers] = [new Set<number>(), new Set<number>()];
  const isComplete = (seen: Set<number>) => seen.size >= numbers.length;
  await eventually(`writes answered by ${numbers.join(', ')}`, async () => isComplete(writers.add(await client.write())));
  return eventually(`reads answered by ${numbers.join(', ')}`, async () => isComplete(readers.add(await client.read())) && [...readers].toSorted());
};

describe('two replicas behind one name', () => {
  it('get the calls in turn', async () => {
    const addresses = await reserveAddresses(2);
    for (const [index, listen] of addresses.entries()) keep(await TestProcess.replica({ number: index + 1, listen }));
    const client = keep(await TestProcess.client(`ipv4:${addresses.join(',')}`));
    await untilAllAnswer(client, [1, 2]);
    // A connection that is made again in between breaks the turn once.
    await eventually('ten reads in turn', async () => {
      const answers: number[] = [];
      for (let nth = 0; nth < 10; nth += 1) answers.push(await client.read());
      return answers.filter((number) => number === 1).length === 5;
    });
  });

  it('are one when the other is killed: no read fails, also none that was under way, and it comes back', async () => {
    const addresses = await reserveAddresses(2);
    const [first] = await Promise.all(addresses.map((listen, index) => killable(index + 1, listen)));
    const client = keep(await TestProcess.client(`ipv4:${addresses.join(',')}`));
    await untilAllAnswer(client, [1, 2]);

    // One of two calls in a row comes to each.
    const underWay = [client.read('hold 1'), client.read('hold 1')];
    await first!.says('held');
    await first!.kill();
    expect(await Promise.all(underWay)).toEqual([2, 2]);
    for (let nth = 0; nth < 20; nth += 1) expect(await client.read()).toBe(2);

    await killable(1, addresses[0]!);
    expect(await untilAllAnswer(client, [1, 2])).toEqual([1, 2]);
  });

  it('leave a write that was under way to the caller: it may have been carried out', async () => {
    const addresses = await reserveAddresses(2);
    const [first] = await Promise.all(addresses.map((listen, index) => killable(index + 1, listen)));
    const client = keep(await TestProcess.client(`ipv4:${addresses.join(',')}`));
    await untilAllAnswer(client, [1, 2]);
    const underWay = Promise.allSettled([client.write('hold 1'), client.write('hold 1')]);
    await first!.says('held');
    await first!.kill();
    const outcomes = await underWay;
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { kind: 'unavailable', retryable: true } });
  });
});

describe('a replica that is stopped', () => {
  it('finishes what runs, while new calls, writes included, go to the other', async () => {
    const addresses = await reserveAddresses(2);
    const held = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const behaviour = (subject: string) => {
      if (subject !== 'hold') return undefined;
      held.resolve();
      return end.promise;
    };
    const first = keep(await TestProcess.replica({ number: 1, listen: addresses[0]!, behaviour }));
    const client = keep(await TestProcess.client(`ipv4:${addresses.join(',')}`));
    const underWay = client.write('hold');
    await held.promise;
    keep(await TestProcess.replica({ number: 2, listen: addresses[1]! }));
    await untilAllAnswer(client, [1, 2]);

    const closed = first.close();
    await eventually('the calls to go to the other', async () => {
      const answers = [await client.write(), await client.write()];
      return answers.every((number) => number === 2);
    });
    end.resolve();
    expect(await underWay).toBe(1);
    await closed;
    for (let nth = 0; nth < 10; nth += 1) expect(await client.write()).toBe(2);
  });

  it('waits no longer than its grace', async () => {
    const [listen = ''] = await reserveAddresses(1);
    const held = Promise.withResolvers<void>();
    const behaviour = () => {
      held.resolve();
      return new Promise<void>(() => undefined);
    };
    const replica = keep(await TestProcess.replica({ number: 1, listen, behaviour, env: { SHUTDOWN_GRACE_SECONDS: '1' } }));
    const client = keep(await TestProcess.client(`ipv4:${listen}`));
    const underWay = client.write();
    const failure = expect(underWay).rejects.toMatchObject({ retryable: true });
    await held.promise;
    await replica.close();
    await failure;
  });
});

describe('a connection that dies without a word', () => {
  it('is found out by its pings, and the read on it is made again elsewhere', async () => {
    const [hidden = '', open = ''] = await reserveAddresses(2);
    const held = Promise.withResolvers<void>();
    const behaviour = (subject: string) => {
      if (subject !== 'hold') return undefined;
      held.resolve();
      return new Promise<void>(() => undefined);
    };
    keep(await TestProcess.replica({ number: 1, listen: hidden, behaviour, env: { SHUTDOWN_GRACE_SECONDS: '1' } }));
    keep(await TestProcess.replica({ number: 2, listen: open }));
    const line = keep(await CuttableLine.to(hidden));
    const client = keep(await TestProcess.client(`ipv4:${line.address},${open}`, { GRPC_KEEPALIVE_SECONDS: '1' }));
    await untilAllAnswer(client, [1, 2]);
    const underWay = [client.read('hold', { timeoutMs: 25_000 }), client.read('hold', { timeoutMs: 25_000 })];
    await held.promise;
    line.cut();
    expect(await Promise.all(underWay)).toEqual([2, 2]);
  });
});

/** A connection over which nothing comes any more once it is cut, not even its end. */
class CuttableLine {
  private readonly sockets: Socket[] = [];
  private constructor(
    readonly address: string,
    private readonly shut: () => Promise<unknown>,
  ) {}

  static async to(target: string): Promise<CuttableLine> {
    const [host, port] = target.split(':') as [string, string];
    const [address = ''] = await reserveAddresses(1);
    const server = createServer((near) => {
      const far = connect(Number(port), host);
      line.sockets.push(near, far);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      near.pipe(far).pipe(near);
    });
    server.listen(Number(address.split(':')[1]), '127.0.0.1');
    await once(server, 'listening');
    const line = new CuttableLine(address, () => once(server.close(), 'close'));
    return line;
  }

  cut(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await this.shut();
  }
}
