import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.nio.file.*;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Receives webhooks of the Delivery Service with nothing but Java 17. DLV_WEBHOOK_SECRET is the signing secret. */
public final class Receiver {
  static final int MAX_BODY = 1 << 20;
  static final int TOLERANCE_SECONDS = 300;
  static final String WHAT_TO_DO =
      "Correct or delete the line: an event that a crash cut off was not acknowledged and is sent again.";
  static final String WHEN_AGAIN =
      "It is handled again at the next start, unless a newer event of its delivery is done by then.";
  static final List<byte[]> KEYS = keys();

  static List<byte[]> keys() {
    try {
      return Arrays.stream(System.getenv().getOrDefault("DLV_WEBHOOK_SECRET", "").split("[\\s,]+"))
          .filter(secret -> !secret.isEmpty()).map(Receiver::keyOf).toList();
    } catch (IllegalArgumentException unusable) {
      System.err.println("DLV_WEBHOOK_SECRET is malformed: a secret is whsec_ and the base64 of 16 bytes or more,"
          + " not a placeholder, a path or a signature.");
      System.exit(1);
      return List.of();
    }
  }

  static byte[] keyOf(String secret) {
    String words = "(?i:.*(?:secret|webhook|change.?me|replace|x{8}).*)|(?:whsec_)?(?:[a-z/]+|[A-Z/]+)=*";
    if (!secret.matches("(?:whsec_)?[A-Za-z0-9+/]{22,}={0,2}") || secret.matches(words)) throw new IllegalArgumentException();
    return Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
  }

  /** Whether a signature is of one of our secrets, over the bytes as they arrived, within five minutes. */
  static boolean isSigned(String id, String timestamp, String signatures, byte[] body) throws GeneralSecurityException {
    if (id == null || timestamp == null || signatures == null || !timestamp.matches("[0-9]{1,12}")) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
    for (byte[] key : KEYS) {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((id + "." + timestamp + ".").getBytes(UTF_8));
      byte[] good = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(UTF_8);
      for (String given : signatures.split(" "))
        if (MessageDigest.isEqual(given.getBytes(UTF_8), good)) return true;
    }
    return false;
  }

  /** Your work, once an event is on disk: tell the customer, close the order. After a crash it may come again. */
  static void handle(Map<?, ?> event) throws Exception {
    System.out.println(event.get("eventType") + " " + ((Map<?, ?>) event.get("delivery")).get("clientOrderReference"));
  }

  /** An event as the service sends it; deliveryId is null if it is about something else. */
  record Event(String id, Instant at, String deliveryId, Map<?, ?> body) {
    /** Throws if the JSON is something else. */
    static Event of(Object json) {
      if (!(json instanceof Map<?, ?> body) || !(body.get("eventId") instanceof String id)
          || !(body.get("eventType") instanceof String) || !(body.get("occurredAt") instanceof String at))
        throw new IllegalArgumentException("eventId, eventType or occurredAt is not a string");
      if (!id.matches("[ -~&&[^\"\\\\]]+")) throw new IllegalArgumentException("eventId has unexpected characters");
      var delivery = (Map<?, ?>) body.get("delivery");
      return new Event(id, Instant.parse(at), delivery == null ? null : (String) delivery.get("deliveryId"), body);
    }
  }

  /** Holds each event once, the newest of each delivery and the work to do. Use tables of your database instead. */
  static final class Store {
    private final Set<String> eventIds = new HashSet<>();
    private final Map<String, Instant> newest = new HashMap<>();
    private final ExecutorService work = Executors.newSingleThreadExecutor();
    private final Path file;

    Store(Path file) throws IOException {
      this.file = file;
      var todo = new LinkedHashMap<String, Event>();
      var doneUntil = new HashMap<String, Instant>();
      String[] lines = new String(Files.exists(file) ? Files.readAllBytes(file) : new byte[0], UTF_8).split("\n");
      for (int at = 0; at < lines.length; at++) {
        if (lines[at].isBlank()) continue;
        try {
          var record = Json.parse(lines[at]);
          if (record instanceof Map<?, ?> mark && mark.get("done") instanceof String id && !mark.containsKey("eventId")) {
            var done = todo.remove(id);
            if (done != null) doneUntil.put(done.deliveryId, done.at);
          } else {
            var event = Event.of(record);
            if (apply(event).equals("processed")) todo.put(event.id, event);
          }
        } catch (RuntimeException | StackOverflowError error) {
          System.err.printf("%s:%d: skipped, not an event (%s). %s%n", file, at + 1, error, WHAT_TO_DO);
        }
      }
      for (var event : todo.values())
        if (!event.at.isBefore(doneUntil.getOrDefault(event.deliveryId, event.at))) work.execute(() -> attempt(event));
    }

    /** Says what became of the event: processed, outdated, ignored or duplicate. It is on disk by then. */
    synchronized String take(Event event, byte[] body) throws IOException {
      if (eventIds.contains(event.id)) return "duplicate";
      append(new String(body, UTF_8).replaceAll("[\r\n]", " "));
      String outcome = apply(event);
      if (outcome.equals("processed")) work.execute(() -> attempt(event));
      return outcome;
    }

