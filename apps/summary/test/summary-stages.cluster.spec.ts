import { common } from '@parlance/contracts';
import { describeStageContract, storesOnMongo } from '@parlance/stage/contract';
import { summaryUnderTest } from './stage-under-test.js';

describeStageContract('the stage summary on MongoDB', storesOnMongo, summaryUnderTest(common.Stage.STAGE_SUMMARY));
describeStageContract('the stage highlights on MongoDB', storesOnMongo, summaryUnderTest(common.Stage.STAGE_HIGHLIGHTS));
describeStageContract('the stage chapters on MongoDB', storesOnMongo, summaryUnderTest(common.Stage.STAGE_CHAPTERS));
describeStageContract('the stage entities on MongoDB', storesOnMongo, summaryUnderTest(common.Stage.STAGE_ENTITIES));
