<?php

// Makes one call with the PHP client, and prints how it ended.

declare(strict_types=1);

use Parlance\CallOptions;
use Parlance\Client;
use Parlance\Exception\ParlanceException;

require $argv[1];

/** @var array{call: string, base_url: string, api_key: string, recording: string, job_id: string, idempotency_key?: string, max_retries: int} $run */
$run = json_decode((string) stream_get_contents(STDIN), true);
$client = new Client($run['base_url'], $run['api_key'], maxRetries: $run['max_retries']);
$options = new CallOptions(idempotencyKey: $run['idempotency_key'] ?? null);

/** Without what the tests do not look at. */
const PLAIN = ['diarization' => false, 'summary' => false, 'highlights' => false];

function eventsOf(Client $client, string $recording, CallOptions $options): array
{
    $jobId = $client->transcriptions->create(PLAIN, file: $recording, options: $options)['job_id'];
    $last = null;
    foreach ($client->transcriptions->events($jobId) as $event) {
        $last = $event;
    }
    return ['job_id' => $jobId, 'status' => $last['status'] ?? null];
}

function answerOf(Client $client, string $jobId, CallOptions $options): array
{
    $last = null;
    foreach ($client->chat->stream(['message' => 'What was said?', 'job_id' => $jobId], $options) as $event) {
        $last = $event;
    }
    return ['text' => $last['answer'] ?? ''];
}

try {
    $outcome = ['result' => match ($run['call']) {
        'transcribe' => $client->transcriptions->transcribe(PLAIN, file: $run['recording'], options: $options),
        'events' => eventsOf($client, $run['recording'], $options),
        'export' => ['text' => mb_convert_encoding($client->transcriptions->export($run['job_id'], 'pdf'), 'UTF-8', 'ISO-8859-1')],
        'chat' => answerOf($client, $run['job_id'], $options),
    }];
} catch (ParlanceException $error) {
    $outcome = ['error' => array_filter([
        'type' => (new ReflectionClass($error))->getShortName(),
        'message' => $error->getMessage(),
        'retryable' => $error->retryable,
        'job_id' => $error->jobId,
        'idempotency_key' => $error->idempotencyKey,
        'attempts' => $error->attempts,
    ], static fn (mixed $value): bool => $value !== null)];
}
echo json_encode($outcome, JSON_THROW_ON_ERROR);
