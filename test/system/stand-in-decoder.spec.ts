// Each file is about one subject. They share one product, since its start costs more than most of them.
// First the one that hears every job's end from the event log, last the one that restarts the product.
import './stand-in-decoder/operators.js';
import './stand-in-decoder/engine-faults.js';
import './stand-in-decoder/cancel-delete.js';
