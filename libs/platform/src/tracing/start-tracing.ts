import type { Logger } from '../logging/logger.js';
import { recordSpansWith } from './span-recorder.js';
import { tracesEndpoint, type TracingConfig } from './tracing-config.js';

/** Keeps this process's spans from now on, when a collector is configured. @returns a function that sends the remaining spans and stops */
export async function startTracing(config: TracingConfig, log: Logger): Promise<() => Promise<void>> {
  const endpoint = tracesEndpoint(config);
  if (endpoint === undefined) return async () => {};
  // Loaded only when it is used: the SDK takes memory and time.
  const { OtlpSpanRecorder } = await import('./otlp/otlp-span-recorder.js');
  const recorder = await OtlpSpanRecorder.open(endpoint, config, log);
  const stop = recordSpansWith(recorder);
  return async () => {
    stop();
    await recorder.close();
  };
}
