import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestAuthority, type TestCertificate } from './certificates.fixture.js';
import { grpcSecurity } from './grpc-tls.js';

describe('the security of calls between services', () => {
  let folder: string;
  let ours: TestAuthority;
  let theirs: TestAuthority;
  let own: TestCertificate;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-tls-'));
    [ours, theirs] = await Promise.all([TestAuthority.create(folder, 'ours'), TestAuthority.create(folder, 'theirs')]);
    own = await ours.issue('ingest');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const now = new Date();
  const settings = (changes: { cert?: string; key?: string; ca?: string } = {}) => {
    const { cert, key, ca } = { ...own, ca: ours.ca, ...changes };
    return { GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ca };
  };
  const reason = (config: Parameters<typeof grpcSecurity>[0], at = now): string => {
    try {
      grpcSecurity(config, at);
      return 'none';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('is none unless it is configured', () => {
    expect(reason({})).toBe('none');
    expect(reason(settings())).toBe('none');
  });

  it('accepts a certificate when those between it and the authority come with it', async () => {
    const between = await ours.delegate('between');
    const { cert, key } = await between.issue('ingest');
    expect(reason(settings({ cert, key }))).toBe('GRPC_TLS_CERT: not signed by GRPC_TLS_CA (CN=ingest)');
    expect(reason(settings({ cert: `${cert}\n${between.ca}`, key }))).toBe('none');
  });

  it('accepts a certificate that comes with an expired one of an authority: clients find another path', async () => {
    const { cert: old } = await theirs.issue('old-root', { expired: true });
    expect(reason(settings({ cert: `${own.cert}\n${old}` }))).toBe('none');
  });

  it.each<[string, () => Promise<string> | string, string | RegExp]>([
    ['an incomplete set', () => reason({ GRPC_TLS_CERT: own.cert }), 'GRPC_TLS_KEY, GRPC_TLS_CA: missing; mutual TLS needs GRPC_TLS_CERT, GRPC_TLS_KEY, GRPC_TLS_CA'],
    ['what is no certificate', () => reason(settings({ cert: 'secret' })), 'GRPC_TLS_CERT: contains no certificate in PEM'],
    ['a broken certificate', () => reason(settings({ ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' })), 'GRPC_TLS_CA: contains no certificate in PEM'],
    ['what is no key', () => reason(settings({ key: own.cert })), 'GRPC_TLS_KEY: contains no private key in PEM, or a key with a passphrase'],
    ["another's key", async () => reason(settings({ key: (await ours.issue('other')).key })), 'GRPC_TLS_KEY: not the key of GRPC_TLS_CERT (CN=ingest)'],
    ["another authority's certificate", () => reason(settings({ ca: theirs.ca })), 'GRPC_TLS_CERT: not signed by GRPC_TLS_CA (CN=ingest)'],
    ['an expired one', async () => reason(settings(await ours.issue('late', { expired: true }))), 'GRPC_TLS_CERT: expired on 2020-02-01T00:00:00.000Z (CN=late)'],
    ['one of tomorrow', () => reason(settings(), new Date('2019-12-31')), 'GRPC_TLS_CERT: not valid before 2020-01-01T00:00:00.000Z (CN=ingest)'],
    ['authorities of yesterday', () => reason(settings(), new Date('2098-01-01')), 'GRPC_TLS_CA: every certificate in it has expired'],
  ])('refuses %s in one line', async (_what, tried, line) => {
    expect(await tried()).toBe(line);
  });
});
