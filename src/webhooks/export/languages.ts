import { unprintable } from './curl.js'
import { type ExportedEvent, exactText, signedHeaders } from './exported-event.js'

/** The languages in which a captured event is written as a test. */
export const testLanguages = ['python', 'go', 'ruby', 'php', 'java'] as const
type TestLanguage = (typeof testLanguages)[number]

/** The values of a test, each as an expression of its language. */
interface TestValues {
  title: string
  id: string
  contentType: string
  /** The body: its text, or base64 if `isBase64`. */
  body: string
  isBase64: boolean
}

/**
 * The event as a test of a language, with its standard library and usual test framework. Like the Vitest test, it signs
 * the event again with the secrets in `DLV_WEBHOOK_SECRET`, since receivers reject an old signature, posts it to
 * `DLV_WEBHOOK_URL`, and expects a 2xx within the ten seconds that the contract gives a receiver.
 */
export function testOf(event: ExportedEvent, language: TestLanguage): string {
  const { text, encoding } = exactText(event.body)
  const { write, literal } = languages[language]
  return write({
    title: literal([event.eventType, event.id].filter((word) => word !== undefined).join(' ')),
    id: literal(event.id),
    contentType: literal(signedHeaders(event)['content-type'] ?? 'application/json'),
    body: literal(text),
    isBase64: encoding === 'base64',
  })
}

