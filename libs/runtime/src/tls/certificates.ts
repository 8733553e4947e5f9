import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '@parlance/platform';

const PEM_BEGIN = '-----BEGIN CERTIFICATE-----';

/** @param setting that the text comes from @throws ConfigError */
export function certificatesIn(setting: string, text: string): X509Certificate[] {
  try {
    const certificates = text.split(PEM_BEGIN).slice(1).map((block) => new X509Certificate(`${PEM_BEGIN}${block}`));
    if (certificates.length > 0) return certificates;
  } catch {
    // A block that cannot be parsed gets the same message as no block.
  }
  throw new ConfigError([`${setting}: contains no certificate in PEM`]);
}

/** @param setting that the text comes from @throws ConfigError */
export function privateKeyIn(setting: string, text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw new ConfigError([`${setting}: contains no private key in PEM, or a key with a passphrase`]);
  }
}

/**
 * The first reason why clients would refuse the server's own certificate: it is expired or not valid yet, or the key belongs to another. The validity of the
 * others in the chain do not count: clients find another path around an expired root that a newer authority still sends along.
 * @param chain the server's own first
 */
export function certificateProblem(chain: X509Certificate[], key: KeyObject, settings: { cert: string; key: string }, now: Date): string | undefined {
  const [own] = chain as [X509Certificate];
  const named = `(${subjectOf(own)})`;
  if (own.validToDate < now) return `${settings.cert}: expired on ${own.validToDate.toISOString()} ${named}`;
  if (own.validFromDate > now) return `${settings.cert}: not valid before ${own.validFromDate.toISOString()} ${named}`;
  if (!own.checkPrivateKey(key)) return `${settings.key}: not the key of ${settings.cert} ${named}`;
  return undefined;
}

/** The message of an error on one line. */
export const subjectOf = ({ subject }: X509Certificate): string => subject.replaceAll('\n', ', ');
