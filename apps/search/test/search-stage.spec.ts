import { describeStageContract, storesOnSqlite } from '@parlance/stage/contract';
import { searchUnderTest } from './stage-under-test.js';

describeStageContract('the stage search on SQLite', storesOnSqlite, searchUnderTest);
