"""An order becomes a delivered one in the app. Run by pytest or `python3 -m unittest`. APP starts the app."""

import json
import os
import queue
import subprocess
import tempfile
import threading
import unittest
import urllib.request

DLV = os.environ.get("DLV", "dlv").split()
APP = os.environ.get("APP", "python3 receiver.py").split()
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
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


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
        self.app = self.start(APP, PORT="0", EVENTS_FILE=events, DLV_WEBHOOK_SECRET=self.ready["webhookSecret"])
        self.control("/endpoints", {"url": self.app.get(timeout=20).split()[-1]})

    def control(self, path, body):
        return call("POST", self.ready["controlUrl"] + path, body)

    def api(self, method, path, body=None, **headers):
        key = {"authorization": f"Bearer {self.ready['apiKey']}"}
        return call(method, self.ready["baseUrl"] + path, body, **key, **headers)

    def test_the_app_hears_of_the_delivery(self):
        created = self.api("POST", "/deliveries", ORDER, **{"idempotency-key": "test-1"})
        self.control("/clock", {"advance": "10m"})
        self.assertEqual(self.api("GET", f"/deliveries/{created['deliveryId']}")["status"], "delivered")
        while self.app.get(timeout=20) != "delivery.delivered TEST-1":
            pass


if __name__ == "__main__":
    unittest.main()
