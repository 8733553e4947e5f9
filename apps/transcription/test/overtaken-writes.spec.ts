import { storesOnSqlite } from '@parlance/stage/contract';
import { describeOvertakenWrites } from './overtaken-writes.js';

describeOvertakenWrites('on SQLite', storesOnSqlite);
