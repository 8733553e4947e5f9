import { ConnectionError, UnexpectedResponseError, type Parlance, type ResponseInfo } from '@parlance/client';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { failureOf } from '../failures.js';
import { packageVersion } from '../package-version.js';
import { isReadableByOthers } from '../settings-file.js';

/** The result of one check. */
export interface Finding {
  name: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  /** Says what to do. */
  advice?: string;
  exitCode?: ExitCode;
}

interface Server {
  name: string;
  version: string;
  api_version: string;
}

interface Model {
  model: string;
  engine: string;
  is_default: boolean;
  available: boolean;
  languages: string[];
}

interface Account {
  plan: string;
  free_seconds_left: number | null;
}

const API_MAJOR = '1';
/** A webhook is refused when the clocks differ by five minutes; half of it is worth a word. */
const MAX_SKEW_SECONDS = 150;

/** Checks one thing after another, and ends where the rest would fail for the same reason. */
export async function* diagnose(context: Context): AsyncGenerator<Finding> {
  yield { name: 'command', state: 'ok', detail: `parlance ${packageVersion()}, Node ${process.versions.node}` };
  const { baseUrl, baseUrlSource, apiKey, apiKeySource } = await context.connection();
  if (await isReadableByOthers(context.settingsPath)) yield { name: 'settings', state: 'warning', detail: `others can read ${context.settingsPath}`, advice: `chmod 600 ${context.settingsPath}` };
  if (!apiKey) {
    yield { name: 'key', state: 'failed', detail: `there is none for ${baseUrl}`, advice: 'Store one with `parlance login`, or set PARLANCE_API_KEY.', exitCode: EXIT.auth };
    return;
  }
  const client = await context.client({ maxRetries: 0 });
  let info: ResponseInfo | undefined;
  const begin = performance.now();
  try {
    const server = await client.request<Server>({ method: 'GET', path: '' }, { signal: context.signal, onResponse: (each) => (info = each) });
    yield { name: 'server', state: 'ok', detail: `${baseUrl} (${baseUrlSource}) answers in ${Math.round(performance.now() - begin)} ms` };
    yield { name: 'key', state: 'ok', detail: `valid (${apiKeySource})` };
    yield versions(server);
  } catch (error) {
    const { message, exitCode } = failureOf(error, baseUrl);
    const isServer = error instanceof ConnectionError || error instanceof UnexpectedResponseError || exitCode !== EXIT.auth;
    yield { name: isServer ? 'server' : 'key', state: 'failed', detail: `${baseUrl} (${baseUrlSource})${isServer ? '' : ` refuses the key (${apiKeySource})`}`, advice: message, exitCode };
    return;
  }
  yield clock(info?.headers.get('date'), new Date());
  yield* account(client, context);
  yield* models(client, context);
}

function versions({ version, api_version: api }: Server): Finding {
  const detail = `server ${version}, API ${api}`;
  if (api.split('.')[0] === API_MAJOR) return { name: 'versions', state: 'ok', detail };
  return { name: 'versions', state: 'failed', detail, advice: `This command is for version ${API_MAJOR} of the API. Install the one of the server's version.`, exitCode: EXIT.failure };
}

/** Compares the clocks by the header `Date`, which has whole seconds. */
export function clock(date: string | null | undefined, now: Date): Finding {
  const server = Date.parse(date ?? '');
  if (Number.isNaN(server)) return { name: 'clock', state: 'warning', detail: 'the server does not say its time' };
  const skew = Math.round((now.getTime() - server) / 1000);
  if (Math.abs(skew) <= MAX_SKEW_SECONDS) return { name: 'clock', state: 'ok', detail: `${Math.abs(skew)} s from the server` };
  return { name: 'clock', state: 'warning', detail: `${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the server`, advice: 'Set the clocks by NTP: signatures of webhooks are refused when they differ by five minutes.' };
}

async function* account(client: Parlance, context: Context): AsyncGenerator<Finding> {
  try {
    const { plan, free_seconds_left: left } = await client.request<Account>({ method: 'GET', path: '/account' }, { signal: context.signal });
    if (left === null || left > 0) yield { name: 'account', state: 'ok', detail: `plan ${plan}, ${left === null ? 'without a limit' : `${Math.floor(left / 60)} free minutes left`}` };
    else yield { name: 'account', state: 'failed', detail: `plan ${plan}, no free minutes left`, advice: 'Ask the operator of the server for more.', exitCode: EXIT.limited };
  } catch (error) {
    yield { name: 'account', state: 'warning', detail: failureOf(error).message };
  }
}

async function* models(client: Parlance, context: Context): AsyncGenerator<Finding> {
  const { data } = await client.request<{ data: Model[] }>({ method: 'GET', path: '/models' }, { signal: context.signal });
  for (const { model, engine, is_default: isDefault, available, languages } of data) {
    const detail = `${engine}${isDefault ? ', the default' : ''}, ${languages.length === 1 ? languages[0] : `${languages.length} languages`}`;
    if (available) yield { name: `model ${model}`, state: 'ok', detail };
    else yield { name: `model ${model}`, state: isDefault ? 'failed' : 'warning', detail: `${detail}, not available`, advice: 'Ask the operator to install what the engine needs, or name another with --model.', exitCode: EXIT.failure };
  }
}