/** A text as JSON writes it, which is a string of Python and Go too; nothing in it acts on a terminal. */
function jsonLiteral(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    new RegExp(unprintable, 'g'),
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const phpLiteral = (text: string) =>
  jsonLiteral(text).replace(/\\u(....)|\\(.)|\$/g, (found, code?: string, letter?: string) =>
    code !== undefined ? `\\u{${code}}` : letter === 'b' ? '\\x08' : found === '$' ? '\\$' : found,
  )

/** A constant of Java has at most 65,535 bytes. */
const javaLiteral = (text: string) =>
  text.length <= 20_000
    ? jsonLiteral(text)
    : `String.join("", ${(text.match(/[\s\S]{1,20000}(?<![\ud800-\udbff])/g) ?? []).map(jsonLiteral).join(', ')})`

const languages: Record<TestLanguage, { write: (values: TestValues) => string; literal: (text: string) => string }> = {
  python: {
    literal: jsonLiteral,
    write: ({ title, id, contentType, body, isBase64 }) => `import base64
import hmac
import os
import time
import unittest
import urllib.parse
import urllib.request

# A captured webhook. Run it against your receiver:
#   DLV_WEBHOOK_URL=http://localhost:3000/webhooks DLV_WEBHOOK_SECRET=whsec_… python3 -m pytest
ID = ${id}
CONTENT_TYPE = ${contentType}
BODY = ${isBase64 ? `base64.b64decode(${body})` : `${body}.encode()`}


class CapturedWebhookTest(unittest.TestCase):
    def test_the_receiver_accepts_it(self):
        timestamp = str(int(time.time()))
        signatures = []
        for secret in os.environ["DLV_WEBHOOK_SECRET"].replace(",", " ").split():
            key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
            self.assertGreaterEqual(len(key), 16, "DLV_WEBHOOK_SECRET is not a secret")
            digest = hmac.digest(key, f"{ID}.{timestamp}.".encode() + BODY, "sha256")
            signatures.append("v1," + base64.b64encode(digest).decode())
        headers = {
            "content-type": CONTENT_TYPE,
            "webhook-id": ID,
            "webhook-timestamp": timestamp,
            "webhook-signature": " ".join(signatures),
        }
        url = os.environ["DLV_WEBHOOK_URL"]
        is_local = urllib.parse.urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({} if is_local else None))
        with opener.open(urllib.request.Request(url, BODY, headers, method="POST"), timeout=10) as response:
            self.assertLess(response.status, 300, ${title})


if __name__ == "__main__":
    unittest.main()
`,
  },
  go: {
    literal: jsonLiteral,
    write: ({ title, id, contentType, body, isBase64 }) => `package webhooks

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// A captured webhook. Run it against your receiver:
//
//	DLV_WEBHOOK_URL=http://localhost:3000/webhooks DLV_WEBHOOK_SECRET=whsec_… go test
const (
	capturedID          = ${id}
	capturedContentType = ${contentType}
	capturedBody        = ${body}
)

func TestCapturedWebhook(t *testing.T) {
	body${isBase64 ? ', err := base64.StdEncoding.DecodeString(capturedBody)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}' : ' := []byte(capturedBody)'}
	timestamp := fmt.Sprint(time.Now().Unix())
	var signatures []string
	for _, secret := range strings.Fields(strings.ReplaceAll(os.Getenv("DLV_WEBHOOK_SECRET"), ",", " ")) {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < 16 {
			t.Fatal("DLV_WEBHOOK_SECRET is not a secret")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(append([]byte(capturedID+"."+timestamp+"."), body...))
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	request, err := http.NewRequest("POST", os.Getenv("DLV_WEBHOOK_URL"), bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("content-type", capturedContentType)
	request.Header.Set("webhook-id", capturedID)
	request.Header.Set("webhook-timestamp", timestamp)
	request.Header.Set("webhook-signature", strings.Join(signatures, " "))
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Errorf("the receiver answered %s to %s", response.Status, ${title})
	}
}
`,
  },
  ruby: {
    literal: (text) => jsonLiteral(text).replaceAll('#', '\\#'),
    write: ({ title, id, contentType, body, isBase64 }) => `require 'minitest/autorun'
require 'net/http'
require 'openssl'

# A captured webhook. Run it against your receiver:
#   DLV_WEBHOOK_URL=http://localhost:3000/webhooks DLV_WEBHOOK_SECRET=whsec_… ruby captured_webhook_test.rb
class CapturedWebhookTest < Minitest::Test
  ID = ${id}
  CONTENT_TYPE = ${contentType}
  BODY = ${body}${isBase64 ? ".unpack1('m')" : '.b'}

  def test_the_receiver_accepts_it
    timestamp = Time.now.to_i.to_s
    signatures = ENV.fetch('DLV_WEBHOOK_SECRET').split(/[\\s,]+/).map do |secret|
      key = secret.delete_prefix('whsec_').unpack1('m0')
      assert_operator key.bytesize, :>=, 16, 'DLV_WEBHOOK_SECRET is not a secret'
      "v1,#{[OpenSSL::HMAC.digest('SHA256', key, "#{ID}.#{timestamp}.".b + BODY)].pack('m0')}"
    end
    uri = URI(ENV.fetch('DLV_WEBHOOK_URL'))
    headers = { 'content-type' => CONTENT_TYPE, 'webhook-id' => ID, 'webhook-timestamp' => timestamp,
                'webhook-signature' => signatures.join(' ') }
    options = { use_ssl: uri.scheme == 'https', open_timeout: 10, read_timeout: 10 }
    response = Net::HTTP.start(uri.host, uri.port, **options) { |http| http.post(uri.request_uri, BODY, headers) }
    assert_kind_of Net::HTTPSuccess, response, ${title}
  end
end
`,
  },
  php: {
    literal: phpLiteral,
    write: ({ title, id, contentType, body, isBase64 }) => `<?php

declare(strict_types=1);

use PHPUnit\\Framework\\TestCase;

// A captured webhook. Run it against your receiver:
//   DLV_WEBHOOK_URL=http://localhost:3000/webhooks DLV_WEBHOOK_SECRET=whsec_… phpunit CapturedWebhookTest.php
final class CapturedWebhookTest extends TestCase
{
    private const ID = ${id};
    private const CONTENT_TYPE = ${contentType};
    private const BODY = ${body};

    public function testTheReceiverAcceptsIt(): void
    {
        $body = ${isBase64 ? 'base64_decode(self::BODY)' : 'self::BODY'};
        $id = self::ID;
        $timestamp = (string) time();
        $signatures = [];
        foreach (preg_split('/[\\s,]+/', (string) getenv('DLV_WEBHOOK_SECRET'), -1, PREG_SPLIT_NO_EMPTY) as $secret) {
            $key = (string) base64_decode(preg_replace('/^whsec_/', '', $secret), true);
            $this->assertGreaterThanOrEqual(16, strlen($key), 'DLV_WEBHOOK_SECRET is not a secret');
            $signatures[] = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        }
        $headers = [
            'content-type: ' . self::CONTENT_TYPE,
            "webhook-id: $id",
            "webhook-timestamp: $timestamp",
            'webhook-signature: ' . implode(' ', $signatures),
        ];
        $http = ['method' => 'POST', 'header' => $headers, 'content' => $body, 'timeout' => 10, 'ignore_errors' => true];
        file_get_contents((string) getenv('DLV_WEBHOOK_URL'), false, stream_context_create(['http' => $http]));
        $this->assertMatchesRegularExpression('/^HTTP\\/\\S+ 2/', $http_response_header[0] ?? 'no answer', ${title});
    }
}
`,
  },
  java: {
    literal: javaLiteral,
    write: ({ title, id, contentType, body, isBase64 }) => `import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

// A captured webhook. Run it against your receiver with DLV_WEBHOOK_URL=http://localhost:3000/webhooks and
// DLV_WEBHOOK_SECRET=whsec_… in the environment.
class CapturedWebhookTest {
  private static final String ID = ${id};
  private static final String CONTENT_TYPE = ${contentType};
  private static final byte[] BODY = ${isBase64 ? `Base64.getDecoder().decode(${body})` : `${body}.getBytes(UTF_8)`};

  @Test
  void theReceiverAcceptsIt() throws Exception {
    String timestamp = String.valueOf(Instant.now().getEpochSecond());
    var signatures = new ArrayList<String>();
    for (String secret : System.getenv("DLV_WEBHOOK_SECRET").trim().split("[\\\\s,]+")) {
      byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
      assertTrue(key.length >= 16, "DLV_WEBHOOK_SECRET is not a secret");
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((ID + "." + timestamp + ".").getBytes(UTF_8));
      signatures.add("v1," + Base64.getEncoder().encodeToString(mac.doFinal(BODY)));
    }
    var request = HttpRequest.newBuilder(URI.create(System.getenv("DLV_WEBHOOK_URL"))).timeout(Duration.ofSeconds(10))
        .header("content-type", CONTENT_TYPE).header("webhook-id", ID).header("webhook-timestamp", timestamp)
        .header("webhook-signature", String.join(" ", signatures))
        .POST(HttpRequest.BodyPublishers.ofByteArray(BODY)).build();
    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertEquals(2, response.statusCode() / 100, ${title});
  }
}
`,
  },
}
