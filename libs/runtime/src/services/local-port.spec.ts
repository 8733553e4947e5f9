import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { decoding, diarization, live, transcription } from '@parlance/contracts';
import { createMetrics, silentLogger } from '@parlance/platform';
import { describeServicePortContract } from '../contract/service-port-contract.js';
import { CallMetrics } from '../metrics/call-metrics.js';
import { LocalService } from './local-port.js';
import { serve } from './implementation.js';
import { ServedService } from './served-service.js';

describeServicePortContract('the local adapter', async (services) => {
  const local = new LocalService();
  for (const service of services) local.serve(service);
  return {
    transcripts: local.port(transcription.TranscriptServiceDefinition),
    decoder: local.port(decoding.MediaDecoderServiceDefinition),
    drain: (graceMs) => local.drain(graceMs),
    close: async () => undefined,
  };
});

it('a local call lets timers have their turn, however often it is made', async () => {
  const local = new LocalService();
  const diarizer = serve(diarization.DiarizationServiceDefinition, { getEngine: async () => ({ engine: undefined }) });
  local.serve(new ServedService(diarizer, { service: 'diarization', metrics: new CallMetrics(createMetrics()), log: silentLogger() }));
  const port = local.port(diarization.DiarizationServiceDefinition);
  const timer = { fired: false };
  setTimeout(() => (timer.fired = true));
  for (let calls = 0; !timer.fired && calls < 1_000_000; calls += 1) await port.getEngine({});
  expect(timer.fired).toBe(true);
});

it('a service that has not started is unavailable', async () => {
  const port = new LocalService().port(diarization.DiarizationServiceDefinition);
  await expect(port.getEngine({})).rejects.toMatchObject({ kind: 'unavailable', retryable: true });
});

it('a stream keeps no message that its caller has taken', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  const sent: WeakRef<object>[] = [];
  const local = new LocalService();
  const service = serve(live.LiveServiceDefinition, {
    getLiveEngine: async () => ({ engine: '', mode: live.StreamingMode.STREAMING_MODE_NATIVE, languages: [] }),
    async *recognize() {
      for (;;) {
        const response = live.RecognizeResponse.fromPartial({ event: { $case: 'progress', value: { untilSample: 1 } } });
        sent.push(new WeakRef(response));
        yield response;
      }
    },
  });
  local.serve(new ServedService(service, { service: 'transcription', metrics: new CallMetrics(createMetrics()), log: silentLogger() }));
  for await (const _ of local.port(live.LiveServiceDefinition).recognize(nothing())) {
    await nextTurn();
    if (sent.length < 100) continue;
    // While the call runs: at its end nothing is kept anyway. Once, because a collection takes a second beside other suites.
    collect();
    expect(sent.slice(0, 90).filter((each) => each.deref())).toEqual([]);
    break;
  }
  expect(sent.length).toBeGreaterThanOrEqual(100);
});

async function* nothing(): AsyncGenerator<live.RecognizeRequest> {}
