"""Reads Parlance's public topics: one line an event, each event once, however often Kafka delivers it."""

import json
import os
import signal
import sqlite3
import sys

from cloudevents.core.bindings.kafka import KafkaMessage, from_binary
from cloudevents.core.exceptions import BaseCloudEventException
from cloudevents.core.formats.json import JSONFormat
from confluent_kafka import Consumer, KafkaError, KafkaException

TOPICS = ["parlance.jobs.v1", "parlance.transcripts.v1"]
# As long as the topics keep events: an older one cannot come again. Seconds.
REMEMBER_FOR = 30 * 24 * 60 * 60

SCHEMA = """
CREATE TABLE IF NOT EXISTS handled (id TEXT PRIMARY KEY, at INTEGER NOT NULL DEFAULT (unixepoch()));
CREATE INDEX IF NOT EXISTS handled_by_time ON handled (at);
CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, status TEXT NOT NULL);
"""


def settings(environment):
    """Any property of librdkafka as KAFKA_…: KAFKA_SASL_PASSWORD is sasl.password."""
    given = {
        name.removeprefix("KAFKA_").lower().replace("_", "."): value
        for name, value in environment.items()
        if name.startswith("KAFKA_") and name != "KAFKA_BROKERS"
    }
    return {
        "group.id": "team.python-consumer",
        **given,
        "bootstrap.servers": environment.get("KAFKA_BROKERS", "127.0.0.1:9092"),
        "auto.offset.reset": "earliest",
        # An offset is committed once its event is handled, not when it was fetched.
        "enable.auto.offset.store": False,
    }


def parse(message):
    """The CloudEvent of a record in binary mode. Raises ValueError or BaseCloudEventException when it is none."""
    headers = {name: value for name, value in message.headers() or [] if value is not None}
    # Without this header, the SDK would take a stranger's record for an event of version 1.0.
    if "ce_specversion" not in headers or message.value() is None:
        raise ValueError("not a CloudEvent in binary mode")
    event = from_binary(KafkaMessage(headers, message.key(), message.value()), JSONFormat())
    if not isinstance(event.get_data(), dict):
        raise ValueError("its data are no JSON object")
    return event


def handle(database, event):
    """Handles an event once: the effect and the note that it was handled are one transaction."""
    with database:
        first = database.execute("INSERT OR IGNORE INTO handled (id) VALUES (?)", (event.get_id(),)).rowcount == 1
        if first:
            apply(database, event)
    return first


def apply(database, event):
    """What this team does with events; those of types and with fields that it does not know are no concern of it."""
    job = event.get_extension("partitionkey")
    if event.get_type() == "job.deleted":
        # The job is being erased: so is every copy of its data.
        database.execute("DELETE FROM jobs WHERE id = ?", (job,))
    elif event.get_type().startswith("job."):
        # Fields at their zero value are left out of the JSON.
        status = event.get_data().get("status", "JOB_STATUS_UNSPECIFIED")
        database.execute("INSERT OR REPLACE INTO jobs VALUES (?, ?)", (job, status))


def line(topic, event):
    fields = {"topic": topic, "id": event.get_id(), "type": event.get_type(), "job": event.get_extension("partitionkey")}
    return json.dumps({**fields, "time": event.get_time().isoformat(), "data": event.get_data()})


def take(database, message):
    try:
        event = parse(message)
    except (ValueError, BaseCloudEventException) as problem:
        # Nothing will make it readable: leave it behind, or put it where somebody looks at it.
        print(f"unreadable: {message.topic()}/{message.partition()}@{message.offset()}: {problem!r}", file=sys.stderr)
        return
    # Sent once more by an operator, to one group of Parlance.
    if event.get_extension("replayfor") is not None:
        return
    if handle(database, event):
        print(line(message.topic(), event), flush=True)


def main():
    database = sqlite3.connect(os.environ.get("STATE", "state.db"))
    database.executescript(SCHEMA)
    with database:
        database.execute("DELETE FROM handled WHERE at < unixepoch() - ?", (REMEMBER_FOR,))
    stopping = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.append(True))
    consumer = Consumer(settings(os.environ))
    prefix = os.environ.get("TOPIC_PREFIX", "")
    consumer.subscribe([f"{prefix}{topic}" for topic in TOPICS])
    try:
        while not stopping:
            message = consumer.poll(0.5)
            if message is None:
                continue
            if message.error():
                if message.error().fatal() or message.error().code() in (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED):
                    raise KafkaException(message.error())
                print(f"kafka: {message.error()}", file=sys.stderr)
                continue
            take(database, message)
            consumer.store_offsets(message)
    finally:
        # Commits what was stored.
        consumer.close()
        database.close()


if __name__ == "__main__":
    main()
