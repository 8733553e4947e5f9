import type { Parlance, CallOptions } from '../../src/index.js';
import { fileOf, type PatternFile } from './files.js';

/** Values of a case by their names in the API. */
// oxlint-disable-next-line typescript/no-explicit-any -- A case is data, and the client's own types are checked by the compiler elsewhere.
type Values = any;
type Call = (client: Parlance, params: Values, options: CallOptions & Values) => unknown;

const withFile = async ({ file, ...rest }: { file?: PatternFile }) => ({ ...rest, ...(file && { file: await fileOf(file) }) });

/** The calls of the suite in this client. */
export const CALLS: Record<string, Call> = {
  'transcriptions.create': async (client, params, options) => client.transcriptions.create(await withFile(params), options),
  'transcriptions.transcribe': (client, params, options) => client.transcriptions.transcribe(params, options),
  'transcriptions.wait': (client, { job_id: id }, options) => client.transcriptions.wait(id, options),
  'transcriptions.get': (client, { job_id: id }, options) => client.transcriptions.get(id, {}, options),
  'transcriptions.list': (client, params, options) => client.transcriptions.list(params, options),
  'transcriptions.delete': (client, { job_id: id }, options) => client.transcriptions.delete(id, options),
  'transcriptions.export': (client, { job_id: id, format, ...query }, options) => client.transcriptions.export(id, format, query, options),
  'transcriptions.events': (client, { job_id: id }, options) => client.transcriptions.events(id, options),
  'uploads.create': async (client, { file }, options) => client.uploads.create(await fileOf(file), { ...options, ...(file.as === 'sized_stream' && { size: file.pattern }) }),
  'speakers.rename': (client, { job_id: id, speaker_id: speaker, name }, options) => client.speakers.rename(id, speaker, name, options),
  'speakers.list': (client, { job_id: id }, options) => client.speakers.list(id, options),
  'summaries.create': (client, { job_id: id, ...summary }, options) => client.summaries.create(id, summary, options),
  'summaries.get': (client, { job_id: id, summary_id: summary, ...query }, options) => client.summaries.get(id, summary, query, options),
  'chat.ask': (client, params, options) => client.chat.ask(params, options),
  'chat.stream': (client, params, options) => client.chat.stream(params, options),
  search: (client, params, options) => client.search(params, options),
  events: (client, params, options) => client.events(params, options),
  usage: (client, params, options) => client.usage(params, options),
  'webhooks.verify': (client, { body, headers, secret, now }) => client.webhooks.verify(body, headers, secret, { now: now * 1000 }),
};