    /** Handles an event after those before it. One that fails holds up no other. */
    private void attempt(Event event) {
      try {
        handle(event.body);
        append("{\"done\":\"" + event.id + "\"}");
      } catch (Throwable failure) {
        System.err.println(event.id + " failed. " + WHEN_AGAIN);
        failure.printStackTrace();
      }
    }

    private synchronized void append(String line) throws IOException {
      // The break comes first: a line that a crash cut off spoils no other.
      Files.writeString(file, "\n" + line, StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.DSYNC);
    }

    private String apply(Event event) {
      eventIds.add(event.id);
      if (event.deliveryId == null) return "ignored";
      if (newest.getOrDefault(event.deliveryId, event.at).isAfter(event.at)) return "outdated";
      newest.put(event.deliveryId, event.at);
      return "processed";
    }
  }

  static void answer(HttpExchange exchange, int status, String json) throws IOException {
    byte[] text = json.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  static void receive(HttpExchange exchange, Store store) throws Exception {
    if (!exchange.getRequestMethod().equals("POST")) {
      exchange.getResponseHeaders().set("Allow", "POST");
      answer(exchange, 405, "{\"error\":\"webhooks come by POST\"}");
      return;
    }
    byte[] body;
    try {
      body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
    } catch (IOException error) { // Cut off, or with a trailer after its chunks, which this server cannot read.
      exchange.getResponseHeaders().set("Connection", "close");
      answer(exchange, 400, "{\"error\":\"the body cannot be read\"}");
      return;
    }
    var headers = exchange.getRequestHeaders();
    String id = headers.getFirst("webhook-id");
    if (body.length > MAX_BODY) {
      answer(exchange, 413, "{\"error\":\"the body is larger than 1 MiB\"}");
    } else if (!isSigned(id, headers.getFirst("webhook-timestamp"), headers.getFirst("webhook-signature"), body)) {
      answer(exchange, 401, "{\"error\":\"the signature does not match\"}");
    } else {
      Event event;
      try {
        event = Event.of(Json.parse(new String(body, UTF_8)));
      } catch (RuntimeException | StackOverflowError error) { // It would be no better if the service sent it again.
        System.err.println(id + " is well signed but not an event, ignored (" + error + ")");
        answer(exchange, 200, "{\"outcome\":\"ignored\"}");
        return;
      }
      answer(exchange, 200, "{\"outcome\":\"" + store.take(event, body) + "\"}");
    }
  }

  public static void main(String[] args) throws IOException {
    var environment = System.getenv();
    if (KEYS.isEmpty()) {
      System.err.println("Set DLV_WEBHOOK_SECRET to the signing secret.");
      System.exit(1);
    }
    var store = new Store(Path.of(environment.getOrDefault("EVENTS_FILE", "events.jsonl")));
    int port = Integer.parseInt(environment.getOrDefault("PORT", "3000"));
    // A request that is not there after so many seconds is given up.
    System.setProperty("sun.net.httpserver.maxReqTime", "30");
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/webhooks", exchange -> {
      try {
        receive(exchange, store);
      } catch (Exception error) {
        System.err.println(error);
        exchange.close();
      }
    });
    server.start();
    System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort() + "/webhooks");
  }

  /** The Java library reads no JSON; in your app, this is your JSON library. */
  static final class Json {
    private final String text;
    private int at = 0;

    private Json(String text) {
      this.text = text;
    }

    static Object parse(String text) {
      return new Json(text).value();
    }

    private char next() {
      while (" \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
      return text.charAt(at);
    }

    private Object value() {
      switch (next()) {
        case '{':
          var map = new LinkedHashMap<String, Object>();
          for (at++; next() != '}'; at += next() == ',' ? 1 : 0) {
            String name = (String) value();
            if (next() != ':') throw new IllegalArgumentException("expected : at " + at);
            at++;
            map.put(name, value());
          }
          at++;
          return map;
        case '[':
          var list = new ArrayList<Object>();
          for (at++; next() != ']'; at += next() == ',' ? 1 : 0) list.add(value());
          at++;
          return list;
        case '"':
          return string();
        default:
          int start = at;
          while (at < text.length() && "+-.0123456789abcdefghijklmnopqrstuvwxyzE".indexOf(text.charAt(at)) >= 0) at++;
          String word = text.substring(start, at);
          return word.equals("null") ? null : word.matches("true|false") ? word.equals("true") : new BigDecimal(word);
      }
    }

    private String string() {
      var out = new StringBuilder();
      for (at++; text.charAt(at) != '"'; at++) {
        char read = text.charAt(at);
        if (read == '\\') {
          read = text.charAt(++at);
          int known = "bfnrt".indexOf(read);
          if (known >= 0) read = "\b\f\n\r\t".charAt(known);
          if (text.charAt(at) == 'u') read = (char) Integer.parseInt(text.substring(at + 1, (at += 4) + 1), 16);
        }
        out.append(read);
      }
      at++;
      return out.toString();
    }
  }
}
