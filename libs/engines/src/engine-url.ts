import { ConfigError, type Logger } from '@parlance/platform';
import type { z } from 'zod';

/** Zod's result for optional fields that are left out: absent rather than undefined. */
type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

interface EngineSetting {
  /** The name of the environment variable. */
  name: string;
  /** An example of its accepted values. */
  takes: string;
}

/** A setting that names an engine by the scheme of a URL, with options as its query. What is wrong is said without repeating the URL: it may hold a secret. */
export class EngineUrl {
  private readonly url: URL;

  /** @throws ConfigError when it is no URL. */
  constructor(
    private readonly setting: EngineSetting,
    text: string,
  ) {
    if (!URL.canParse(text)) throw this.wrong(`is not a URL; use ${setting.takes}`);
    this.url = new URL(text);
  }

  /** With its colon. */
  get scheme(): string {
    return this.url.protocol;
  }

  /** @throws ConfigError */
  path(): string {
    try {
      return decodeURIComponent(this.url.pathname);
    } catch {
      throw this.wrong('has a % that encodes no character');
    }
  }

  /** @throws ConfigError with a line for each wrong option. */
  options<S extends z.ZodType<object>>(schema: S): Defined<z.output<S>> {
    const parsed = schema.safeParse(Object.fromEntries(this.url.searchParams));
    if (parsed.success) return parsed.data as Defined<z.output<S>>;
    throw new ConfigError(parsed.error.issues.map((issue) => `${this.setting.name}: ${[...issue.path, issue.message].join(': ')}`));
  }

  /**
   * The URL `https://host/v1` of `openai+https://host/v1` or `openai-realtime+https://host/v1`, without a slash at the end.
   * @param keySetting the setting that holds the server's key
   * @throws ConfigError
   */
  serverUrl(keySetting: string): string {
    const { username, password, host, protocol, pathname } = this.url;
    if (username !== '' || password !== '') throw this.wrong(`must not contain a user or password; give the key as ${keySetting}`);
    if (host === '') throw this.wrong('has no host');
    return `${protocol.slice(protocol.indexOf('+') + 1)}//${host}${pathname.replace(/\/$/, '')}`;
  }

  unknownScheme(): ConfigError {
    return this.wrong(`has the unknown scheme '${this.scheme}'; use ${this.setting.takes}`);
  }

  wrong(what: string): ConfigError {
    return new ConfigError([`${this.setting.name}: ${what}`]);
  }
}

/**
 * Says at the start what would else be noticed at the first job: that a program or a model is not there. Nothing is loaded for it.
 * @param consequence of its absence
 */
export async function warnOfMissingEngine(engine: { info: { name: string }; check(): Promise<void> }, log: Pick<Logger, 'warn'>, consequence = 'jobs will fail'): Promise<void> {
  await engine.check().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    log.warn({ engine: engine.info.name, err: error }, `engine not available, so ${consequence}: ${why}`);
  });
}
