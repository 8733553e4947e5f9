// The vendors’ own clients speak HTTP with a gateway, which translates in the same way in both shapes: once is enough.
import './vendors/deepgram-compatible.js';
import './vendors/deepgram-live.js';
import './vendors/openai-compatible.js';
import './vendors/asr-webservice.js';
import './vendors/assemblyai-compatible.js';
import './vendors/openai-realtime.js';
