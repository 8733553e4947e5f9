import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Module, type INestApplication, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { events, health, transcription, type TranscriptService } from '@parlance/contracts';
import { openEventBus, type Consumer } from '@parlance/event-bus';
import { AppError, ConfigError, createLogger, silentLogger, systemClock } from '@parlance/platform';
import { reservePort } from '@parlance/platform/contract';
import { runProcess, type RunningProcess } from './run-process.js';
import { takeCleanStop } from './clean-stop.js';
import { grpcPort } from './services/grpc-port.js';
import { serve } from './services/implementation.js';
import type { HttpServerDefinition, ServiceManifest } from './service-manifest.js';

const jobEvent = events.JobEvent.fromPartial({ jobId: 'job_1', accountId: 'acc_1' });

const refusal = { kind: 'conflict', code: 'invalid_state', message: 'Not now.', retryAfter: 3 } as const;

/** One method each for a refusal, a defect, and a refusal in place of a stream. */
@Controller()
class FailingController implements Pick<TranscriptService, 'getEngine' | 'listChunkSegments' | 'getTranscript'> {
  async getEngine(): Promise<never> {
    throw new AppError(refusal);
  }

  listChunkSegments(): never {
    throw new TypeError('connect ECONNREFUSED 10.0.0.7');
  }

  // oxlint-disable-next-line require-yield
  async *getTranscript(): AsyncGenerator<never> {
    throw new AppError(refusal);
  }
}

@Module({})
class FailingModule {}

const http: HttpServerDefinition<Record<string, never>> = {
  adapter: () => new FastifyAdapter(),
  listen: async (app: INestApplication) => {
    await app.listen(0, '127.0.0.1');
    return { url: await app.getUrl(), close: () => app.getHttpAdapter().close() };
  },
};

const manifest: ServiceManifest<Record<string, never>> = {
  name: 'transcription',
  config: {},
  module: () => ({ module: FailingModule, controllers: [FailingController] }),
  serves: (app) => [serve(transcription.TranscriptServiceDefinition, app.get<TranscriptService>(FailingController))],
  consumers: () => [],
};

/** Remembers that it was begun and ended with its module. */
class Begun implements OnApplicationBootstrap, OnModuleDestroy {
  readonly seen: string[] = [];

  onApplicationBootstrap(): void {
    this.seen.push('begun');
  }

  onModuleDestroy(): void {
    this.seen.push('ended');
  }
}

