import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../logging/logger.js';
import { currentTraceparent, continueTrace, inService, inSpan, inTrace, startSpan, traceFields } from './span.js';
import { parseTraceparent } from './trace-context.js';

const STORED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const OTHER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const traceOf = (traceparent: string | undefined) => parseTraceparent(traceparent)?.traceId;

describe('a span', () => {
  it('is what the work in it, whatever it waits for, belongs to', async () => {
    await inSpan('outer', {}, async (outer) => {
      await sleep(1);
      expect(currentTraceparent()).toBe(outer.traceparent);
      await inSpan('inner', {}, async (inner) => {
        expect(traceOf(inner.traceparent)).toBe(traceOf(outer.traceparent));
        expect(currentTraceparent()).toBe(inner.traceparent);
      });
      expect(currentTraceparent()).toBe(outer.traceparent);
    });
    expect(currentTraceparent()).toBeUndefined();
  });

  it('goes on with what was stored, or begins a trace', () => {
    expect(traceOf(startSpan('later', { parent: STORED }).traceparent)).toBe(traceOf(STORED));
    inTrace(STORED, () => expect(traceOf(startSpan('else', { parent: 'none' }).traceparent)).not.toBe(traceOf(STORED)));
  });

  it('throws what its work throws', async () => {
    await expect(inSpan('failing', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('work set off by another job', () => {
  it('goes on with the trace of its own', () => {
    inTrace(OTHER, () => expect(continueTrace(STORED)).toBe(STORED));
  });

  it('goes on where its own trace is now', () => {
    inTrace(STORED, () => {
      const span = startSpan('now');
      span.run(() => expect(continueTrace(STORED)).toBe(span.traceparent));
    });
  });

  it('goes on with what there is, when none was stored', () => {
    inTrace(OTHER, () => expect(continueTrace(undefined)).toBe(OTHER));
    expect(continueTrace(undefined)).toBeUndefined();
  });
});

describe('log lines', () => {
  it('say which trace and span they belong to', () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
    inTrace(STORED, () => log.info({ job_id: 'job_1' }, 'within'));
    log.info('without');
    const [within, without] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(within).toMatchObject({ job_id: 'job_1', trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' });
    expect(without).not.toHaveProperty('trace_id');
  });

  it('of what a service starts belong to no trace', () => {
    inTrace(STORED, () => inService('ingest', () => expect(traceFields()).toEqual({})));
  });
});
