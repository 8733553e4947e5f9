// Our clients and the vendors’ in Python speak HTTP with a gateway, which has the same routes in both shapes: once is enough.
import './clients/vendor-python.js';
import './clients/sdk-javascript.js';
import './clients/mcp.js';
import './clients/command.js';
import './clients/live-examples.js';
