import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { decoding, diarization, gateway, ingest, search, summary, transcription, webhook } from '@parlance/contracts';
import { describeServicePortContract } from '../contract/service-port-contract.js';
import { clientTrace } from '../grpc/client-trace.js';
import { drainServer } from '../grpc/grpc-transport.js';
import { repeatable } from '../grpc/grpc-channel-options.js';
import { grpcPort } from './grpc-port.js';
import { addToServer } from './grpc-service.js';

describeServicePortContract('gRPC', async (services) => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-port-'));
  const address = `unix:${join(folder, 's')}`;
  const server = new Server();
  for (const service of services) addToServer(server, service);
  await new Promise<void>((resolve, reject) => server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve())));
  const client = new Client(address, credentials.createInsecure(), { interceptors: [clientTrace()] });
  return {
    transcripts: grpcPort(transcription.TranscriptServiceDefinition, client),
    decoder: grpcPort(decoding.MediaDecoderServiceDefinition, client),
    drain: (graceMs) => drainServer(server, graceMs),
    close: async () => {
      client.close();
      server.forceShutdown();
      await rm(folder, { recursive: true });
    },
  };
});

describe('the methods that are repeated when their answer was lost', () => {
  const SERVICES = [
    gateway.AccountServiceDefinition,
    diarization.DiarizationServiceDefinition,
    ingest.JobServiceDefinition,
    search.SearchServiceDefinition,
    summary.SummaryServiceDefinition,
    transcription.TranscriptServiceDefinition,
    webhook.WebhookServiceDefinition,
  ];

  it('are those that only read, as their names say', () => {
    const reads = SERVICES.flatMap(({ fullName, methods }) => Object.values(methods).map(({ name }) => `${fullName}/${name}`)).filter((name) => /\/(Get|List|Count|Read|Render|Check|Search|Find)\w*$/.test(name));
    const marked = SERVICES.flatMap((definition) => repeatable(definition)).map(({ service, method }) => `${service}/${method}`);
    expect(marked.toSorted()).toEqual(reads.toSorted());
  });
});
