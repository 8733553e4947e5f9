<?php

declare(strict_types=1);

namespace Parlance\Resource;

use Parlance\CallOptions;
use Parlance\Core\EventStreams;
use Parlance\Core\Request;
use Parlance\Core\Transport;
use Parlance\Exception\ApiException;
use Parlance\Exception\ParlanceException;
use Parlance\Generated\Types;

/**
 * Questions about transcripts.
 *
 * @phpstan-import-type QuestionAcross from Types
 * @phpstan-import-type ChatAnswer from Types
 * @phpstan-import-type ChatStreamEvent from Types
 * @phpstan-import-type ChatErrorEvent from Types
 */
final class Chat
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Asks about all transcripts, or about that of `job_id`.
     *
     * @param QuestionAcross $question
     * @return ChatAnswer
     */
    public function ask(array $question, ?CallOptions $options = null): array
    {
        /** @var ChatAnswer $answer */
        $answer = $this->transport->object(new Request('POST', '/chat', json: $question), $options);
        return $answer;
    }

    /**
     * Asks, and gives the answer while it is written: `delta`, `citations`, then `done` with the whole answer.
     *
     * @param QuestionAcross $question
     * @return \Generator<int, ChatStreamEvent>
     * @throws ApiException when the server interrupts its answer
     */
    public function stream(array $question, ?CallOptions $options = null): \Generator
    {
        $given = ($options ?? new CallOptions())->withKey(Transport::newKey());
        $response = $this->transport->stream(new Request('POST', '/chat', json: $question, headers: ['accept' => 'text/event-stream']), $given);
        try {
            foreach (EventStreams::events($response, ['done']) as $event) {
                if ($event['event'] === 'error') {
                    /** @var ChatErrorEvent $event */
                    throw new ApiException($event['status'], $event, $response->headers());
                }
                /** @var ChatStreamEvent $event */
                yield $event;
            }
        } catch (ParlanceException $error) {
            throw $error->withKey($given->idempotencyKey);
        }
    }
}
