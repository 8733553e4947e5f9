import { headersSchema } from '../http/sealed-headers.js';

export const audioHeadersSchema = headersSchema().meta({
  id: 'MediaHeaders',
  description: 'Headers for the request to `audio_url`, such as `Authorization`: at most 10. They are sealed at once, never returned, removed when the media was fetched, and not sent to another origin. When they are refused, the job fails with `media_unauthorized`.',
  example: { Authorization: 'Bearer 5f2c8a' },
  writeOnly: true,
});
