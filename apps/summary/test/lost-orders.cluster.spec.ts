import { storesOnMongo } from '@parlance/stage/contract';
import { describeLostOrders } from './lost-orders.js';

describeLostOrders('ordered summaries on MongoDB', storesOnMongo);
