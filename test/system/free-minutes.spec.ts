// Each file is about one subject. They share one product, since its start costs more than either of them.
// First the one that counts the entries of the whole ledger.
import './free-minutes/usage.js';
import './free-minutes/storage.js';
import './free-minutes/live.js';
import './free-minutes/races.js';
