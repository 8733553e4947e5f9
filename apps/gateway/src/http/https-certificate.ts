import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { SecureContextOptions, Server } from 'node:tls';
import { ConfigError, type Clock, type Logger } from '@parlance/platform';
import { certificateProblem, certificatesIn, privateKeyIn } from '@parlance/runtime';

interface HttpsFiles {
  HTTPS_CERT_FILE?: string | undefined;
  HTTPS_KEY_FILE?: string | undefined;
}

interface Pem {
  cert: string;
  key: string;
}

const RENEWAL_CHECK_MS = 10_000;
const SETTINGS = { cert: 'HTTPS_CERT_FILE', key: 'HTTPS_KEY_FILE' };

/** The certificate of the public HTTP server, in two files that may be renewed while it runs. */
export class HttpsCertificate {
  private loggedProblem: string | undefined;

  private constructor(
    private readonly files: Pem,
    /** In use. */
    private pem: Pem,
    private readonly clock: Clock,
  ) {}

  /** @returns undefined when none is configured @throws ConfigError when it cannot be used */
  static from({ HTTPS_CERT_FILE: cert, HTTPS_KEY_FILE: key }: HttpsFiles, clock: Clock): HttpsCertificate | undefined {
    if (cert === undefined && key === undefined) return undefined;
    if (cert === undefined || key === undefined) throw new ConfigError([`${cert === undefined ? SETTINGS.cert : SETTINGS.key}: missing; TLS needs HTTPS_CERT_FILE and HTTPS_KEY_FILE`]);
    const pem = { cert: readSetting(SETTINGS.cert, cert), key: readSetting(SETTINGS.key, key) };
    checkPem(pem, clock.now());
    return new HttpsCertificate({ cert, key }, pem, clock);
  }

  get context(): SecureContextOptions {
    return contextOf(this.pem);
  }

  /** Looks at the files now and then: mounted Secrets are replaced by links, which file system events do not follow. @returns what ends it */
  follow(server: Pick<Server, 'setSecureContext'>, log: Logger, everyMs = RENEWAL_CHECK_MS): () => void {
    const timer = setInterval(() => void this.renew(server, log), everyMs).unref();
    return () => clearInterval(timer);
  }

  /** New connections get the new certificate. While it cannot be used, such as half of a pair, the old one stays, and each look tries again. */
  private async renew(server: Pick<Server, 'setSecureContext'>, log: Logger): Promise<void> {
    try {
      const [cert, key] = await Promise.all([readFile(this.files.cert, 'utf8'), readFile(this.files.key, 'utf8')]);
      const isSame = cert === this.pem.cert && key === this.pem.key;
      if (!isSame) this.use({ cert, key }, server, log);
      this.loggedProblem = undefined;
    } catch (error) {
      this.logOnce(error as Error, log);
    }
  }

  private use(pem: Pem, server: Pick<Server, 'setSecureContext'>, log: Logger): void {
    checkPem(pem, this.clock.now());
    server.setSecureContext(contextOf(pem));
    this.pem = pem;
    log.info({ valid_until: certificatesIn(SETTINGS.cert, pem.cert)[0]?.validToDate }, 'renewed HTTPS certificate loaded');
  }

  private logOnce(error: Error, log: Logger): void {
    if (error.message === this.loggedProblem) return;
    this.loggedProblem = error.message;
    log.warn({ err: error }, 'HTTPS certificate could not be renewed; the previous one stays in use');
  }
}

const contextOf = (pem: Pem): SecureContextOptions => ({ ...pem, minVersion: 'TLSv1.2' });

/** @throws ConfigError */
function checkPem({ cert, key }: Pem, now: Date): void {
  const problem = certificateProblem(certificatesIn(SETTINGS.cert, cert), privateKeyIn(SETTINGS.key, key), SETTINGS, now);
  if (problem) throw new ConfigError([problem]);
}

function readSetting(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${setting}: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? 'error'})`]);
  }
}
