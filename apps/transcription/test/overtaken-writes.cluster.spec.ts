import { storesOnMongo } from '@parlance/stage/contract';
import { describeOvertakenWrites } from './overtaken-writes.js';

describeOvertakenWrites('on MongoDB', storesOnMongo);
