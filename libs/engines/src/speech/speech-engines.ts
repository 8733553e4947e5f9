import { ConfigError } from '@parlance/platform';
import { namedValues } from './named-values.js';
import { recognizerFromUrl, type RecognizerDependencies } from './recognizer-from-url.js';
import type { SpeechRecognizer } from './speech-recognizer.js';

/** The model of a job that names none: the engine of SPEECH_ENGINE_URL. */
export const DEFAULT_MODEL = 'default';

/** The operator's price of a minute of audio. */
interface EnginePrice {
  perMinute: number;
  /** ISO 4217. */
  currency: string;
}

/** A speech engine with the name by which jobs choose it. */
export interface SpeechEngine {
  model: string;
  recognizer: SpeechRecognizer;
  price?: EnginePrice;
}

/** Settings as the environment has them; lists are `name=value,name=value`. */
export interface SpeechEngineSettings {
  SPEECH_ENGINE_URL: string;
  SPEECH_ENGINE_API_KEY?: string | undefined;
  SPEECH_ENGINES?: string | undefined;
  SPEECH_ENGINE_API_KEYS?: string | undefined;
  SPEECH_ENGINE_PRICES?: string | undefined;
}

/** The speech engines of a deployment by name. The default one comes first. */
export class SpeechEngines {
  private readonly byModel: ReadonlyMap<string, SpeechEngine>;

  constructor(
    private readonly preset: SpeechEngine,
    others: readonly SpeechEngine[] = [],
  ) {
    this.byModel = new Map([preset, ...others].map((engine) => [engine.model, engine]));
  }

  all(): SpeechEngine[] {
    return [...this.byModel.values()];
  }

  /** The default engine without a model; undefined for a model that is not configured. */
  find(model: string | undefined): SpeechEngine | undefined {
    return model === undefined ? this.preset : this.byModel.get(model);
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map(({ recognizer }) => recognizer.close()));
  }
}

/** Nothing is started or loaded here. @throws ConfigError naming what is wrong, without the values: they may hold a secret. */
export function speechEnginesFromSettings(settings: SpeechEngineSettings, dependencies: Omit<RecognizerDependencies, 'apiKey' | 'setting'> = {}): SpeechEngines {
  const urls = namedValues('SPEECH_ENGINES', settings.SPEECH_ENGINES);
  if (urls.has(DEFAULT_MODEL)) throw new ConfigError([`SPEECH_ENGINES: '${DEFAULT_MODEL}' is the name of SPEECH_ENGINE_URL; choose another`]);
  const names = [DEFAULT_MODEL, ...urls.keys()];
  const keys = namedOf('SPEECH_ENGINE_API_KEYS', settings.SPEECH_ENGINE_API_KEYS, [...urls.keys()]);
  const prices = namedOf('SPEECH_ENGINE_PRICES', settings.SPEECH_ENGINE_PRICES, names);
  const engineOf = (model: string, recognizer: SpeechRecognizer): SpeechEngine => {
    const price = prices.get(model);
    return { model, recognizer, ...(price !== undefined && { price: priceOf(model, price) }) };
  };
  const key = settings.SPEECH_ENGINE_API_KEY;
  const preset = recognizerFromUrl(settings.SPEECH_ENGINE_URL, { ...dependencies, ...(key !== undefined && { apiKey: key }) });
  const others = Array.from(urls, ([model, url]) => {
    const apiKey = keys.get(model);
    const setting = { name: `SPEECH_ENGINES (${model})`, key: 'SPEECH_ENGINE_API_KEYS' };
    return engineOf(model, recognizerFromUrl(url, { ...dependencies, setting, ...(apiKey !== undefined && { apiKey }) }));
  });
  return new SpeechEngines(engineOf(DEFAULT_MODEL, preset), others);
}

function namedOf(setting: string, text: string | undefined, names: readonly string[]): Map<string, string> {
  const values = namedValues(setting, text);
  const unknown = [...values.keys()].filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new ConfigError([`${setting}: there is no engine '${unknown[0]}'; engines are ${names.join(', ') || 'not named in SPEECH_ENGINES'}`]);
  return values;
}

/** `0.006USD`: a minute of audio. */
function priceOf(model: string, text: string): EnginePrice {
  const [, amount, currency] = /^(\d{1,9}(?:\.\d{1,6})?)([A-Z]{3})$/.exec(text) ?? [];
  if (amount === undefined || currency === undefined) throw new ConfigError([`SPEECH_ENGINE_PRICES: the price of ${model} is not an amount and a currency, such as 0.006USD`]);
  return { perMinute: Number(amount), currency };
}
