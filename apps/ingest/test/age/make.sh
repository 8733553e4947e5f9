#!/usr/bin/env bash
# Writes the files of this folder. PYTHON names an interpreter that has pyrage.
set -euo pipefail
cd "$(dirname "$0")"
recipient=$(node -e "
  const { createPrivateKey, createPublicKey, hkdfSync } = require('node:crypto');
  const scalar = Buffer.from(hkdfSync('sha256', Buffer.alloc(32, 7), '', 'parlance media key x25519', 32));
  const key = createPrivateKey({ key: Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), scalar]), format: 'der', type: 'pkcs8' });
  const bytes = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  import('@scure/base').then(({ bech32 }) => console.log(bech32.encodeFromBytes('age', bytes)));
")
other=$(age-keygen 2>/dev/null | sed -n 's/^# public key: //p')
printf 'what was said' | age -r "$recipient" -o go.age
printf 'what was said' | age -r "$other" -r "$recipient" -o go-two-recipients.age
"${PYTHON:-python3}" - "$recipient" <<'PYTHON'
import sys

import pyrage
recipient = pyrage.x25519.Recipient.from_str(sys.argv[1])
open("rust.age", "wb").write(pyrage.encrypt(b"what was said", [recipient]))
open("passphrase.age", "wb").write(pyrage.passphrase.encrypt(b"what was said", "swordfish"))
PYTHON
