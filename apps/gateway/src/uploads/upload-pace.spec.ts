import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readConfig } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { gatewayConfig, uploadLimits } from '../gateway.config.js';
import { uploadTimeMs, watchUpload } from './upload-pace.js';

const HOUR = 3_600_000;

describe('the pace of an upload', () => {
  const server = createServer();
  let socket: Socket;
  let request: IncomingMessage;
  beforeEach(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n');
    [request] = (await once(server, 'request')) as [IncomingMessage];
    request.on('error', () => {});
  });
  afterEach(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  const trickle = () => {
    // The one of this test: the variable is the next one's before this one has closed.
    const slow = socket;
    const timer = setInterval(() => slow.write('x'), 5);
    slow.once('close', () => clearInterval(timer));
  };

  it('is too slow on the whole, however steadily it comes', async () => {
    request.resume();
    trickle();
    const { signal } = watchUpload(request, { startMs: 100, minBytesPerSecond: 1e9, stallMs: HOUR }, 1e9);
    await eventually('the end', () => signal.aborted);
    expect(signal.reason).toMatchObject({ code: 'request_timeout', retryable: true, message: expect.stringContaining('exceeded its time limit') });
  });

  describe('as it is looked at now and then', () => {
    const pace = { startMs: HOUR, minBytesPerSecond: 1, stallMs: 30_000 };
    // The sockets are real: only what the watch itself goes by is not.
    beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout', 'Date'] }));
    afterEach(() => void jest.useRealTimers());

    it('is none when it stands still', () => {
      request.resume();
      const { signal } = watchUpload(request, pace, 1e9);
      jest.advanceTimersByTime(pace.stallMs);
      expect(signal.aborted).toBe(false);
      jest.advanceTimersByTime(pace.stallMs);
      expect(signal.reason).toMatchObject({ code: 'request_timeout', message: expect.stringContaining('30 seconds') });
    });

    it('is one as long as a byte comes now and then', async () => {
      request.resume();
      const { signal, stop } = watchUpload(request, pace, 1e9);
      for (let byte = 0; byte < 5; byte += 1) {
        const { bytesRead } = request.socket;
        socket.write('x');
        await eventually('the byte', () => request.socket.bytesRead > bytesRead);
        jest.advanceTimersByTime(pace.stallMs);
      }
      expect(signal.aborted).toBe(false);
      stop();
    });

    it('is not the caller’s fault while it is the server that does not read', async () => {
      const { signal, stop } = watchUpload(request, pace, 1e9);
      socket.write('x'.repeat(1000));
      await eventually('bytes to wait', () => request.readableLength > 0);
      jest.advanceTimersByTime(10 * pace.stallMs);
      expect(signal.aborted).toBe(false);
      stop();
    });
  });

  it('may be that of a slow uplink, unless the operator wants more', () => {
    const { pace } = uploadLimits(readConfig(gatewayConfig, { env: {}, readFile: () => '' }));
    const megabytes = 200_000_000;
    expect(uploadTimeMs(pace, megabytes)).toBeGreaterThan((megabytes / 60_000) * 1000);
  });

  it('gives each size its time, as far as timers go', () => {
    const pace = { startMs: 60_000, minBytesPerSecond: 100_000, stallMs: 1 };
    expect(uploadTimeMs(pace, 0)).toBe(60_000);
    expect(uploadTimeMs(pace, 10_000_000)).toBe(160_000);
    expect(uploadTimeMs({ ...pace, minBytesPerSecond: 1 }, 2 ** 50)).toBe(2 ** 31 - 1);
  });
});
