import { describeStageContract, storesOnSqlite } from '@parlance/stage/contract';
import { diarizationUnderTest } from './stage-under-test.js';

describeStageContract('the stage diarization on SQLite', storesOnSqlite, diarizationUnderTest);
