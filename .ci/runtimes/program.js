// The scenario in Deno and Bun, with the package from its folder of packages.
import { readFile } from 'node:fs/promises';
import * as sdk from '@parlance/client';
import { fromPath } from '@parlance/client/node';
import { scenario } from './scenario.js';

const settings = JSON.parse(process.env.SETTINGS);
const [media, pcm] = await Promise.all(['meeting.mp3', 'meeting.pcm'].map((name) => readFile(new URL(name, import.meta.url))));
const results = await scenario(sdk, settings, { media, pcm });
const { baseUrl, apiKey } = settings;
const client = new sdk.Parlance({ baseUrl, apiKey });
const upload = await client.uploads.create(await fromPath(new URL('meeting.mp3', import.meta.url)));
results['uploads a file of the disk'] = upload.size_bytes === media.length || upload;
console.log(`RESULTS ${JSON.stringify(results)}`);
