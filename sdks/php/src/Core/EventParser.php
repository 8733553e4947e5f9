<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\Exception\ConnectionException;

/** Makes events of the pieces of a stream of Server-Sent Events (WHATWG HTML, 9.2). Comments, such as heartbeats, are left out. */
final class EventParser
{
    private string $rest = '';
    private ?string $id = null;

    /** @var list<string> */
    private array $data = [];

    /** @return \Generator<int, array{string|null, array<string, mixed>}> the events that are complete, with their ids */
    public function feed(string $piece): \Generator
    {
        // A CR at the end may be half of a CRLF.
        $lines = preg_split('/\r\n|\n|\r(?!\z)/', $this->rest . $piece) ?: [];
        $this->rest = array_pop($lines) ?? '';
        foreach ($lines as $line) {
            $parts = explode(':', $line, 2);
            $name = $parts[0];
            // One space belongs to the colon.
            $value = $parts[1] ?? '';
            $value = str_starts_with($value, ' ') ? substr($value, 1) : $value;
            if ($name === 'data') {
                $this->data[] = $value;
            } elseif ($name === 'id') {
                $this->id = $value;
            } elseif ($line === '') {
                yield from $this->event();
            }
        }
    }

    /** @return list<array{string|null, array<string, mixed>}> */
    private function event(): array
    {
        [$data, $id] = [$this->data, $this->id];
        [$this->data, $this->id] = [[], null];
        if ($data === []) {
            return [];
        }
        $event = json_decode(implode("\n", $data), true);
        if (!is_array($event)) {
            throw new ConnectionException('The stream has an event that is not JSON.');
        }
        /** @var array<string, mixed> $event */
        return [[$id, $event]];
    }
}
