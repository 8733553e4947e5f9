<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\CallOptions;
use Parlance\Exception\ConnectionException;
use Parlance\Exception\ParlanceException;
use Parlance\Http\IncomingResponse;

/** Reads streams of events, and opens them again when they break. */
final class EventStreams
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * The events of an answer, until the last one.
     *
     * @param list<string> $lastNames the events after which nothing follows
     * @return \Generator<int|string, array<string, mixed>> each by its id, where it has one
     */
    public static function events(IncomingResponse $response, array $lastNames): \Generator
    {
        $parser = new EventParser();
        try {
            while (($piece = $response->read()) !== null) {
                foreach ($parser->feed($piece) as [$id, $event]) {
                    yield $id ?? '' => $event;
                    if (in_array($event['event'] ?? null, $lastNames, true)) {
                        return;
                    }
                }
            }
            throw new ConnectionException('The stream ended before its last event.');
        } finally {
            $response->close();
        }
    }

    /**
     * Events until the last one. A broken connection is resumed after the last event that came.
     *
     * @param list<string> $lastNames
     * @return \Generator<int|string, array<string, mixed>>
     */
    public function follow(string $path, array $lastNames, ?string $lastEventId, CallOptions $options): \Generator
    {
        $failures = 0;
        // The retries are counted here, over all connections without an event.
        $once = $options->withoutRetries();
        while (true) {
            try {
                $request = new Request('GET', $path, headers: ['accept' => 'text/event-stream', 'last-event-id' => $lastEventId]);
                $response = $this->transport->stream($request, $once);
                // The server has nothing after the last event.
                if ($response->status() === 204) {
                    $response->close();
                    return;
                }
                foreach (self::events($response, $lastNames) as $id => $event) {
                    $failures = 0;
                    $lastEventId = $id === '' ? $lastEventId : (string) $id;
                    yield $id => $event;
                }
                return;
            } catch (ParlanceException $error) {
                $error->attempts = $failures + 1;
                $pause = $failures < $this->transport->maxRetriesOf($options) ? Retries::pauseBefore($failures, $error) : null;
                if ($pause === null) {
                    throw $error;
                }
            }
            $failures++;
            $this->transport->watch($options)->sleep($pause);
        }
    }
}
