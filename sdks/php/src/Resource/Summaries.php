<?php

declare(strict_types=1);

namespace Parlance\Resource;

use Parlance\CallOptions;
use Parlance\Core\Request;
use Parlance\Core\Transport;
use Parlance\Generated\Types;
use Parlance\Pages;

/**
 * Summaries of a job.
 *
 * @phpstan-import-type Summary from Types
 * @phpstan-import-type AcceptedSummary from Types
 * @phpstan-import-type NewSummary from Types
 * @phpstan-import-type GetOneSummaryQuery from Types
 */
final class Summaries
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * The summary that the job itself has.
     *
     * @return Summary
     */
    public function default(string $jobId, ?CallOptions $options = null): array
    {
        /** @var Summary $answer */
        $answer = $this->transport->object(new Request('GET', Request::path('transcriptions', $jobId, 'summary')), $options);
        return $answer;
    }

    /**
     * Orders a further summary. Read it with `get` and `wait`.
     *
     * @param NewSummary $summary
     * @return AcceptedSummary
     */
    public function create(string $jobId, array $summary = [], ?CallOptions $options = null): array
    {
        /** @var AcceptedSummary $answer */
        $answer = $this->transport->object(new Request('POST', Request::path('transcriptions', $jobId, 'summaries'), json: $summary), $options);
        return $answer;
    }

    /**
     * With `wait`, the server holds its answer for so many seconds until the summary has ended.
     *
     * @param GetOneSummaryQuery $query
     * @return Summary
     */
    public function get(string $jobId, string $summaryId, array $query = [], ?CallOptions $options = null): array
    {
        /** @var Summary $answer */
        $answer = $this->transport->object(new Request('GET', Request::path('transcriptions', $jobId, 'summaries', $summaryId), $query, held: (float) ($query['wait'] ?? 0)), $options);
        return $answer;
    }

    /**
     * @return Pages<Summary>
     */
    public function list(string $jobId, ?CallOptions $options = null): Pages
    {
        return new Pages(function (?string $cursor) use ($options, $jobId): array {
            /** @var array{data: list<Summary>, next_cursor?: string|null, has_more?: bool} $page */
            $page = $this->transport->object(new Request('GET', Request::path('transcriptions', $jobId, 'summaries'), ['cursor' => $cursor]), $options);
            return $page;
        });
    }

    public function delete(string $jobId, string $summaryId, ?CallOptions $options = null): void
    {
        $this->transport->json(new Request('DELETE', Request::path('transcriptions', $jobId, 'summaries', $summaryId)), $options);
    }
}
