import { storesOnSqlite } from '@parlance/stage/contract';
import { describeLostOrders } from './lost-orders.js';

describeLostOrders('ordered summaries on SQLite', storesOnSqlite);
