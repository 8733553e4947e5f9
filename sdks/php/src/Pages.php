<?php

declare(strict_types=1);

namespace Parlance;

/**
 * A list of the API: `foreach` gives its items, page after page.
 *
 * @template Item
 * @implements \IteratorAggregate<int, Item>
 */
final class Pages implements \IteratorAggregate
{
    /** @param \Closure(string|null): array{data: list<Item>, next_cursor?: string|null, has_more?: bool} $fetchPage receives the cursor of the page */
    public function __construct(private readonly \Closure $fetchPage)
    {
    }

    /** @return \Generator<int, Item> */
    public function getIterator(): \Generator
    {
        foreach ($this->pages() as $page) {
            foreach ($page['data'] as $item) {
                yield $item;
            }
        }
    }

    /** @return \Generator<int, array{data: list<Item>, next_cursor?: string|null, has_more?: bool}> */
    public function pages(): \Generator
    {
        $cursor = null;
        do {
            $page = ($this->fetchPage)($cursor);
            yield $page;
            $cursor = ($page['has_more'] ?? true) ? $page['next_cursor'] ?? null : null;
        } while ($cursor !== null);
    }

    /**
     * The first page alone.
     *
     * @return array{data: list<Item>, next_cursor?: string|null, has_more?: bool}
     */
    public function first(): array
    {
        return ($this->fetchPage)(null);
    }
}
