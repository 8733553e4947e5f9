import { describeStageContract, storesOnSqlite } from './contract/index.js';
import { sampleStage } from './contract/sample-stage.js';

describeStageContract('a stage on SQLite', storesOnSqlite, sampleStage);
