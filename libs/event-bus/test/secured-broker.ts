import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const USER = 'parlance';
const KEY_STORE_PASSWORD = 'changeit';

interface SecuredBrokerOptions {
  /** Further users, who may do only what ACLs allow them; the one of `url` may do everything. Without, nobody is asked for ACLs. */
  restrictedUsers?: readonly string[];
}

/** A broker that asks for SASL (all three mechanisms) over TLS, with certificates of its own; takes the jars of the Kafka among the shared servers. */
export class SecuredBroker {
  readonly password = 's3cret';
  readonly certificate: string;
  private process: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly restrictedUsers: readonly string[],
  ) {
    this.certificate = join(folder, 'ca.pem');
  }

  /** @param port the first of three consecutive free ones */
  static async start(port: number, { restrictedUsers = [] }: SecuredBrokerOptions = {}): Promise<SecuredBroker> {
    const broker = new SecuredBroker(mkdtempSync(join(tmpdir(), 'parlance-secured-')), port, restrictedUsers);
    broker.makeCertificates();
    broker.configure();
    const java = ['-Xmx256m', '-XX:+UseSerialGC', '-cp', `${jars()}/*`];
    const settings = broker.path('server.properties');
    const credentials = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name=${USER},password=${broker.password}]`,
    ]);
    execFileSync('java', [...java, 'kafka.tools.StorageTool', 'format', '-t', 'AAAAAAAAQACAAAAAAAAAAQ', '-c', settings, ...credentials], { stdio: 'ignore' });
    broker.process = spawn('java', [...java, `-Dlog4j2.configurationFile=${broker.path('log4j2.properties')}`, 'kafka.Kafka', settings], {
      stdio: 'ignore',
    });
    while (!readFileSync(broker.path('server.log'), { encoding: 'utf8', flag: 'a+' }).includes('Kafka Server started')) {
      if (broker.process.exitCode !== null) throw new Error('the broker did not come up');
      await pause(100);
    }
    return broker;
  }

  url(mechanism: string, more = ''): string {
    return this.urlOf(USER, mechanism, more);
  }

  /** Restricted users are known to `plain` alone. */
  urlOf(user: string, mechanism: string, more = ''): string {
    return `kafka://localhost:${this.port}?ssl=true&ssl-ca=${this.certificate}&sasl=${mechanism}&username=${user}${more}`;
  }

  async stop(): Promise<void> {
    if (this.process && this.process.exitCode === null) {
      const exited = once(this.process, 'exit');
      this.process.kill('SIGKILL');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private path(name: string): string {
    return join(this.folder, name);
  }

  private makeCertificates(): void {
    const openssl = (...parameters: string[]) => execFileSync('openssl', parameters, { cwd: this.folder, stdio: 'ignore' });
    writeFileSync(this.path('names'), 'subjectAltName=DNS:localhost\n');
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test-ca');
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
    openssl('x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-out', 'server.pem', '-extfile', 'names');
    openssl('pkcs12', '-export', '-in', 'server.pem', '-inkey', 'server.key', '-out', 'server.p12', '-passout', `pass:${KEY_STORE_PASSWORD}`);
  }

  private configure(): void {
    const [outside, controller, inside] = [this.port, this.port + 1, this.port + 2];
    const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
    const users = [USER, ...this.restrictedUsers].map((user) => `user_${user}="${this.password}"`).join(' ');
    const plain = `org.apache.kafka.common.security.plain.PlainLoginModule required ${users};`;
    const authorizer = `authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:${USER};User:ANONYMOUS
`;
    mkdirSync(this.path('data'));
    writeFileSync(
      this.path('server.properties'),
      `process.roles=broker,controller
node.id=1
listeners=SASL_SSL://127.0.0.1:${outside},CONTROLLER://127.0.0.1:${controller},INSIDE://127.0.0.1:${inside}
advertised.listeners=SASL_SSL://localhost:${outside},INSIDE://127.0.0.1:${inside}
listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT,INSIDE:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=INSIDE
controller.quorum.voters=1@127.0.0.1:${controller}
log.dirs=${this.path('data')}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
sasl.enabled.mechanisms=SCRAM-SHA-512,SCRAM-SHA-256,PLAIN
ssl.keystore.location=${this.path('server.p12')}
ssl.keystore.password=${KEY_STORE_PASSWORD}
ssl.keystore.type=PKCS12
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=${scram}
listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=${scram}
listener.name.sasl_ssl.plain.sasl.jaas.config=${plain}
${this.restrictedUsers.length > 0 ? authorizer : ''}`,
    );
    writeFileSync(
      this.path('log4j2.properties'),
      `rootLogger.level=info
rootLogger.appenderRef.out.ref=out
appender.out.type=File
appender.out.name=out
appender.out.fileName=${this.path('server.log')}
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d %p %m%n
`,
    );
  }
}

function jars(): string {
  const folder = join(process.env['SERVERS_HOME'] ?? join(homedir(), '.cache', 'servers'), 'kafka');
  const [lib] = readdirSync(folder).filter((name) => /^lib-\d+$/.test(name));
  if (!lib) throw new Error(`there are no jars in ${folder}: start the shared Kafka once`);
  return join(folder, lib);
}