describe('a process', () => {
  let folder: string;
  let lines: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-process-'));
    lines = [];
  });
  afterEach(() => rm(folder, { recursive: true }));

  const start = (service: ServiceManifest<Record<string, never>>, env: Record<string, string> = {}) => {
    const destination = { write: (line: string) => void lines.push(line) };
    return runProcess([service], { env: { PARLANCE_DATA: folder, KEY_PROVIDER: 'none', ...env }, log: createLogger({ level: 'warn', destination }) });
  };

  it.each([
    ['of gRPC alone', manifest],
    ['with a public HTTP server beside it', { ...manifest, http }],
  ])('%s maps every error of its gRPC handlers, and starts without a warning', async (_, service) => {
    const running = await start(service);
    try {
      expect(lines).toEqual([]);
      const transcripts = running.connect('transcription', transcription.TranscriptServiceDefinition);
      await expect(transcripts.getEngine({})).rejects.toMatchObject(refusal);

      const failed = transcripts.listChunkSegments({ accountId: 'a', jobId: 'j', fromChunk: 0 });
      await expect(failed).rejects.toMatchObject({ kind: 'internal', code: 'internal', message: expect.not.stringContaining('10.0.0.7') });
      expect(lines.join('')).toContain('ECONNREFUSED 10.0.0.7');

      expect(await healthOf(folder, 'parlance.transcription.v1.TranscriptService')).toEqual({ status: 'SERVING' });

      const pages = transcripts.getTranscript({ accountId: 'a', jobId: 'j', includeWords: false });
      await expect(pages.next()).rejects.toMatchObject(refusal);
    } finally {
      await running.close();
    }
  });

  it('that finds the storage full does not start, and says so in one line', async () => {
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    const noRoom = { ...manifest, module: () => { throw full; } };
    await expect(start(noRoom)).rejects.toThrow(new ConfigError([`The storage is full (PARLANCE_DATA is ${folder}): free some space and start again.`]));
  });

  it('stops taking requests and events together: each would otherwise wait for the other within one grace', async () => {
    let handling: () => void = () => {};
    let draining: () => void = () => {};
    const isHandling = new Promise<void>((resolve) => (handling = resolve));
    const isDraining = new Promise<void>((resolve) => (draining = resolve));
    const consumer: Consumer = {
      group: 'transcription',
      topic: 'parlance.jobs.v1',
      handlers: {
        'job.deleted': async (delivery) => {
          delivery.draining.addEventListener('abort', draining);
          handling();
          await isDraining;
        },
      },
    };
    const listen = async () => ({ url: 'http://127.0.0.1', close: () => isDraining });
    const running = await start({ ...manifest, consumers: () => [consumer], http: { ...http, listen } });
    const bus = await openEventBus(`sqlite:${join(folder, 'events.db')}`, { clock: systemClock, log: silentLogger() });
    await bus.publish([{ id: 'evt_1', type: 'job.deleted', source: 'test', time: systemClock.now().toISOString(), key: 'job_1', data: jobEvent }]);
    await isHandling;
    await running.close();
    await bus.close();
    expect(lines).toEqual([]);
  });

  it('answers for its health before it consumes, so that a slow broker does not look like a dead process', async () => {
    const port = await reservePort();
    let connected = '';
    const consumers = () => {
      // From outside and at once: the connection is the kernel's to take.
      connected = execFileSync(process.execPath, ['-e', `require('net').connect(${port}, '127.0.0.1', () => process.exit(console.log('yes'))).on('error', () => {})`]).toString();
      return [];
    };
    await (await start({ ...manifest, consumers }, { HEALTH_PORT: String(port), HEALTH_HOST: '127.0.0.1' })).close();
    expect(connected).toBe('yes\n');
  });

  it('is not ready before its preparation is done, and can be called by it', async () => {
    const statuses: string[] = [];
    const prepare = async (started: RunningProcess) => {
      statuses.push((await started.health()).status);
      statuses.push((await healthOf(folder, '')).status);
    };
    const running = await runProcess([manifest], { env: { PARLANCE_DATA: folder }, log: silentLogger(), prepare });
    statuses.push((await running.health()).status);
    await running.close();
    expect(statuses).toEqual(['unavailable', 'NOT_SERVING', 'ok']);
  });

  it('whose settings contradict each other starts nothing', async () => {
    const wrong = { ...manifest, configProblems: () => ['SMTP_URL: required with SIGNUP=verified'] };
    await expect(start(wrong, { PARLANCE_DATA: join(folder, 'data') })).rejects.toEqual(new ConfigError(['SMTP_URL: required with SIGNUP=verified']));
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it.each([
    ['of gRPC alone', {}, ['begun', 'ended']],
    ['with a public HTTP server beside it', { http }, ['ended']],
  ])('%s ends what its modules have begun when its port is taken', async (_, more, expected) => {
    const begun = new Begun();
    await using taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const module = () => ({ module: FailingModule, controllers: [FailingController], providers: [{ provide: Begun, useValue: begun }] });
    const listening = { GRPC_LISTEN: `127.0.0.1:${port}`, TRANSCRIPTION_GRPC_URL: `127.0.0.1:${port}` };
    await expect(start({ ...manifest, ...more, module }, listening)).rejects.toThrow('EADDRINUSE');
    expect(begun.seen).toEqual(expected);
  });

  it.each([true, false])('looks after the media store when one of its services uses it: %s', async (usesMedia) => {
    const running = await start({ ...manifest, usesMedia });
    const { checks } = await running.health();
    await running.close();
    expect('media_store' in checks).toBe(usesMedia);
  });

  it('marks its stop as clean only when all of it could be closed', async () => {
    const stuck = async (app: INestApplication) => ({ ...(await http.listen(app, {} as never)), close: () => Promise.reject(new Error('stuck')) });
    const stop = async (service: typeof manifest) => (await start(service)).close();
    await stop(manifest);
    expect(await takeCleanStop(folder)).toBe(true);
    await stop({ ...manifest, http: { ...http, listen: stuck } });
    expect(await takeCleanStop(folder)).toBe(false);
  });
});

/** What the gRPC server says of its service, as another process sees it. */
async function healthOf(folder: string, service: string): Promise<health.HealthCheckResponse> {
  const client = new Client(`unix:${join(folder, 'run', 'transcription.sock')}`, credentials.createInsecure());
  try {
    return await grpcPort(health.HealthDefinition, client).check({ service });
  } finally {
    client.close();
  }
}
