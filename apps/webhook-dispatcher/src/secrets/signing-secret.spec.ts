import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { signatures } from './signing-secret.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('signatures', () => {
  it("are those of the Standard Webhooks reference implementation's vector", () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
    expect(signatures([secret], message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('are one a secret, and a receiver that knows either accepts them', () => {
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const timestamp = Math.floor(Date.now() / 1000);
    const body = '{"text":"grüß dich 你好"}';
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures([secret, other], { id: 'evt_1', timestamp, body }),
    };
    expect(new Webhook(secret).verify(body, headers)).toEqual({ text: 'grüß dich 你好' });
    expect(new Webhook(other).verify(body, headers)).toEqual({ text: 'grüß dich 你好' });
    expect(() => new Webhook(other).verify(`${body} `, headers)).toThrow('No matching signature');
  });
});
