import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An order becomes a delivered one in the app. APP is the command of the app, and APP_URL where it receives webhooks,
 * unless the first line that it prints ends with that.
 */
class OrderTest {
  private static final String ORDER = """
      {
        "clientOrderReference": "TEST-1",
        "pickup": { "storeReference": "STORE-001" },
        "dropoff": {
          "address": "418 Ramsey Street, Fayetteville, NC 28301",
          "contactName": "Dana Whitfield",
          "contactPhone": "+19105550147"
        },
        "metadata": { "sandbox_pace": "robo" }
      }
      """;

  private final List<Process> programs = new ArrayList<>();
  private String ready;
  private BlockingQueue<String> app;

  @BeforeEach
  void start(@TempDir Path folder) throws Exception {
    String dlv = System.getenv().getOrDefault("DLV", "dlv");
    ready = line(start(dlv + " sandbox start --port 0 --data :memory: --quiet -o json", Map.of()));
    String url = System.getenv("APP_URL");
    String port = url == null ? "0" : String.valueOf(URI.create(url).getPort());
    app = start(System.getenv().getOrDefault("APP", "java Receiver.java"), Map.of("PORT", port,
        "EVENTS_FILE", folder.resolve("events.txt").toString(), "DLV_WEBHOOK_SECRET", member(ready, "webhookSecret")));
    if (url == null) url = line(app).replaceFirst(".* ", "");
    else waitUntilItListens(URI.create(url));
    call("POST", member(ready, "controlUrl") + "/endpoints", "{\"url\":\"" + url + "\"}");
  }

  @AfterEach
  void end() {
    programs.forEach(Process::destroy);
  }

  @Test
  void theAppHearsOfTheDelivery() throws Exception {
    String deliveries = member(ready, "baseUrl") + "/deliveries";
    String deliveryId = member(call("POST", deliveries, ORDER), "deliveryId");
    call("POST", member(ready, "controlUrl") + "/clock", "{\"advance\":\"10m\"}");
    assertEquals("delivered", member(call("GET", deliveries + "/" + deliveryId, ""), "status"));
    String line;
    do line = line(app); while (!line.contains("delivery.delivered TEST-1"));
  }

  /** Starts a program and returns the queue of its lines; it ends with the test. */
  private BlockingQueue<String> start(String command, Map<String, String> environment) throws IOException {
    var builder = new ProcessBuilder(command.split(" ")).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    var program = builder.start();
    programs.add(program);
    var lines = new LinkedBlockingQueue<String>();
    new Thread(() -> program.inputReader().lines().forEach(lines::add)).start();
    return lines;
  }

  private static void waitUntilItListens(URI url) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        new Socket(url.getHost(), url.getPort()).close();
        return;
      } catch (IOException refused) {
        if (attempt == 200) throw refused;
        Thread.sleep(100);
      }
    }
  }

  private static String line(BlockingQueue<String> lines) throws InterruptedException {
    String line = lines.poll(20, TimeUnit.SECONDS);
    assertNotNull(line, "the program printed nothing for 20 s");
    return line;
  }

  private String call(String method, String url, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + member(ready, "apiKey"))
        .header("Content-Type", "application/json").header("Idempotency-Key", "test-1")
        .method(method, HttpRequest.BodyPublishers.ofString(body)).build();
    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertTrue(response.statusCode() < 300, response.statusCode() + " " + response.body());
    return response.body();
  }

  /** The first member of this name in a JSON text whose value is a text without escapes; your app has a JSON library. */
  private static String member(String json, String name) {
    var found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"\\\\]*)\"").matcher(json);
    assertTrue(found.find(), name + " in " + json);
    return found.group(1);
  }
}
