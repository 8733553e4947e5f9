import { headersSchema } from '../http/sealed-headers.js';

/** Headers that each webhook has already. */
const isTaken = (name: string): boolean => /^(?:webhook-|content-)|^(?:user-agent|traceparent|tracestate)$/i.test(name);

export const webhookHeaders = headersSchema(isTaken).meta({
  id: 'WebhookHeaders',
  description: 'Headers that are sent with each webhook, such as `Authorization`: at most 10. They are sealed at once and never returned or logged. `Webhook-*`, `Content-*`, `Host` and those of the connection are refused. Moving to a URL of another origin removes them unless they are given with it.',
  example: { Authorization: 'Bearer 5f2c8a' },
  writeOnly: true,
});
