import { z } from 'zod';
import { LIVE_CLOSE_CODES } from '../live/live-close-codes.js';
import { clientMessage, LIVE_PROTOCOL, LIVE_TOKEN_PREFIX, serverMessage } from '../live/live-messages.js';
import { CLIENT_EXAMPLES, SERVER_EXAMPLES } from './live-examples.js';
import type { JsonSchema } from './proto-json-schema.js';

const WEBSOCKET_BINDING = '0.1.0';
const CHANNEL = 'session';
const AUDIO = 'audio';

type MessageSchema = (typeof clientMessage.options)[number] | (typeof serverMessage.options)[number];

const INFO = {
  title: 'Parlance live sessions',
  version: '1.0.0',
  description:
    'The WebSocket of a live session: a client sends audio and receives what is said. `POST /api/v1/live` of the HTTP API makes the session ' +
    'and its first token. Text frames are JSON, one message a frame; binary frames are audio. docs/live.md is the guide.',
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
};

/**
 * The AsyncAPI 3.0 description of the socket, from the zod schemas that check its messages.
 * @see https://www.asyncapi.com/docs/reference/specification/v3.0.0
 */
export function liveDocument(): JsonSchema {
  return {
    asyncapi: '3.0.0',
    info: INFO,
    defaultContentType: 'application/json',
    servers: { local: { host: '127.0.0.1:3000', protocol: 'ws', description: 'As `npm start` serves it; `wss` where TLS is terminated in front of it' } },
    channels: { [CHANNEL]: channel() },
    operations: { receive: operation('receive', 'What a client sends', [AUDIO, ...namesOf(clientMessage.options)]), send: operation('send', 'What the server sends', namesOf(serverMessage.options)) },
    components: { messages: { [AUDIO]: audio(), ...messages(clientMessage.options, CLIENT_EXAMPLES), ...messages(serverMessage.options, SERVER_EXAMPLES) } },
  };
}

const nameOf = (schema: MessageSchema): string => schema.shape.type.value;
const namesOf = (schemas: readonly MessageSchema[]): string[] => schemas.map(nameOf);

function channel(): JsonSchema {
  const names = [AUDIO, ...namesOf(clientMessage.options), ...namesOf(serverMessage.options)];
  return {
    address: '/api/v1/live/{id}/socket',
    title: 'A live session',
    description:
      'The connection is taken over by a newer one of the same session. The server closes it with one of `x-close-codes`, which follows an `error` message ' +
      'unless the session is finished.',
    parameters: { id: { description: `The session's id, as POST /api/v1/live answers it` } },
    messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    bindings: { ws: { method: 'GET', query: query(), headers: headers(), bindingVersion: WEBSOCKET_BINDING } },
    'x-close-codes': LIVE_CLOSE_CODES,
  };
}

const query = (): JsonSchema => ({
  type: 'object',
  properties: {
    after: { type: 'integer', minimum: 0, default: 0, description: 'The last sequence that the client has; later messages are sent after ready' },
    token: { type: 'string', description: 'The one-use token, for clients that cannot offer subprotocols. Addresses end up in logs: prefer the subprotocol' },
  },
});

const headers = (): JsonSchema => ({
  type: 'object',
  properties: {
    'Sec-WebSocket-Protocol': {
      type: 'string',
      description: `${LIVE_PROTOCOL}, which the server accepts, and the one-use token after "${LIVE_TOKEN_PREFIX}"`,
      examples: [`${LIVE_PROTOCOL}, ${LIVE_TOKEN_PREFIX}3q2xW0dYc1`],
    },
  },
});

const operation = (action: 'send' | 'receive', summary: string, names: string[]): JsonSchema => ({
  action,
  summary,
  channel: { $ref: `#/channels/${CHANNEL}` },
  messages: names.map((name) => ({ $ref: `#/channels/${CHANNEL}/messages/${name}` })),
});

const audio = (): JsonSchema => ({
  name: AUDIO,
  title: AUDIO,
  summary: `A binary frame: the next bytes of the audio. The first byte of a connection is the one at acknowledged_offset of ready. Empty frames are ignored`,
  contentType: 'application/octet-stream',
  payload: { type: 'string', format: 'binary' },
});

const messages = (schemas: readonly MessageSchema[], examples: Record<string, unknown>): JsonSchema =>
  Object.fromEntries(schemas.map((schema) => [nameOf(schema), messageOf(schema, examples[nameOf(schema)])]));

function messageOf(schema: MessageSchema, example: unknown): JsonSchema {
  const name = nameOf(schema);
  const { $schema: _, description, ...payload } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', override: ({ jsonSchema }) => withoutSafeIntegers(jsonSchema) });
  return { name, title: name, summary: description, payload, examples: [{ name, payload: example }] };
}

/** Zod bounds every integer by what a double holds exactly: noise for a reader. */
function withoutSafeIntegers(schema: { maximum?: number; exclusiveMinimum?: number | boolean; minimum?: number }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
