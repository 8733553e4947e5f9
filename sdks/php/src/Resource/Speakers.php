<?php

declare(strict_types=1);

namespace Parlance\Resource;

use Parlance\CallOptions;
use Parlance\Core\Request;
use Parlance\Core\Transport;
use Parlance\Generated\Types;
use Parlance\Pages;

/**
 * The speakers of a job.
 *
 * @phpstan-import-type Speaker from Types
 * @phpstan-import-type SpeakerMerge from Types
 * @phpstan-import-type SpeakerPage from Types
 */
final class Speakers
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * @return Pages<Speaker>
     */
    public function list(string $jobId, ?CallOptions $options = null): Pages
    {
        return new Pages(function (?string $cursor) use ($options, $jobId): array {
            /** @var array{data: list<Speaker>, next_cursor?: string|null, has_more?: bool} $page */
            $page = $this->transport->object(new Request('GET', Request::path('transcriptions', $jobId, 'speakers'), ['cursor' => $cursor]), $options);
            return $page;
        });
    }

    /**
     * Changes the name in transcript, captions and search.
     *
     * @return Speaker
     */
    public function rename(string $jobId, string $speakerId, string $name, ?CallOptions $options = null): array
    {
        /** @var Speaker $answer */
        $answer = $this->transport->object(new Request('PATCH', Request::path('transcriptions', $jobId, 'speakers', $speakerId), json: ['name' => $name]), $options);
        return $answer;
    }

    /**
     * Makes one speaker of two.
     *
     * @param SpeakerMerge $merge
     * @return SpeakerPage
     */
    public function merge(string $jobId, array $merge, ?CallOptions $options = null): array
    {
        /** @var SpeakerPage $answer */
        $answer = $this->transport->object(new Request('POST', Request::path('transcriptions', $jobId, 'speakers', 'merge'), json: $merge), $options);
        return $answer;
    }
}
