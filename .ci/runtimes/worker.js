// The scenario in a Worker, bundled with the package as its tools do.
import * as sdk from '@parlance/client';
import media from './meeting.mp3';
import pcm from './meeting.pcm';
import { scenario } from './scenario.js';

export default {
  async test(_controller, { SETTINGS }) {
    console.log(`RESULTS ${JSON.stringify(await scenario(sdk, JSON.parse(SETTINGS), { media, pcm }))}`);
  },
};
