import { describeStageContract, storesOnMongo } from '@parlance/stage/contract';
import { searchUnderTest } from './stage-under-test.js';

describeStageContract('the stage search on MongoDB', storesOnMongo, searchUnderTest);
