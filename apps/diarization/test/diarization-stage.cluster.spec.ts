import { describeStageContract, storesOnMongo } from '@parlance/stage/contract';
import { diarizationUnderTest } from './stage-under-test.js';

describeStageContract('the stage diarization on MongoDB', storesOnMongo, diarizationUnderTest);
