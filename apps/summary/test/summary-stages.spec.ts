import { common } from '@parlance/contracts';
import { describeStageContract, storesOnSqlite } from '@parlance/stage/contract';
import { summaryUnderTest } from './stage-under-test.js';

describeStageContract('the stage summary on SQLite', storesOnSqlite, summaryUnderTest(common.Stage.STAGE_SUMMARY));
describeStageContract('the stage highlights on SQLite', storesOnSqlite, summaryUnderTest(common.Stage.STAGE_HIGHLIGHTS));
describeStageContract('the stage chapters on SQLite', storesOnSqlite, summaryUnderTest(common.Stage.STAGE_CHAPTERS));
describeStageContract('the stage entities on SQLite', storesOnSqlite, summaryUnderTest(common.Stage.STAGE_ENTITIES));
