import { describe, expect, it } from "vitest";
import { KnownSecrets, scrubText, scrubValue } from "#src/agent/scrubbing/scrub.ts";

const nothing = new KnownSecrets([]);

describe("a name lowers the bar", () => {
  it.each([
    ["API_KEY=a1b2c3d4e5", "API_KEY=«secret»"],
    ["export SECRET_KEY='9f86d081884c7d659a2feaa0'", "export SECRET_KEY='«secret»'"],
    ['password: "Summer2024!"', 'password: "«secret»"'],
    ["password: Summer2024!", "password: «secret»"],
    ["PGPASSWORD=s3cr3t-pw psql", "PGPASSWORD=«secret» psql"],
    ['  "client_secret": "0f1e2d3c4b5a"', '  "client_secret": "«secret»"'],
    [String.raw`{\"accessToken\":\"0f1e2d3c4b5a\"}`, String.raw`{\"accessToken\":\"«secret»\"}`],
    ["Authorization: Bearer 0f1e2d3c4b5a6978", "Authorization: Bearer «secret»"],
    ["curl -H 'Authorization: Basic dXNlcjpwYXNzd29yZA=='", "curl -H 'Authorization: Basic «secret»'"],
    ["x-api-key: 0f1e2d3c4b5a", "x-api-key: «secret»"],
    ["login --password hunter22x --user me", "login --password «secret» --user me"],
    ["login --token=hunter22x", "login --token=«secret»"],
    ["https://example.com/?access_token=0f1e2d3c4b5a&x=1", "https://example.com/?access_token=«secret»&x=1"],
    ["const apiKey = `k3J9-xPq2`;", "const apiKey = `«secret»`;"],
  ])("%s", (text, shown) => {
    expect(scrubText(text, nothing)).toBe(shown);
  });

  it.each([
    "password: string;",
    'type: "password"',
    "const token = await getToken(request);",
    "token: process.env.TOKEN_2024,",
    "apiKey: config.keys[0].value",
    "password=$PASSWORD_2024",
    "API_KEY=<your-api-key-1>",
    "API_KEY=your-api-key-12345",
    "API_KEY=xxxxxxxxxxxx1",
    "if (token === expected2024) return;",
    "token => token.value2024",
    "max_tokens: 4096, tokens=12345678",
    "The password: see the handbook",
    "TOKEN_URL=https://example.com/oauth2/token",
    "private_key: ./keys/server2.pem",
    "Basic authentication and Bearer authentication",
    "publicKey: 0f1e2d3c4b5a6978",
  ])("but not for %s", (text) => {
    expect(scrubText(text, nothing)).toBe(text);
  });
});

