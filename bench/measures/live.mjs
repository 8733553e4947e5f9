import { latency } from '../live/latency.mjs';
import { manySessions } from '../live/many-sessions.mjs';

/** Live sessions: how soon words come, how many are wrong, and what many sessions at once take. Kills: `npm run chaos -- --only live`. */
export const live = async (size) => [...(await latency(size)), ...(await manySessions(size))];
