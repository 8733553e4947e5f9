import { Client } from '@grpc/grpc-js';
import { decoding } from '@parlance/contracts';
import { systemClock, type Logger } from '@parlance/platform';
import type { GrpcConfig, UrlConfig } from '@parlance/runtime';
import { clientChannelOptions, clientTrace, connectionLog, grpcPort, grpcSecurity, portUrls, sendToken } from '@parlance/runtime/process';
import { LOCAL_DECODER, type IngestConfig } from '../../ingest.config.js';
import { createGrpcMediaDecoder, createLocalMediaDecoder, createMediaSandbox, sandboxTimes, type IsolationLevel, type MediaDecoder } from '../index.js';
import { MEDIA_DECODER } from './media-decoder-name.js';

export interface OpenedMediaDecoder {
  decoder: MediaDecoder;
  /** Isolation in this process; undefined where another one decodes. */
  level: IsolationLevel | undefined;
  close(): void;
}

interface OpenMediaDecoderOptions {
  config: IngestConfig & GrpcConfig & UrlConfig;
  scratchFolder: string;
  log: Logger;
}

/** The decoder that MEDIA_DECODER_URL names. @throws ConfigError when isolation is required and does not hold. */
export function openMediaDecoder({ config, scratchFolder, log }: OpenMediaDecoderOptions): OpenedMediaDecoder {
  if (config.MEDIA_DECODER_URL === LOCAL_DECODER) {
    const sandbox = createMediaSandbox({ scratchFolder, privatePaths: privatePaths(config), log, mode: config.MEDIA_SANDBOX, limits: sandboxTimes(config.DECODE_TIMEOUT_MINUTES) });
    return { decoder: createLocalMediaDecoder(sandbox), level: sandbox.level, close: () => {} };
  }
  const client = new Client(config.MEDIA_DECODER_URL, grpcSecurity(config, systemClock.now()).client(config.MEDIA_DECODER_URL), {
    ...clientChannelOptions(config, decoding.MediaDecoderServiceDefinition),
    interceptors: [sendToken(config.MEDIA_DECODER_TOKEN ?? ''), clientTrace(), connectionLog(MEDIA_DECODER, log)],
  });
  return { decoder: createGrpcMediaDecoder(grpcPort(decoding.MediaDecoderServiceDefinition, client)), level: undefined, close: () => client.close() };
}

/** The data folder, and what the settings keep in files elsewhere. */
function privatePaths(config: OpenMediaDecoderOptions['config']): string[] {
  const { bus, tasks, documents, media, search } = portUrls(config);
  const files = [bus, tasks, documents, media, search].flatMap((url) => /^(?:sqlite|file):(.+)$/.exec(url)?.[1] ?? []);
  return [config.PARLANCE_DATA, ...files, ...(config.ERASURE_LOG === undefined ? [] : [config.ERASURE_LOG])];
}
