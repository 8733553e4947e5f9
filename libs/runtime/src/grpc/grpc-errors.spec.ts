import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { fromGrpcError, toGrpcError } from './grpc-errors.js';

const across = (error: unknown) => fromGrpcError(Object.assign(new Error(), toGrpcError(error)) as ServiceError);

describe('an error that crosses gRPC', () => {
  it('is the same on the far side', () => {
    const fields = [{ pointer: '/audio_url', code: 'required', detail: 'is required' }];
    const sent = new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The job is completed.', fields, retryAfter: 3 });
    expect(across(sent)).toMatchObject({ kind: 'conflict', code: 'invalid_state', message: sent.message, fields, retryAfter: 3, retryable: false });
  });

  it('tells nothing of a defect but that there is one', () => {
    const received = across(new TypeError('undefined is not a function at /srv/app.js'));
    expect(received).toMatchObject({ kind: 'internal', code: 'internal' });
    expect(received.message).not.toContain('/srv');
  });

  it('is worth another try when the other side is away', () => {
    const refused = Object.assign(new Error(), { code: status.UNAVAILABLE, details: 'connect ECONNREFUSED 10.0.0.7', metadata: new Metadata() });
    const received = fromGrpcError(refused as ServiceError);
    expect(received).toMatchObject({ kind: 'unavailable', code: 'service_unavailable', retryable: true });
    expect(received.message).not.toContain('10.0.0.7');
  });
});
