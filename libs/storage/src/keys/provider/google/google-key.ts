import { ConfigError, pause } from '@parlance/platform';
import { GoogleAuth } from 'google-auth-library';
import { z } from 'zod';
import { callJson, HttpRefusal } from '../service/json-call.js';
import { keySetting, urlOption } from '../service/key-setting.js';
import type { DecryptedKey, EncryptedKey, KeyFault, KeyOperation, ServiceKey } from '../service/service-key.js';

const ENDPOINT = 'https://cloudkms.googleapis.com';
const SCOPE = 'https://www.googleapis.com/auth/cloudkms';
const KEY = /^projects\/[^/?]+\/locations\/[^/?]+\/keyRings\/[^/?]+\/cryptoKeys\/[^/?]+$/;
/** Milliseconds between looks at a new version that is not ready yet, as on an HSM. */
const READY_MS = 500;

const encrypted = z.object({ name: z.string(), ciphertext: z.base64() });
const decrypted = z.object({ plaintext: z.base64() });
const cryptoKey = z.object({ primary: z.object({ name: z.string() }) });
const keyVersion = z.object({ name: z.string(), state: z.string() });

/** No credentials were found, or Google refused them. */
class NoGoogleCredentials extends Error {
  override readonly name = 'NoGoogleCredentials';
}

/** Gives the headers that authenticate a call. */
type Authorize = () => Promise<Record<string, string>>;

/**
 * A symmetric key of Google Cloud KMS, by its REST API. https://cloud.google.com/kms/docs/reference/rest
 * Google's client for KMS loads gRPC and the descriptions of all its services for five calls; the credentials are from Google's library.
 */
class GoogleKey implements ServiceKey {
  readonly scheme = 'gcp-kms';

  constructor(
    readonly name: string,
    private readonly endpoint: string,
    private readonly authorize: Authorize,
  ) {}

  async encrypt(key: Buffer, context: string, signal: AbortSignal): Promise<EncryptedKey> {
    const answer = encrypted.parse(await this.call(':encrypt', signal, { plaintext: key.toString('base64'), additionalAuthenticatedData: base64(context) }));
    return { ciphertext: answer.ciphertext, version: lastPart(answer.name) };
  }

  async decrypt({ ciphertext }: Required<EncryptedKey>, context: string, signal: AbortSignal): Promise<DecryptedKey> {
    const answer = await this.call(':decrypt', signal, { ciphertext, additionalAuthenticatedData: base64(context) });
    return { key: Buffer.from(decrypted.parse(answer).plaintext, 'base64') };
  }

  async newestVersion(signal: AbortSignal): Promise<string> {
    return lastPart(cryptoKey.parse(await this.call('', signal)).primary.name);
  }

  async rotate(signal: AbortSignal): Promise<void> {
    let made = keyVersion.parse(await this.call('/cryptoKeyVersions', signal, {}));
    const path = `/cryptoKeyVersions/${lastPart(made.name)}`;
    while (made.state === 'PENDING_GENERATION') {
      await pauseOrAbort(READY_MS, signal);
      made = keyVersion.parse(await this.call(path, signal));
    }
    await this.call(':updatePrimaryVersion', signal, { cryptoKeyVersionId: lastPart(made.name) });
  }

  faultOf(error: unknown, operation: KeyOperation): KeyFault {
    if (error instanceof NoGoogleCredentials) return 'forbidden';
    if (!(error instanceof HttpRefusal)) return 'away';
    if (error.status === 400) return operation === 'decrypt' && !error.answer.includes('FAILED_PRECONDITION') ? 'not_wrapped' : 'no_key';
    if (error.status === 401 || error.status === 403) return 'forbidden';
    if (error.status === 404) return 'no_key';
    return error.status === 429 ? 'busy' : 'away';
  }

  /** POST with a body, GET without. */
  private async call(path: string, signal: AbortSignal, body?: unknown): Promise<unknown> {
    return callJson(`${this.endpoint}/v1/${this.name}${path}`, { method: body === undefined ? 'GET' : 'POST', headers: await this.authorize(), body, signal });
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

async function pauseOrAbort(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, signal);
  signal.throwIfAborted();
}

/** `projects/…/locations/…/keyRings/…/cryptoKeys/…?endpoint=…`, with Google's application default credentials. @throws ConfigError */
export function openGoogleKey(rest: string): GoogleKey {
  const { key, options } = keySetting('gcp-kms', rest, ['endpoint']);
  if (!KEY.test(key)) throw new ConfigError(['KEY_PROVIDER: gcp-kms: must be followed by projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>']);
  // With a project the library asks no other service for it.
  const auth = new GoogleAuth({ scopes: [SCOPE], projectId: key.split('/')[1] ?? '' });
  return new GoogleKey(key, urlOption(options, 'endpoint') ?? ENDPOINT, () => authorization(auth));
}

async function authorization(auth: GoogleAuth): Promise<Record<string, string>> {
  try {
    return Object.fromEntries((await auth.getRequestHeaders()).entries());
  } catch (error) {
    throw isAway(error) ? error : new NoGoogleCredentials('There are no application default credentials, or Google refused them.', { cause: error });
  }
}

/** The library's errors carry the answer of the token service, or the code of the system when there was none. */
function isAway(error: unknown): boolean {
  const { code, status } = error as { code?: unknown; status?: unknown };
  return (typeof status === 'number' && (status >= 500 || status === 429)) || (typeof code === 'string' && /^(ECONN|ETIMEDOUT|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EPIPE|UND_ERR_)/.test(code));
}
