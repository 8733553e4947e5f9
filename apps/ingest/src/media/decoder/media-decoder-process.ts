import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { Server } from '@grpc/grpc-js';
import { decoding, type MediaDecoderService } from '@parlance/contracts';
import { FairPlaces } from '@parlance/event-bus';
import { ConfigError, createMetrics, Lifecycle, readConfig, systemClock, type Logger } from '@parlance/platform';
import { serve } from '@parlance/runtime';
import { addToServer, CallMetrics, drainServer, grpcSecurity, plainConnections, ProcessHealth, requireToken, scratchFolder, ServedService, serverChannelOptions, startHealthServer, type Closable, type ProcessOptions } from '@parlance/runtime/process';
import { collectDefaultMetrics } from 'prom-client';
import { mediaDecoderConfig, type MediaDecoderConfig } from './media-decoder.config.js';
import { createLocalMediaDecoder, createMediaSandbox, sandboxTimes, type MediaSandbox } from '../index.js';
import { defaultLiveDecoders } from '../live/default-decoders.js';
import { LivePlaces } from '../live/live-places.js';
import { measureIsolation } from '../isolation-metric.js';
import { MEDIA_DECODER } from './media-decoder-name.js';
import { createMediaDecoderService } from './media-decoder-service.js';

export interface RunningMediaDecoder extends Closable {
  /** The port of its gRPC server. */
  port: number;
}

/** Runs in progress have this part of the grace to end; then their callers try again elsewhere. */
const RUNS_PART_OF_GRACE = 3 / 4;

/** Long enough for a probe to end; short beside DECODE_TIMEOUT_MINUTES, of which it takes away. */
const PLACE_WAIT_MS = 10_000;

/** Four times what ingest sends at once. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * A process that decodes for ingest and has nothing else: no database, no bus, no media store, no client of another service.
 * @throws ConfigError before anything is started.
 */
export async function runMediaDecoder({ env, log }: ProcessOptions): Promise<RunningMediaDecoder> {
  const config = readConfig(mediaDecoderConfig, { env, readFile: (path) => readFileSync(path, 'utf8') });
  const problems = config.REQUIRE_TLS === 'true' ? plainConnections(config, [listenAddress(config)]) : [];
  if (problems.length > 0) throw new ConfigError(problems);
  const lifecycle = new Lifecycle(log);
  try {
    const port = await start(config, lifecycle, log);
    log.info({ port }, 'ready');
    return { port, shutdownGraceMs: config.SHUTDOWN_GRACE_SECONDS * 1000, close: () => lifecycle.close() };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function start(config: MediaDecoderConfig, lifecycle: Lifecycle, log: Logger): Promise<number> {
  const metrics = createMetrics();
  collectDefaultMetrics({ register: metrics });
  const scratchFolder = await emptyScratch(config);
  const sandbox = createMediaSandbox({ scratchFolder, log, mode: config.MEDIA_SANDBOX, limits: sandboxTimes(config.DECODE_TIMEOUT_MINUTES) });
  measureIsolation(metrics, sandbox.level);
  let serving = true;
  const health = new ProcessHealth({ isStarted: () => serving, own: () => [], servers: () => [], details: () => ({ media_sandbox: sandbox.level }), metrics });
  const server = serverOf(config);
  const implementation = serve(decoding.MediaDecoderServiceDefinition, serviceOf(config, sandbox, scratchFolder));
  addToServer(server, new ServedService(implementation, { service: MEDIA_DECODER, metrics: new CallMetrics(metrics), log }));
  if (config.HEALTH_PORT !== undefined) {
    const healthServer = await startHealthServer({ host: config.HEALTH_HOST, port: config.HEALTH_PORT, metrics, health: () => health.ready(), dependencies: () => health.dependencies() });
    lifecycle.onClose('health server', () => healthServer.close());
  }
  const port = await listen(server, config);
  lifecycle.onClose('gRPC', () => drainServer(server, config.SHUTDOWN_GRACE_SECONDS * 1000 * RUNS_PART_OF_GRACE));
  lifecycle.onClose('readiness', async () => void (serving = false));
  return port;
}

/** Removes the files of an earlier process. */
async function emptyScratch(config: MediaDecoderConfig): Promise<string> {
  const folder = scratchFolder(config, MEDIA_DECODER);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function serverOf(config: MediaDecoderConfig): Server {
  return new Server({
    ...serverChannelOptions(config),
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    interceptors: [requireToken(config.MEDIA_DECODER_TOKEN, 'MEDIA_DECODER_TOKEN')],
  });
}

function serviceOf(config: MediaDecoderConfig, sandbox: MediaSandbox, scratchFolder: string): MediaDecoderService {
  return createMediaDecoderService({
    decoder: createLocalMediaDecoder(sandbox),
    scratchFolder,
    places: new FairPlaces(config.DECODE_CONCURRENCY, config.DECODE_CONCURRENCY),
    clipPlaces: new FairPlaces(config.CLIP_CONCURRENCY, config.CLIP_CONCURRENCY),
    livePlaces: new LivePlaces(config.LIVE_DECODERS ?? defaultLiveDecoders()),
    placeWaitMs: PLACE_WAIT_MS,
    maxSourceBytes: config.MEDIA_MAX_BYTES,
  });
}

const listenAddress = ({ GRPC_LISTEN }: MediaDecoderConfig): string => GRPC_LISTEN ?? '0.0.0.0:50051';

function listen(server: Server, config: MediaDecoderConfig): Promise<number> {
  const address = listenAddress(config);
  const credentials = grpcSecurity(config, systemClock.now()).server(address);
  return new Promise((done, reject) => server.bindAsync(address, credentials, (error, port) => (error ? reject(error) : done(port))));
}
