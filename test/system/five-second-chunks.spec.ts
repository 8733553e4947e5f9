// Each file is about one subject. They share one product, since its start costs more than either of them.
import './five-second-chunks/sse.js';
import './five-second-chunks/channels.js';
import './five-second-chunks/priority.js';
