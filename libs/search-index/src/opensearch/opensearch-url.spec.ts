import { describe, expect, it } from '@jest/globals';
import { parseOpenSearchUrl } from './opensearch-url.js';

describe('parseOpenSearchUrl', () => {
  it('reads server, user, prefix and options', () => {
    expect(parseOpenSearchUrl('opensearch+https://par%40lance:p%3Aw@search:9200/live-1?ca=/etc/ca.pem&createIndex=true&shards=3&replicas=0')).toEqual({
      node: 'https://search:9200',
      user: 'par@lance',
      password: 'p:w',
      prefix: 'live-1',
      ca: '/etc/ca.pem',
      createIndex: true,
      shards: 3,
      replicas: 0,
    });
  });

  it('has defaults', () => {
    expect(parseOpenSearchUrl('opensearch+http://[::1]:9200/p')).toMatchObject({ node: 'http://[::1]:9200', user: undefined, shards: 1, replicas: 1, createIndex: false });
  });

  it.each([
    ['opensearch+https://host', /must be opensearch\+https/],
    ['opensearch+ftp://host/p', /must be opensearch\+https/],
    ['opensearch+https://host/', /prefix/],
    ['opensearch+https://host/Upper', /prefix/],
    ['opensearch+https://host/a*', /prefix/],
    ['opensearch+https://host/a,b', /prefix/],
    ['opensearch+https://host/a/b', /prefix/],
    ['opensearch+https://host/p?shards=0', /shards must be/],
    ['opensearch+https://host/p?replicas=x', /replicas must be/],
    ['opensearch+https://host/p?createIndex=yes', /createIndex must be/],
    ['opensearch+https://host/p?verify=no', /the option verify does not exist/],
  ])('refuses %s', (url, message) => {
    expect(() => parseOpenSearchUrl(url)).toThrow(message);
  });
});
