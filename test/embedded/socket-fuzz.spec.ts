import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ParlanceProcess, residentBytes } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';
import type { WebSocket } from 'ws';
import { LoopProbe } from './request-fuzz/loop-probe.js';
import { machineSlowness } from './request-fuzz/machine-slowness.js';
import { floods, type Flood } from './socket-fuzz/floods.js';
import { PROTOCOLS, type Protocol } from './socket-fuzz/protocols.js';

/** Milliseconds of processor time for which a flood may hold the event loop; where the machine is slower at that moment, as many times more. */
const LIMIT_MS = 50;
/** The least of so many tries counts: a collection of garbage or a checkpoint may fall into one. */
const TRIES = 4;
const MEGABYTE = 1024 * 1024;
/** `.ci/full` sends 64 MB of each kind, `npm test` a megabyte. */
const SENT_BYTES = (process.env.RANDOM_CASES === 'all' ? 64 : 1) * MEGABYTE;
/** A connection that the server reads slowly takes no more than it takes in this time. */
const MAX_SENDING_MS = 2000;
const READING_MS = 300;
const MAX_GROWTH_BYTES = 100 * MEGABYTE;
/** Half a second of silence. */
const AUDIO = Buffer.alloc(16_000);

/** What a time over the limit would be on the machine for which the limit was chosen. */
const comparable = (ms: number): number => (ms > LIMIT_MS ? ms / machineSlowness() : ms);

/** Sends so many bytes, or what the server takes until it closes the connection or the time is over. */
async function send(socket: WebSocket, { bytes, isUnread = false }: Flood): Promise<void> {
  const connection = Reflect.get(socket, '_socket') as Socket;
  if (isUnread) socket.pause();
  const end = performance.now() + MAX_SENDING_MS;
  for (let sent = 0; sent < SENT_BYTES && socket.readyState === socket.OPEN && performance.now() < end; sent += bytes.byteLength) {
    if (!connection.write(bytes)) await Promise.race([once(connection, 'drain'), once(socket, 'close'), pause(end - performance.now())]);
  }
  // The server reads what lies in the buffers of the system, unless it has closed the connection.
  if (socket.readyState === socket.OPEN) await Promise.race([once(socket, 'close'), pause(READING_MS)]);
}

describe.each(PROTOCOLS.map((protocol) => [protocol.name, protocol] as const))('the %s socket', (_name, protocol: Protocol) => {
  const opened = new AsyncDisposableStack();
  const probe = new LoopProbe();
  let parlance: ParlanceProcess;
  beforeAll(async () => {
    parlance = opened.use(await ParlanceProcess.start({ env: { ...probe.env, SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'error', LIVE_SESSIONS_PER_ACCOUNT: '1000' } }));
  });
  afterAll(() => opened.disposeAsync());

  async function flooded(flood: Flood, isAfterAudio: boolean): Promise<number> {
    const socket = await protocol.open(parlance.api);
    socket.on('error', () => {});
    await once(socket, 'open');
    if (isAfterAudio) protocol.sendAudio(socket, AUDIO);
    await probe.measure();
    await send(socket, flood);
    const { longestMs } = await probe.measure();
    socket.terminate();
    return comparable(longestMs);
  }

  it.each(floods(protocol.answered).flatMap((flood) => [['before', flood] as const, ['after', flood] as const]).map(([when, flood]) => [flood.name, when, flood] as const))(
    `holds the event loop for ${LIMIT_MS} ms at most, and little memory: %s, %s its first audio`,
    async (_flood, when, flood) => {
      const before = await residentBytes(parlance.gatewayPid);
      const held: number[] = [];
      do held.push(await flooded(flood, when === 'after'));
      while (Math.min(...held) >= LIMIT_MS && held.length < TRIES);
      const grown = (await residentBytes(parlance.gatewayPid)) - before;
      expect(Math.min(...held)).toBeLessThan(LIMIT_MS);
      expect(grown).toBeLessThan(MAX_GROWTH_BYTES);
    },
  );

  it('leaves other sessions alone, whose finals come as ever', async () => {
    const { url, token } = (await (await parlance.api.post('/live', { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } })).json()) as { url: string; token: string };
    const client = await LiveClient.connect(url, token);
    const attacks = floods(protocol.answered).map((flood) => flooded(flood, true));
    client.send(Buffer.alloc(64_000));
    client.say({ type: 'finish' });
    await Promise.all([client.next('finished'), ...attacks]);
    expect(await client.closed).toMatchObject({ code: 1000 });
  });
});