describe("what is long and no secret stays:", () => {
  it.each([
    ["a commit", "commit 53a57de0c1f2a3b4c5d6e7f8091a2b3c4d5e6f70"],
    ["a SHA-256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.tgz"],
    ["a UUID", "task 0199c0de-4f3a-7b21-8c5d-6e7f8091a2b3 done"],
    ["a UUID in a name", "backup-0199c0de-4f3a-7b21-8c5d-6e7f8091a2b3.tar"],
    [
      "an integrity line",
      '"integrity": "sha512-Kd3xq2uXbPvJ0mH8w5uYt7cRz1LqN4sVfE6gA9oBiTkMhWyDxQ2rSjUvPn3lCeGZ8FtYbKa0IiOo5HdXwXq1mA=="',
    ],
    ["a checksum of Go", "golang.org/x/net v0.1.0 h1:Kd3xq2uXbPvJ0mH8w5uYt7cRz1LqN4sVfE6gA9oBiTk="],
    ["a fingerprint", "256 SHA256:Kd3xq2uXbPvJ0mH8w5uYt7cRz1LqN4sVfE6gA9oBiTk root (ED25519)"],
    ["a public SSH key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKd3xq2uXbPvJ0mH8w5uYt7cRz1LqN4sVfE6gA9o me"],
    ["a path", "src/platform/runtime/http-runtime/2024/Container3Held.test.ts"],
    ["a built file", "dist/assets/index-Dk8dq7sB2.js from ./Breadcrumbs-Dykbd8qs.js"],
    ["an address", "https://cdn.example.com/v1/k3J9xPq2Vb7Lm4Rt8Wz1Yc6Nf5Hd0S/main.js"],
    ["an identifier", "getBase64EncodedUint8ArrayFromUtf16String2"],
    ["a class", "class MySqlBigInt53Builder extends PgTimestamp3Builder {}"],
    ["a constant", "ERR_HTTP2_INVALID_PSEUDOHEADER_VALUE_1024"],
    ["a data address", `url(data:font/woff2;base64,d09GMgABAAAAAAk3J9xPq2Vb7Lm4Rt8Wz1Yc6Nf5Hd0S)`],
    ["a picture", `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJk3J9xPq2Vb7Lm4Rt8Wz1`],
    ["an alphabet", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"],
    ["ranges", "[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}"],
    ["an id with a kind", "call_DdmO9pD3xa9XTPNJ32zg2hcA toolu_01T1x1fJ34qAmk2tNTrN7Up6"],
    ["a time", "2026-01-02T03:04:05.678Z 20260102T030405Z-0000000001"],
    ["a version", "node-v24.11.1-linux-x64 @babel+core@7.22.9_supports-color@8.1.1"],
  ])("%s", (_, text) => {
    expect(scrubText(text, nothing)).toBe(text);
  });

  it("a certificate", () => {
    const line = "MIIDdzCCAl+gAwIBAgIEbGk3J9xPq2Vb7Lm4Rt8Wz1Yc6Nf5Hd0SaQwErTyUiOp1";
    const pem = `-----BEGIN CERTIFICATE-----\n${line}\n${line}\n-----END CERTIFICATE-----\n`;
    expect(scrubText(pem, nothing)).toBe(pem);
    expect(scrubText(`${pem}${line}`, nothing)).toBe(`${pem}«secret»`);
  });

  it("a picture of a megabyte", () => {
    const text = `<img src="data:image/png;base64,${"k3J9xPq2Vb7Lm4Rt8Wz1/+".repeat(50_000)}">`;
    expect(scrubText(text, nothing)).toBe(text);
  });
});

describe("a value of JSON", () => {
  const known = new KnownSecrets([{ name: "DB_PASSWORD", value: "k3J9xPq2Vb", declared: true }]);

  it("keeps its shape and its keys", () => {
    const value = {
      success: true,
      exit_code: 0,
      k3J9xPq2Vb: null,
      stdout: "db is k3J9xPq2Vb",
      details: { lines: ["a", "k3J9xPq2Vb", 3, [{ deep: "=k3J9xPq2Vb=" }]] },
    };
    expect(scrubValue(value, known)).toEqual({
      success: true,
      exit_code: 0,
      k3J9xPq2Vb: null,
      stdout: "db is «secret:DB_PASSWORD»",
      details: { lines: ["a", "«secret:DB_PASSWORD»", 3, [{ deep: "=«secret:DB_PASSWORD»=" }]] },
    });
  });

  it("heeds what keys say of their values", () => {
    expect(
      scrubValue({ api_key: "a1b2c3d4e5", tokens: ["a1b2c3d4e5"], token: ["a1b2c3d4e5"] }, known),
    ).toEqual({
      api_key: "«secret»",
      tokens: ["a1b2c3d4e5"],
      token: ["«secret»"],
    });
    const harmless = { password: "", token: "string", secret: "see the handbook", session_id: "a1b2c3d4e5" };
    expect(scrubValue(harmless, known)).toEqual(harmless);
  });

  it("hands back what is no JSON", () => {
    const date = new Date(0);
    expect(scrubValue({ date, nothing: undefined }, known)).toEqual({ date, nothing: undefined });
  });
});
