// Each file is about one subject. They share one product, since its start costs more than most of them.
// The first file reads every job's end from the event log; the last one restarts the product.
import './stand-in-decoder/operators.js';
import './stand-in-decoder/engine-faults.js';
import './stand-in-decoder/cancel-delete.js';
