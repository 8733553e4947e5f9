import { HttpDouble, type DoubleAnswer, type DoubleRequest } from './http-double.js';
import { VersionedKeys } from './versioned-keys.js';

/** Looks at a rotation that it is not done yet: AWS does it in the background. */
const ROTATION_LOOKS = 1;

/** The JSON protocol of AWS KMS for symmetric keys, as its public reference describes it. */
export class AwsDouble {
  readonly keys = new VersionedKeys();
  private looks = 0;
  http!: HttpDouble;

  static async start(): Promise<AwsDouble> {
    const aws = new AwsDouble();
    aws.http = await HttpDouble.start((request) => aws.answer(request));
    return aws;
  }

  private answer({ headers, body }: DoubleRequest): DoubleAnswer {
    const name = String(body.KeyId).replace(/^(alias\/|arn:.*:key\/)/, '');
    if (!this.keys.has(name)) return refusal('NotFoundException', 'Invalid keyId');
    const context = JSON.stringify(body.EncryptionContext ?? {});
    switch (headers['x-amz-target']) {
      case 'TrentService.Encrypt':
        return { status: 200, body: { KeyId: arn(name), CiphertextBlob: this.keys.encrypt(name, Buffer.from(String(body.Plaintext), 'base64'), context) } };
      case 'TrentService.Decrypt': {
        const opened = this.keys.decrypt(name, String(body.CiphertextBlob), context);
        return opened ? { status: 200, body: { KeyId: arn(name), KeyMaterialId: material(opened.version), Plaintext: opened.plaintext.toString('base64') } } : refusal('InvalidCiphertextException');
      }
      case 'TrentService.DescribeKey':
        return { status: 200, body: { KeyMetadata: { KeyId: name, Arn: arn(name), CurrentKeyMaterialId: material(this.current(name)), Enabled: true } } };
      case 'TrentService.RotateKeyOnDemand':
        if (String(body.KeyId).startsWith('alias/')) return refusal('ValidationException', 'An alias is no key');
        this.keys.rotate(name);
        this.looks = ROTATION_LOOKS;
        return { status: 200, body: { KeyId: arn(name) } };
      default:
        return refusal('UnknownOperationException');
    }
  }

  private current(name: string): number {
    if (this.looks === 0) return this.keys.newest(name);
    this.looks -= 1;
    return this.keys.newest(name) - 1;
  }
}

const arn = (name: string): string => `arn:aws:kms:eu-central-1:111122223333:key/${name}`;
const material = (version: number): string => String(version).padStart(64, '0');
export const refusal = (type: string, message = type): DoubleAnswer => ({ status: 400, body: { __type: type, message } });
