<?php

declare(strict_types=1);

namespace Parlance\Http;

use Parlance\Core\Watch;
use Parlance\Exception\ParlanceException;

/** An HTTP client, as this package uses it. */
interface HttpAdapter
{
    /**
     * Sends a request, and returns when the head of its response has come.
     *
     * @param bool $isStreamed whether the body has to be read while it comes
     * @throws ParlanceException when the connection breaks, a time-out passes, or the call is canceled
     */
    public function send(#[\SensitiveParameter] OutgoingRequest $request, Watch $watch, bool $isStreamed): IncomingResponse;
}
