"""An order becomes a delivered one in the app. Run by pytest or `python3 -m unittest`.

APP starts the app. APP_URL is where it receives webhooks, unless the first line that it prints ends with that.
"""

import json
import os
import queue
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

DLV = os.environ.get("DLV", "dlv").split()
APP = os.environ.get("APP", "python3 receiver.py").split()
APP_URL = os.environ.get("APP_URL")
HTTP = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # The sandbox is on this machine.
ORDER = {
    "clientOrderReference": "TEST-1",
    "pickup": {"storeReference": "STORE-001"},
    "dropoff": {
        "address": "418 Ramsey Street, Fayetteville, NC 28301",
        "contactName": "Dana Whitfield",
        "contactPhone": "+19105550147",
    },
    "metadata": {"sandbox_pace": "robo"},
}


def call(method, url, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **headers}, method=method)
    with HTTP.open(request, timeout=10) as response:
        return json.load(response)


def wait_until_it_listens(url):
    address = urllib.parse.urlsplit(url)
    for attempt in range(200):
        try:
            return socket.create_connection((address.hostname, address.port)).close()
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"nothing listens on {url}")


class OrderTest(unittest.TestCase):
    def start(self, command, **environment):
        """Starts a program and returns the queue of its lines; it ends with the test."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
        lines = queue.Queue()
        reader = threading.Thread(target=lambda: [lines.put(line.strip()) for line in process.stdout])
        reader.start()
        for end in (process.stdout.close, reader.join, process.wait, process.terminate):
            self.addCleanup(end)
        return lines

    def setUp(self):
        sandbox = [*DLV, "sandbox", "start", "--port", "0", "--data", ":memory:", "--quiet", "-o", "json"]
        self.ready = json.loads(self.start(sandbox).get(timeout=20))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        events = os.path.join(folder.name, "events.jsonl")
        self.app = self.start(
            APP,
            PORT=str(urllib.parse.urlsplit(APP_URL).port) if APP_URL else "0",
            EVENTS_FILE=events,
            DLV_WEBHOOK_SECRET=self.ready["webhookSecret"],
            PYTHONUNBUFFERED="1",
        )
        if APP_URL:
            wait_until_it_listens(APP_URL)
        self.control("/endpoints", {"url": APP_URL or self.app.get(timeout=20).split()[-1]})

    def control(self, path, body):
        return call("POST", self.ready["controlUrl"] + path, body)

    def api(self, method, path, body=None, **headers):
        key = {"authorization": f"Bearer {self.ready['apiKey']}"}
        return call(method, self.ready["baseUrl"] + path, body, **key, **headers)

    def test_the_app_hears_of_the_delivery(self):
        created = self.api("POST", "/deliveries", ORDER, **{"idempotency-key": "test-1"})
        self.control("/clock", {"advance": "10m"})
        self.assertEqual(self.api("GET", f"/deliveries/{created['deliveryId']}")["status"], "delivered")
        while "delivery.delivered TEST-1" not in self.app.get(timeout=20):
            pass


if __name__ == "__main__":
    unittest.main()
