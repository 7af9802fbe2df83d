import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.*;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.*;
import java.util.function.Consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Creates orders at the Delivery Service, each once, with nothing but Java 17. Set DLV_BASE_URL and DLV_API_KEY. */
public final class Client {
  static final String BASE_URL = System.getenv().getOrDefault("DLV_BASE_URL", "").replaceFirst("/+$", "");
  static final int ATTEMPTS = 10;
  // Redirects would carry the key to another host, and take its answer for the service's.
  static final HttpClient HTTP = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER)
      .connectTimeout(Duration.ofSeconds(10)).build();

  /** The service refused a request; sending the same again changes nothing. */
  static final class ServiceException extends IOException {
    final int status;
    final Object code;

    ServiceException(int status, Map<?, ?> error) {
      super(status + " " + error.get("code") + ": " + error.get("message") + " (" + error.get("requestId") + ")");
      this.status = status;
      this.code = error.get("code");
    }

    boolean mayPass() {
      return status == 429 || status >= 500 || "IDEMPOTENCY_CONFLICT".equals(code);
    }
  }

  /** Sends a request until there is a final answer. The key and the bytes are the same each time. */
  static Map<?, ?> request(String method, String path, String body, String key) throws Exception {
    var sent = HttpRequest.newBuilder(URI.create(BASE_URL + path)).timeout(Duration.ofSeconds(30))
        .header("Authorization", "Bearer " + System.getenv("DLV_API_KEY"))
        .header("Content-Type", "application/json")
        .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (key != null) sent.header("Idempotency-Key", key);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      double wait = (0.5 + Math.random() / 2) * Math.min(30, 0.5 * (1 << attempt));
      String reason;
      try {
        var response = HTTP.send(sent.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() < 300) return (Map<?, ?>) Json.parse(response.body());
        var seconds = response.headers().firstValue("Retry-After").filter(text -> text.matches("[0-9]{1,6}"));
        wait = Math.max(wait, seconds.map(Integer::parseInt).orElse(0));
        var error = response.statusCode() >= 400 ? errorOf(response.body()) : Map.of("code", "REDIRECT", "message",
            "not followed, check DLV_BASE_URL: " + response.headers().firstValue("Location").orElse(""));
        var refusal = new ServiceException(response.statusCode(), error);
        if (!refusal.mayPass()) throw refusal;
        reason = refusal.getMessage();
      } catch (ServiceException refusal) {
        throw refusal;
      } catch (IOException | RuntimeException lost) {
        reason = "no answer: " + lost;
      }
      System.err.printf("%s %s: %s; trying again in %.1f s%n", method, path, reason, wait);
      Thread.sleep((long) (wait * 1000));
    }
    throw new IOException(method + " " + path + ": no final answer after " + ATTEMPTS + " attempts; run it again");
  }

  /** The error of the contract; something in front of the service may answer with anything. */
  static Map<?, ?> errorOf(String body) {
    try {
      if (((Map<?, ?>) Json.parse(body)).get("error") instanceof Map<?, ?> error) return error;
    } catch (RuntimeException notOfTheContract) {
      // No JSON, or no object.
    }
    return Map.of();
  }

  /** Creates a delivery. The key is derived from the reference, so that a second run repeats and does not create. */
  static Map<?, ?> create(String order) throws Exception {
    if (!(Json.parse(order) instanceof Map<?, ?> of) || !(of.get("clientOrderReference") instanceof String reference)
        || reference.isEmpty()) throw new IllegalArgumentException("the order has no clientOrderReference");
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(reference.getBytes(UTF_8));
    try {
      return request("POST", "/deliveries", order, "order-" + HexFormat.of().formatHex(hash));
    } catch (ServiceException refusal) {
      // The service forgets a key after a day, but not the reference.
      var existing = new ArrayList<Map<?, ?>>();
      if ("DUPLICATE_ORDER".equals(refusal.code))
        deliveries("clientOrderReference=" + URLEncoder.encode(reference, UTF_8), existing::add);
      if (existing.isEmpty()) throw refusal;
      return existing.get(0);
    }
  }

  /** All deliveries of a list, page by page. Pages may be short or empty: only a missing cursor is the end. */
  static void deliveries(String query, Consumer<Map<?, ?>> visit) throws Exception {
    Object cursor = null;
    do {
      String rest = cursor == null ? "" : "&cursor=" + URLEncoder.encode(cursor.toString(), UTF_8);
      var page = request("GET", "/deliveries?" + query + rest, "", null);
      for (var delivery : (List<?>) page.get("deliveries")) visit.accept((Map<?, ?>) delivery);
      cursor = page.get("nextCursor");
    } while (cursor != null);
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 1 || BASE_URL.isEmpty() || System.getenv("DLV_API_KEY") == null) {
      System.err.println("usage: java Client.java ORDERS.ndjson, with DLV_BASE_URL and DLV_API_KEY set");
      System.exit(1);
    }
    var references = new HashSet<Object>();
    int orders = 0, refused = 0, number = 0;
    var oldest = Instant.now().minus(Duration.ofDays(1));
    for (String order : Files.readAllLines(Path.of(args[0]))) {
      number++;
      if (order.isBlank()) continue;
      orders++;
      try {
        var delivery = create(order);
        references.add(delivery.get("clientOrderReference"));
        var created = delivery.get("createdAt") instanceof String at ? Instant.parse(at) : oldest;
        if (created.isBefore(oldest)) oldest = created;
        System.out.printf("%s %s %s%n", delivery.get("clientOrderReference"), delivery.get("deliveryId"), delivery.get("status"));
      } catch (ServiceException | RuntimeException refusal) {
        refused++;
        System.err.println("line " + number + ": " + refusal.getMessage());
      }
    }
    var found = new ArrayList<Object>();
    try {
      deliveries("limit=100&from=" + oldest, one -> found.add(one.get("clientOrderReference")));
    } catch (ServiceException refusal) {
      System.err.println(refusal.getMessage());
      System.exit(1);
    }
    long listed = found.stream().filter(references::contains).count();
    System.out.println(orders + " orders, " + refused + " refused, " + listed + " deliveries");
    System.exit(refused == 0 && listed == orders ? 0 : 1);
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
