"""The messages of a live session (docs/live.md). Messages that this version does not know have other types."""

from typing import TypeAlias

from . import live_types

LiveReady: TypeAlias = live_types.ReadyPayload
LiveAck: TypeAlias = live_types.AckPayload
LivePartial: TypeAlias = live_types.PartialPayload
LiveFinal: TypeAlias = live_types.FinalPayload
LiveSpeechStarted: TypeAlias = live_types.SpeechStartedPayload
LiveSpeechEnded: TypeAlias = live_types.SpeechEndedPayload
LiveGap: TypeAlias = live_types.GapPayload
LiveWarning: TypeAlias = live_types.WarningPayload
LiveGoAway: TypeAlias = live_types.GoAwayPayload
LiveFinished: TypeAlias = live_types.FinishedPayload
LiveProblem: TypeAlias = live_types.ErrorPayload

LiveMessage: TypeAlias = (
    LiveReady | LiveAck | LivePartial | LiveFinal | LiveSpeechStarted | LiveSpeechEnded | LiveGap | LiveWarning | LiveGoAway | LiveFinished | LiveProblem
)
