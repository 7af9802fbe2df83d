#!/usr/bin/env bash
# A server takes a POST whole and closes the connection without an answer. curl 7.88 of Debian 12 (and PHP's extension, which is libcurl) sends
# the POST again if the connection had served a request before; HttpURLConnection of Java 17 and Python's httplib2 0.20 do so on any connection.
# Nobody asked for a retry, and the caller sees one failed call. java.net.http.HttpClient sends it once, as does curl on a new connection.
# An order without an Idempotency-Key is then placed twice by a client whose own code never repeats anything.
set -eu
for program in curl java node; do command -v "$program" >/dev/null || { echo 'apt-get install curl openjdk-17-jdk-headless python3-httplib2'; exit 1; }; done
folder=$(mktemp -d)
server=
# shellcheck disable=SC2317 # called by the trap
finish() { if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$folder"; }
trap finish EXIT
cd "$folder"
cat >server.mjs <<'JS'
import { createServer } from 'node:http'
let posts = 0
createServer((request, response) => {
  if (request.url === '/count') {
    response.end(String(posts))
    posts = 0
  } else if (request.method === 'GET') response.end('hello')
  else request.resume().on('end', () => { posts += 1; request.socket.destroy() })
}).listen(18801, '127.0.0.1')
JS
cat >Plain.java <<'JAVA'
import java.net.*;
public class Plain {
  public static void main(String[] given) throws Exception {
    var connection = (HttpURLConnection) new URL("http://127.0.0.1:18801/orders").openConnection();
    connection.setDoOutput(true);
    connection.getOutputStream().write("order=1".getBytes());
    try { connection.getResponseCode(); } catch (java.io.IOException lost) { System.err.println(lost); }
  }
}
JAVA
cat >Newer.java <<'JAVA'
import java.net.URI;
import java.net.http.*;
public class Newer {
  public static void main(String[] given) throws Exception {
    var client = HttpClient.newHttpClient();
    var at = URI.create("http://127.0.0.1:18801/orders");
    var text = HttpResponse.BodyHandlers.ofString();
    client.send(HttpRequest.newBuilder(at).build(), text);
    var order = HttpRequest.newBuilder(at).POST(HttpRequest.BodyPublishers.ofString("order=1")).build();
    try { client.send(order, text); } catch (java.io.IOException lost) { System.err.println(lost); }
  }
}
JAVA
cat >post.py <<'PY'
import httplib2
try:
    httplib2.Http().request("http://127.0.0.1:18801/orders", "POST", body="order=1")
except Exception as lost:
    print(lost)
PY
node server.mjs & server=$!
for _ in $(seq 50); do curl -s -o /dev/null http://127.0.0.1:18801/count && break; sleep 0.2; done
curl --version | head -1 | cut -d' ' -f1,2
java -version 2>&1 | head -1
/usr/bin/python3 -c 'import httplib2; print("httplib2", httplib2.__version__)'
failed=0
sent() { # NAME EXPECTED COMMAND...
  "${@:3}" >/dev/null 2>&1 || true
  local posts; posts=$(curl -s http://127.0.0.1:18801/count)
  echo "$1: the server had $posts POST(s)"
  [ "$posts" = "$2" ] || failed=1
}
sent 'curl, new connection' 1 curl -s -d order=1 http://127.0.0.1:18801/orders
sent 'curl, connection used before' 2 curl -s http://127.0.0.1:18801/ --next -s -d order=1 http://127.0.0.1:18801/orders
sent 'HttpURLConnection' 2 java Plain.java
sent 'HttpClient, connection used before' 1 java Newer.java
sent 'httplib2' 2 /usr/bin/python3 post.py
exit $failed
