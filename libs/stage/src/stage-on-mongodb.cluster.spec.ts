import { describeStageContract, storesOnMongo } from './contract/index.js';
import { sampleStage } from './contract/sample-stage.js';

describeStageContract('a stage on MongoDB', storesOnMongo, sampleStage);
