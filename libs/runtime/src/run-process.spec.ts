import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status, type ServiceError } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Module, type INestApplication, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { events, health, transcription } from '@parlance/contracts';
import { openEventBus, type Consumer } from '@parlance/event-bus';
import { AppError, ConfigError, callStream, callUnary, createLogger, silentLogger, systemClock } from '@parlance/platform';
import { throwError } from 'rxjs';
import { runProcess } from './run-process.js';
import type { HttpServerDefinition, ServiceManifest } from './service-manifest.js';

const jobEvent = events.JobEvent.fromPartial({ jobId: 'job_1', accountId: 'acc_1' });

const refusal = { kind: 'conflict', code: 'invalid_state', message: 'Not now.', retryAfter: 3 } as const;

/** One handler each for a refusal, a defect, and a refusal in place of a stream. */
@Controller()
class FailingController {
  @GrpcMethod('TranscriptService', 'getEngine')
  async refuse(): Promise<never> {
    throw new AppError(refusal);
  }

  @GrpcMethod('TranscriptService', 'listChunkSegments')
  fail(): never {
    throw new TypeError('connect ECONNREFUSED 10.0.0.7');
  }

  @GrpcMethod('TranscriptService', 'getTranscript')
  stream() {
    return throwError(() => new AppError(refusal));
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
  grpc: { 'parlance.transcription.v1.TranscriptService': transcription.TranscriptServiceService },
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
    return runProcess([service], { env: { PARLANCE_DATA: folder, ...env }, log: createLogger({ level: 'warn', destination }) });
  };

  it.each([
    ['of gRPC alone', manifest],
    ['with a public HTTP server beside it', { ...manifest, http }],
  ])('%s maps every error of its gRPC handlers, and starts without a warning', async (_, service) => {
    const running = await start(service);
    try {
      expect(lines).toEqual([]);
      const client = running.connect('transcription', transcription.TranscriptServiceClient);
      const refused = await callUnary(client, client.getEngine, {}).catch((error: AppError) => error);
      expect(refused).toMatchObject(refusal);
      expect((refused as AppError).cause).toMatchObject({ code: status.FAILED_PRECONDITION, details: refusal.message } satisfies Partial<ServiceError>);

      const failed = await callUnary(client, client.listChunkSegments, { accountId: 'a', jobId: 'j', fromChunk: 0 }).catch((error: AppError) => error);
      expect(failed).toMatchObject({ kind: 'internal', code: 'internal', message: expect.not.stringContaining('10.0.0.7') });
      expect((failed as AppError).cause).toMatchObject({ code: status.INTERNAL });
      expect(lines.join('')).toContain('ECONNREFUSED 10.0.0.7');

      const probe = running.connect('transcription', health.HealthClient);
      expect(await callUnary(probe, probe.check, { service: 'parlance.transcription.v1.TranscriptService' })).toEqual({ status: 'SERVING' });

      const pages = callStream<transcription.GetTranscriptRequest, unknown>(client, client.getTranscript, { accountId: 'a', jobId: 'j', includeWords: false });
      await expect(pages.next()).rejects.toMatchObject(refusal);
    } finally {
      await running.close();
    }
  });

  it('that finds the storage full does not start, and says so in one line', async () => {
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    const noRoom = { ...manifest, module: () => { throw full; } };
    await expect(start(noRoom)).rejects.toThrow(new ConfigError([`The storage is full (PARLANCE_DATA is ${folder}): make room and start again.`]));
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
    const port = await freePort();
    let connected = '';
    const consumers = () => {
      // From outside and at once: the connection is the kernel's to take.
      connected = execFileSync(process.execPath, ['-e', `require('net').connect(${port}, '127.0.0.1', () => process.exit(console.log('yes'))).on('error', () => {})`]).toString();
      return [];
    };
    await (await start({ ...manifest, consumers }, { HEALTH_PORT: String(port), HEALTH_HOST: '127.0.0.1' })).close();
    expect(connected).toBe('yes\n');
  });

  it('whose settings contradict each other starts nothing', async () => {
    const wrong = { ...manifest, configProblems: () => ['SMTP_URL: is needed with SIGNUP=verified'] };
    await expect(start(wrong, { PARLANCE_DATA: join(folder, 'data') })).rejects.toEqual(new ConfigError(['SMTP_URL: is needed with SIGNUP=verified']));
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
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
