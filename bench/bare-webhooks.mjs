// The baseline of the webhooks: undici alone, posting the same body to the same receivers. A program of its own.
import { Agent, request } from 'undici';

const [urls, count, concurrency, body] = JSON.parse(process.argv[2]);
const dispatcher = new Agent();
let next = 0;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (next < count) {
      const url = urls[next++ % urls.length];
      const answer = await request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, dispatcher });
      await answer.body.dump();
    }
  }),
);
await dispatcher.close();
