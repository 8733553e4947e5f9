// Runs in the page: each check ends as `true`, or as the reason why it does not hold.
const { api, jobId, token, expired } = JSON.parse(document.currentScript.dataset.input);
const authorization = `Bearer ${token}`;
const job = `${api}/api/v1/transcriptions/${jobId}`;
const expect = (found, wanted) => JSON.stringify(found) === JSON.stringify(wanted) || `${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`;

const follow = (query) =>
  new Promise((resolve) => {
    const source = new EventSource(`${job}/events?${query}`);
    const seen = [];
    const end = (how) => {
      source.close();
      resolve({ how, seen });
    };
    for (const name of ['status', 'progress', 'transcript.segment']) source.addEventListener(name, ({ lastEventId }) => seen.push({ name, lastEventId }));
    source.addEventListener('done', ({ lastEventId }) => end({ done: lastEventId }));
    source.addEventListener('error', () => source.readyState === EventSource.CLOSED && end('refused'));
  });

const CHECKS = {
  'reads a job, with the headers that a client needs': async () => {
    const response = await fetch(job, { headers: { authorization } });
    const { status } = await response.json();
    return expect([status, ...['etag', 'ratelimit', 'x-request-id'].map((name) => response.headers.has(name))], ['completed', true, true, true]);
  },
  'reads the problem of a refusal': async () => {
    const response = await fetch(`${api}/api/v1/transcriptions/job_none`, { headers: { authorization } });
    const { code } = await response.json();
    return expect([response.status, code], [403, 'insufficient_scope']);
  },
  'reads the name of a download': async () => {
    const response = await fetch(`${job}/transcript?format=srt`, { headers: { authorization } });
    return expect(/filename\*=UTF-8''meeting\.srt/.test(response.headers.get('content-disposition') ?? ''), true);
  },
  'follows a job by EventSource with a token in the URL': async () => {
    const { how, seen } = await follow(`access_token=${token}`);
    return expect([typeof how.done, new Set(seen.map(({ name }) => name)).has('transcript.segment')], ['string', true]);
  },
  'resumes an EventSource after the last event it had': async () => {
    const { seen } = await follow(`access_token=${token}`);
    const last = seen.at(-1).lastEventId;
    const again = await follow(`access_token=${token}&last_event_id=${last}`);
    return expect([typeof again.how.done, again.seen.length], ['string', 0]);
  },
  'is refused by EventSource with a token that was revoked': async () => expect((await follow(`access_token=${expired}`)).how, 'refused'),
  'sends a change that takes a preflight': async () => {
    const response = await fetch(`${job}/speakers/S1`, { method: 'PATCH', headers: { authorization, 'content-type': 'application/json', 'if-match': '"another"' }, body: '{"name":"Ada"}' });
    return expect(response.status, 412);
  },
};

const FOREIGN_CHECKS = {
  'of an origin that is not configured reads nothing': () => fetch(job, { headers: { authorization } }).then(({ status }) => `read ${status}`, () => true),
  'of an origin that is not configured follows nothing': async () => expect((await follow(`access_token=${token}`)).how, 'refused'),
};

(async () => {
  const results = {};
  for (const [name, check] of Object.entries(location.hostname === 'localhost' ? CHECKS : FOREIGN_CHECKS)) {
    results[name] = await check().catch((error) => String(error));
  }
  await fetch('/results', { method: 'POST', body: JSON.stringify(results) });
})();
