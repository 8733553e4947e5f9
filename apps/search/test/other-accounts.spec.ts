import { describeOtherAccounts } from './other-accounts.js';

describeOtherAccounts('the embedded index', () => ({}));
