<?php

declare(strict_types=1);

namespace Parlance\Resource;

use Parlance\CallOptions;
use Parlance\Core\FileUpload;
use Parlance\Core\Request;
use Parlance\Core\Transport;
use Parlance\File;
use Parlance\Generated\Types;
use Parlance\Pages;
use Psr\Http\Message\StreamInterface;

/**
 * Files that jobs are made of.
 *
 * @phpstan-import-type Upload from Types
 * @phpstan-import-type ListUploadsQuery from Types
 */
final class Uploads
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Uploads a file, of which at most 8 MiB are in memory. Its `upload_id` creates any number of jobs.
     *
     * @param File|string|\SplFileInfo|resource|StreamInterface|iterable<string> $file a text is a path
     * @param (\Closure(int, int): void)|null $onProgress receives the bytes that were sent, and all
     * @return Upload
     */
    public function create(mixed $file, ?string $fileName = null, ?\Closure $onProgress = null, ?CallOptions $options = null): array
    {
        $opened = File::of($file);
        $given = ($options ?? new CallOptions())->withKey(Transport::newKey());
        /** @var Upload $upload */
        $upload = (new FileUpload($this->transport, $given, $fileName ?? $opened->name, $onProgress))->send($opened);
        return $upload;
    }

    /**
     * Uploads are made by `create`; this is the state of one.
     *
     * @return Upload
     */
    public function get(string $uploadId, ?CallOptions $options = null): array
    {
        /** @var Upload $answer */
        $answer = $this->transport->object(new Request('GET', Request::path('uploads', $uploadId)), $options);
        return $answer;
    }

    /**
     * @param ListUploadsQuery $query
     * @return Pages<Upload>
     */
    public function list(array $query = [], ?CallOptions $options = null): Pages
    {
        return new Pages(function (?string $cursor) use ($query, $options): array {
            /** @var array{data: list<Upload>, next_cursor?: string|null, has_more?: bool} $page */
            $page = $this->transport->object(new Request('GET', '/uploads', [...$query, ...($cursor === null ? [] : ['cursor' => $cursor])]), $options);
            return $page;
        });
    }

    public function delete(string $uploadId, ?CallOptions $options = null): void
    {
        $this->transport->json(new Request('DELETE', Request::path('uploads', $uploadId)), $options);
    }
}
