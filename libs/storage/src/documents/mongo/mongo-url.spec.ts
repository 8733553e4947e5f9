import { describe, expect, it } from '@jest/globals';
import { databaseName, parseMongoUrl } from './mongo-url.js';

describe('parseMongoUrl', () => {
  it('takes several hosts, and keeps the options for the driver', () => {
    const url = 'mongodb://ada:p%40ss@a:27017,b:27017/parlance?replicaSet=rs0&authSource=admin';
    expect(parseMongoUrl(url)).toEqual({ url, baseName: 'parlance', user: 'ada', hosts: 'a:27017,b:27017', createIndexes: false });
  });

  it('takes out what is ours', () => {
    expect(parseMongoUrl('mongodb://a/x?createIndexes=true&tls=true')).toMatchObject({ url: 'mongodb://a/x?tls=true', createIndexes: true });
    expect(parseMongoUrl('mongodb://a/x?createIndexes=true')).toMatchObject({ url: 'mongodb://a/x', createIndexes: true });
    expect(parseMongoUrl('mongodb://a/x?createIndexes=false')).toMatchObject({ createIndexes: false });
  });

  it('has a name when the URL has none', () => {
    expect(parseMongoUrl('mongodb://a')).toMatchObject({ url: 'mongodb://a/', baseName: 'parlance' });
    expect(parseMongoUrl('mongodb+srv://cluster.example.org/?retryReads=true')).toMatchObject({ baseName: 'parlance' });
  });

  it('takes a user without a password', () => {
    expect(parseMongoUrl('mongodb://a%40da@host/parlance')).toMatchObject({ user: 'a@da', url: 'mongodb://a%40da@host/parlance' });
  });

  it.each(['mongodb:', 'mongodb://', 'mongodb:///parlance', 'mongodb://a/with space', 'mongodb://a/x.y', 'mongodb://a/x?createIndexes=yes', 'mongodb://%zz:p@a/x'])(
    'says what is wrong with %s',
    (url) => {
      expect(() => parseMongoUrl(url)).toThrow(/DATABASE_URL: /);
    },
  );

  it('never shows a password', () => {
    expect(() => parseMongoUrl('mongodb://ada:secret@a/x.y')).not.toThrow(/secret/);
    expect(parseMongoUrl('mongodb://ada:secret@a/x').hosts).toBe('a');
  });
});

describe('the database of a service', () => {
  it('is named after both', () => {
    expect(databaseName('parlance', 'webhook-dispatcher')).toBe('parlance_webhook_dispatcher');
  });
});
