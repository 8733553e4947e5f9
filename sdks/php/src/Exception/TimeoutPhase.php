<?php

declare(strict_types=1);

namespace Parlance\Exception;

/** The part of a call that took too long. */
enum TimeoutPhase: string
{
    case Connect = 'connect';
    case Read = 'read';
    case Total = 'total';
    case Wait = 'wait';
}
