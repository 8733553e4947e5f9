import { AppError, ConfigError } from '@parlance/platform';

/** An error of kafkajs: `type` is the name of Kafka's own error code. */
interface KafkaError {
  name: string;
  message: string;
  type?: string;
  cause?: unknown;
}

const UNKNOWN_TOPIC = 'UNKNOWN_TOPIC_OR_PARTITION';
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
const AUTHENTICATION = new Set(['SASL_AUTHENTICATION_FAILED', 'UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE']);

/** The errors from the outermost to the one that began it. */
function* chain(thrown: unknown): Generator<KafkaError> {
  const seen = new Set<unknown>();
  for (let error = thrown; error instanceof Error && !seen.has(error); error = error.cause) {
    seen.add(error);
    yield error as KafkaError;
  }
}

const some = (thrown: unknown, is: (error: KafkaError) => boolean): boolean => [...chain(thrown)].some(is);

export const isUnknownTopic = (thrown: unknown): boolean => some(thrown, ({ type }) => type === UNKNOWN_TOPIC);

/** True when the same try will fail again until the settings are changed. */
export const isRefused = (thrown: unknown): boolean =>
  some(thrown, ({ name, type }) => name === 'KafkaJSSASLAuthenticationError' || (type !== undefined && AUTHENTICATION.has(type)));

/**
 * Translates an error of kafkajs; hosts stay out of the message, as it may reach a client.
 * @param topics that were asked for, where the error names none
 */
export function fromKafkaError(thrown: unknown, topics: readonly string[] = []): AppError | ConfigError {
  if (thrown instanceof AppError || thrown instanceof ConfigError) return thrown;
  if (isRefused(thrown)) return new ConfigError(['EVENT_BUS_URL: Kafka refused the user name, the password or the SASL mechanism']);
  if (isUnknownTopic(thrown)) return missingTopics(topics);
  if (some(thrown, ({ type }) => type !== undefined && TOO_LARGE.has(type))) {
    return new AppError({ kind: 'too_large', code: 'event_too_large', message: 'The event is larger than the topic accepts.', cause: thrown });
  }
  return new AppError({ kind: 'unavailable', code: 'event_bus_unavailable', message: 'Kafka is unavailable.', cause: thrown });
}

export function missingTopics(topics: readonly string[]): ConfigError {
  const what = topics.length === 0 ? 'a required topic' : `the topic${topics.length > 1 ? 's' : ''} ${topics.join(', ')}`;
  return new ConfigError([`EVENT_BUS_URL: Kafka does not have ${what}; create them with: parlance-admin topics`]);
}

export const busClosed = (): AppError =>
  new AppError({ kind: 'unavailable', code: 'event_bus_closed', message: 'The event bus is closed.' });
