// The implementation of age that the server has, as a program for the tests of the PHP client:
// `age.mjs key` prints a new identity and its recipient; `age.mjs open IDENTITY FILE` writes what FILE has in clear, where IDENTITY is a file too.
import { readFile } from 'node:fs/promises';
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';

const [, , action, identity, file] = process.argv;
if (action === 'key') {
  const made = await generateX25519Identity();
  console.log(JSON.stringify({ identity: made, recipient: await identityToRecipient(made) }));
} else {
  const decrypter = new Decrypter();
  decrypter.addIdentity((await readFile(identity, 'utf8')).trim());
  process.stdout.write(await decrypter.decrypt(await readFile(file)));
}
