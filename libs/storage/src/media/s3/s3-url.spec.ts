import { describe, expect, it } from '@jest/globals';
import { parseS3Url } from './s3-url.js';

describe('parseS3Url', () => {
  it('needs no more than a bucket', () => {
    expect(parseS3Url('s3://media')).toEqual({ bucket: 'media', prefix: '', endpoint: undefined, region: undefined, forcePathStyle: false, encryption: undefined });
  });

  it('takes a prefix, another server, and encryption', () => {
    const url = 's3://media/parlance/eu/?endpoint=http://minio:9000&region=eu-west-1&forcePathStyle=true&sse=aws:kms&kmsKeyId=alias/media';
    expect(parseS3Url(url)).toEqual({
      bucket: 'media',
      prefix: 'parlance/eu/',
      endpoint: 'http://minio:9000',
      region: 'eu-west-1',
      forcePathStyle: true,
      encryption: { algorithm: 'aws:kms', keyId: 'alias/media' },
    });
    expect(parseS3Url('s3://media?sse=AES256').encryption).toEqual({ algorithm: 'AES256' });
  });

  it.each([
    ['s3:', /s3:\/\/<bucket>/],
    ['s3:///prefix', /s3:\/\/<bucket>/],
    ['s3://key:secret@media', /s3:\/\/<bucket>/],
    ['s3://a', /s3:\/\/<bucket>/],
    ['s3://media?endpont=http://minio', /no option endpont/],
    ['s3://media?endpoint=minio:9000', /endpoint must be/],
    ['s3://media?forcePathStyle=yes', /forcePathStyle must be/],
    ['s3://media?sse=des', /sse must be/],
    ['s3://media?sse=AES256&kmsKeyId=x', /kmsKeyId requires/],
    ['s3://media/a//b', /prefix must be/],
  ])('says what is wrong with %s', (url, problem) => {
    expect(() => parseS3Url(url)).toThrow(problem);
    expect(() => parseS3Url(url)).toThrow(/MEDIA_URL/);
  });

  it('names every wrong option at once, and no secret', () => {
    expect(() => parseS3Url('s3://media?sse=des&forcePathStyle=yes')).toThrow(/forcePathStyle.*\n.*sse/);
    expect(() => parseS3Url('s3://key:secret@media')).not.toThrow(/secret/);
  });
});
