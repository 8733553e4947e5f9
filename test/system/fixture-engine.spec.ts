// Each file is about one subject. They share one product, since its start costs more than most of them.
// First the one that measures memory, last those that kill and restart it.
import './fixture-engine/bad-bodies.js';
import './fixture-engine/bad-requests.js';
import './fixture-engine/account-limits.js';
import './fixture-engine/editing.js';
import './fixture-engine/speakers.js';
import './fixture-engine/search.js';
import './fixture-engine/uploads.js';
import './fixture-engine/live.js';
import './fixture-engine/idempotency.js';
