import { describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '../service-manifest.js';
import { grpcTarget, socketFolder } from './grpc-addresses.js';

describe('the address of a service', () => {
  it('is a socket in the data folder unless configured', () => {
    expect(grpcTarget('ingest', {}, '/srv/data')).toBe('unix:/srv/data/run/ingest.sock');
    const config = { WEBHOOK_DISPATCHER_GRPC_URL: 'dns:///webhook-dispatcher:50051' };
    expect(grpcTarget('webhook-dispatcher', config, '/srv/data')).toBe('dns:///webhook-dispatcher:50051');
  });

  it('fits into a socket address, however deep the data folder lies, and differs between folders', () => {
    const deep = (name: string) => socketFolder(`/${'long-folder-name/'.repeat(10)}${name}`);
    for (const service of SERVICE_NAMES) expect(`${deep('a')}/${service}.sock`.length).toBeLessThanOrEqual(103);
    expect(deep('a')).not.toBe(deep('b'));
    expect(deep('a')).toBe(deep('a'));
  });
});
