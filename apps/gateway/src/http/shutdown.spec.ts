import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { receivedEvents } from '../../test/event-stream-client.js';
import { GatewayHarness } from '../../test/gateway-harness.js';

const GRACE_SECONDS = 1;
const creation = { json: { audio_url: 'https://example.org/a.mp3' } };

describe('a gateway that stops', () => {
  it('takes no more and finishes what it has taken', async () => {
    const gateway = await GatewayHarness.start();
    const port = Number(new URL(gateway.url).port);
    const idle = connect(port, '127.0.0.1');
    idle.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(idle, 'data');

    const going = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    gateway.services.beforeCreate = () => {
      begun.resolve();
      return going.promise;
    };
    const answer = gateway.call('POST', '/transcriptions', creation);
    await begun.promise;
    const closed = gateway.process.process.close();
    try {
      if (!idle.destroyed) await once(idle, 'close');
      await eventually('new connections to be refused', () => new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() && false));
        socket.once('error', () => resolve(true));
      }));
    } finally {
      going.resolve();
    }
    expect((await answer).status).toBe(202);
    await closed;
    await gateway[Symbol.asyncDispose]();
  });

  it('answers a held request with what there is, and ends event streams', async () => {
    const gateway = await GatewayHarness.start();
    const jobId = await gateway.submit();
    const stream = receivedEvents(await gateway.fetch(`/api/v1/transcriptions/${jobId}/events`));
    const rest = (async () => {
      for await (const _ of stream);
    })();
    const held = gateway.call('GET', `/transcriptions/${jobId}?wait=60`);
    await eventually('both to wait', async () => (await (await fetch(`${gateway.url}/metrics`)).text()).includes('parlance_job_watches 2'));
    const closed = gateway.process.process.close();
    expect((await held).body).toMatchObject({ job_id: jobId, status: 'queued' });
    await rest;
    await closed;
    await gateway[Symbol.asyncDispose]();
  });

  it('cuts off after half of its grace what does not end by itself', async () => {
    const gateway = await GatewayHarness.start({ SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS) });
    const endless = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => {});
    endless.write(`POST /api/v1/transcriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 90000\r\nexpect: 100-continue\r\n\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx`);
    const [taken] = (await once(endless, 'data')) as [Buffer];
    expect(taken.toString()).toMatch(/^HTTP\/1.1 100 /);
    await gateway.call('GET', '/account');
    const begun = performance.now();
    const since = () => performance.now() - begun;
    const ends = await Promise.all([once(endless, 'close').then(since), gateway.process.process.close().then(since)]);
    // Timers may be late, and never early but for the fraction that they do not count.
    for (const end of ends) expect(end).toBeGreaterThanOrEqual(GRACE_SECONDS * 500 - 1);
    await gateway[Symbol.asyncDispose]();
  });
});
