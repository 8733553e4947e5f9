import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface TestCertificate {
  cert: string;
  key: string;
}

const LONG_AGO = { from: '20200101000000Z', until: '20200201000000Z' };
const VALID = { from: '20200101000000Z', until: '20990101000000Z' };

/** A certificate authority for tests, made with the openssl of this machine. */
export class TestAuthority {
  private constructor(
    private readonly folder: string,
    /** Its own certificate. */
    readonly ca: string,
  ) {}

  /** Its own root. */
  static async create(parent: string, name: string): Promise<TestAuthority> {
    const folder = await authorityFolder(parent, name);
    await request(folder, 'ca', name, ['-x509', '-days', '3650']);
    return new TestAuthority(folder, await readFile(join(folder, 'ca.pem'), 'utf8'));
  }

  /** Makes another authority with the same name. */
  async delegate(name: string): Promise<TestAuthority> {
    const folder = await authorityFolder(this.folder, `${name}-authority`);
    const { cert, key } = await this.sign(name, VALID, 'basicConstraints=critical,CA:TRUE\n');
    await Promise.all([writeFile(join(folder, 'ca.pem'), cert), writeFile(join(folder, 'ca.key'), key)]);
    return new TestAuthority(folder, cert);
  }

  /** Signs a certificate for a process with these host names. */
  async issue(name: string, { expired = false, hosts = ['IP:127.0.0.1', 'DNS:localhost'], usage = 'serverAuth,clientAuth' } = {}): Promise<TestCertificate> {
    return this.sign(name, expired ? LONG_AGO : VALID, `subjectAltName=${hosts.join(',')}\nextendedKeyUsage=${usage}\n`);
  }

  private async sign(name: string, { from, until }: typeof VALID, extensions: string): Promise<TestCertificate> {
    const at = (ending: string) => join(this.folder, `${name}.${ending}`);
    await request(this.folder, name, name);
    await writeFile(at('ext'), extensions);
    const files = ['-in', at('pem'), '-out', at('crt'), '-extfile', at('ext')];
    await run('openssl', ['ca', '-batch', '-notext', '-config', join(this.folder, 'ca.cnf'), '-startdate', from, '-enddate', until, ...files]);
    const [cert, key] = await Promise.all([readFile(at('crt'), 'utf8'), readFile(at('key'), 'utf8')]);
    return { cert, key };
  }
}

async function authorityFolder(parent: string, name: string): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder);
  const files = { 'index.txt': '', 'index.txt.attr': 'unique_subject = no\n', serial: '01\n', 'ca.cnf': configOf(folder) };
  await Promise.all(Object.entries(files).map(([file, content]) => writeFile(join(folder, file), content)));
  return folder;
}

function request(folder: string, name: string, subject: string, more: string[] = []) {
  const keys = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', join(folder, `${name}.key`)];
  return run('openssl', ['req', '-new', '-subj', `/CN=${subject}`, ...keys, '-out', join(folder, `${name}.pem`), ...more]);
}

const configOf = (folder: string) => `
[ca]
default_ca = test
[test]
dir = ${folder}
database = $dir/index.txt
new_certs_dir = $dir
serial = $dir/serial
certificate = $dir/ca.pem
private_key = $dir/ca.key
default_md = sha256
policy = any
[any]
commonName = supplied
`;
