import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createMetrics } from '@parlance/platform';
import { ProcessHealth } from './process-health.js';

let away: Set<string>;
let isStarted: boolean;
let metrics: ReturnType<typeof createMetrics>;
let health: ProcessHealth;

const check = (name: string) => ({
  name,
  check: async () => {
    if (away.has(name)) throw new Error(`${name} is away`);
  },
});

beforeEach(() => {
  away = new Set();
  isStarted = true;
  metrics = createMetrics();
  health = new ProcessHealth({ isStarted: () => isStarted, own: () => [check('gateway_documents')], servers: () => [check('media_store'), check('event_bus'), check('search_index')], readsWithout: () => ['media_store', 'event_bus'], details: () => ({}), metrics });
});

afterEach(() => void jest.restoreAllMocks());

/** Since the process was made. */
const after = (seconds: number) => {
  const now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now + seconds * 1000);
};

describe('a process', () => {
  it('that starts while a server is away that reads do not need is ready after two minutes, and still says which is away', async () => {
    away.add('media_store');
    after(115);
    expect((await health.ready()).status).toBe('unavailable');
    after(6);
    expect(await health.ready()).toEqual({ status: 'ok', checks: { started: 'ok', gateway_documents: 'ok' } });
    expect(await health.dependencies()).toMatchObject({ status: 'unavailable', checks: { media_store: 'media_store is away' } });
  });

  it.each(['search_index', 'gateway_documents'])('is not ready after two minutes either without %s, which reads need', async (name) => {
    away = new Set(['media_store', name]);
    after(121);
    expect((await health.ready()).status).toBe('unavailable');
    away.delete(name);
    expect((await health.ready()).status).toBe('ok');
  });

  it('is not ready until each of its servers has answered once', async () => {
    away.add('media_store');
    expect(await health.ready()).toEqual({ status: 'unavailable', checks: { started: 'ok', gateway_documents: 'ok', media_store: 'media_store is away', event_bus: 'ok', search_index: 'ok' } });
    away.clear();
    expect((await health.ready()).status).toBe('ok');
  });

  it('is ready once each has answered, though never all at the same moment', async () => {
    away.add('media_store');
    expect((await health.ready()).status).toBe('unavailable');
    away = new Set(['event_bus']);
    expect((await health.ready()).status).toBe('ok');
  });

  it('stays ready when a server goes away afterwards, and says so among its dependencies and in the metrics', async () => {
    await health.ready();
    away.add('media_store');
    expect((await health.ready()).status).toBe('ok');
    expect(await health.dependencies()).toMatchObject({ status: 'unavailable', checks: { media_store: 'media_store is away' } });
    expect(await metrics.metrics()).toMatch(/parlance_dependency_up\{dependency="media_store"\} 0/);
    expect(await metrics.metrics()).toMatch(/parlance_dependency_up\{dependency="gateway_documents"\} 1/);
  });

  it('is not ready when its own disk cannot be used, nor while it starts or stops', async () => {
    await health.ready();
    away.add('gateway_documents');
    expect((await health.ready()).status).toBe('unavailable');
    away.clear();
    isStarted = false;
    expect(await health.ready()).toMatchObject({ status: 'unavailable', checks: { started: 'starting or stopping' } });
  });
});
