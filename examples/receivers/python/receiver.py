"""Receives webhooks of the Delivery Service with nothing but Python 3.11. DLV_WEBHOOK_SECRET is the signing secret."""

import base64
import hmac
import json
import logging
import os
import queue
import re
import sys
import threading
import time
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY = 1_048_576
TOLERANCE_SECONDS = 300
WHAT_TO_DO = "Correct or delete the line: an event that a crash cut off was not acknowledged and is sent again."
WHEN_AGAIN = "It is handled again at the next start, unless a newer event of its delivery is done by then."
SECRETS = re.findall(r"[^\s,]+", os.environ.get("DLV_WEBHOOK_SECRET", ""))
SECRET = re.compile(r"(?:whsec_)?[A-Za-z0-9+/]{22,}={0,2}")
PLACEHOLDER = re.compile(r"(?i:secret|webhook|change.?me|replace|x{8})|^(?:whsec_)?(?:[a-z/]+|[A-Z/]+)=*$")
try:
    if not all(SECRET.fullmatch(secret) and not PLACEHOLDER.search(secret) for secret in SECRETS):
        raise ValueError
    KEYS = [base64.b64decode(secret.removeprefix("whsec_"), validate=True) for secret in SECRETS]
except ValueError:
    sys.exit(
        "DLV_WEBHOOK_SECRET is malformed: a secret is whsec_ and the base64 of 16 bytes or more, "
        "not a placeholder, a path or a signature."
    )


def is_signed(headers, body):
    """Whether one of the signatures is of one of our secrets, over the bytes as they arrived, within five minutes."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    is_time = re.fullmatch("[0-9]{1,12}", timestamp)
    if not event_id or not is_time or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in KEYS]
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, good) for one in given for good in expected)


def handle(event):
    """Your work, once an event is on disk: tell the customer, close the order. After a crash it may come again."""
    print(event["eventType"], event["delivery"].get("clientOrderReference"), flush=True)


class Event:
    """An event as the service sends it; raises if the JSON is something else."""

    def __init__(self, body):
        self.body, self.id = body, body["eventId"]
        self.at = datetime.fromisoformat(body["occurredAt"]).timestamp()
        self.delivery_id = (body.get("delivery") or {}).get("deliveryId") or ""
        for value in (self.id, body["eventType"], self.delivery_id):
            if not isinstance(value, str):
                raise TypeError(f"{value!r} is not a string")


class Store:
    """Each event once, the newest of each delivery and the work to do. Use tables of your database instead."""

    def __init__(self, path):
        self.lock, self.event_ids, self.newest, self.work = threading.Lock(), set(), {}, queue.Queue()
        self.file = open(path, "a+b")
        self.file.seek(0)
        todo, done_until = {}, {}
        for number, line in enumerate(self.file, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line.decode())
                if "eventId" in record:
                    event = Event(record)
                    if self._apply(event) == "processed":
                        todo[event.id] = event
                elif done := todo.pop(record["done"], None):
                    done_until[done.delivery_id] = done.at
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                logging.warning("%s:%d: skipped, not an event (%s). %s", path, number, reason, WHAT_TO_DO)
        for event in todo.values():
            if event.at >= done_until.get(event.delivery_id, event.at):
                self.work.put(event)

    def take(self, event, body):
        """Says what became of the event: processed, outdated, ignored or duplicate. It is on disk by then."""
        with self.lock:
            if event.id in self.event_ids:
                return "duplicate"
            self._append(b" ".join(body.splitlines()))
            os.fsync(self.file.fileno())
            outcome = self._apply(event)
            if outcome == "processed":
                self.work.put(event)
            return outcome

    def work_off(self):
        """Handles one event after the other. One that fails holds up no other."""
        while event := self.work.get():
            try:
                handle(event.body)
                with self.lock:
                    self._append(json.dumps({"done": event.id}).encode())
            except Exception:
                logging.exception("%s failed. %s", event.id, WHEN_AGAIN)

    def _append(self, line):
        self.file.write(b"\n" + line)  # The break comes first: a line that a crash cut off spoils no other.
        self.file.flush()

    def _apply(self, event):
        self.event_ids.add(event.id)
        if not event.delivery_id:
            return "ignored"
        if self.newest.get(event.delivery_id, event.at) > event.at:
            return "outdated"
        self.newest[event.delivery_id] = event.at
        return "processed"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self):
        body = self.read_body()
        if body is None:
            self.close_connection = True
            return self.answer(413, {"error": "the body is larger than 1 MiB"})
        if not is_signed(self.headers, body):
            return self.answer(401, {"error": "the signature does not match"})
        try:
            event = Event(json.loads(body.decode()))
        except Exception as error:  # It would be no better if the service sent it again.
            reason = f"{type(error).__name__}: {error}"
            logging.warning("%s is well signed but not an event, ignored (%s)", self.headers["webhook-id"], reason)
            return self.answer(200, {"outcome": "ignored"})
        self.answer(200, {"outcome": store.take(event, body)})

    def send_error(self, code, *words):
        """Answers methods other than POST with 405, and what the library refuses as it does."""
        if code != 501:
            return super().send_error(code, *words)
        self.close_connection = True
        self.answer(405, {"error": "webhooks come by POST"}, allow="POST")

    def read_body(self):
        """The raw bytes of a body with a length or in chunks; None if they are too many."""
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            length = int(self.headers.get("content-length", 0))
            return self.rfile.read(length) if 0 <= length <= MAX_BODY else None
        body = bytearray()
        while size := int(self.rfile.readline(100).split(b";")[0], 16):
            if size < 0 or len(body) + size > MAX_BODY:
                return None
            body += self.rfile.read(size)
            self.rfile.readline(100)
        self.rfile.readline(100)
        return body

    def answer(self, status, value, **headers):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        for name, text_of in headers.items():
            self.send_header(name, text_of)
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(text)


if __name__ == "__main__":
    if not KEYS:
        sys.exit("Set DLV_WEBHOOK_SECRET to the signing secret.")
    logging.basicConfig(format="%(message)s")
    store = Store(os.environ.get("EVENTS_FILE", "events.jsonl"))
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Handler)
    print(f"listening on http://127.0.0.1:{server.server_port}/webhooks", flush=True)
    threading.Thread(target=store.work_off, daemon=True).start()
    server.serve_forever()
