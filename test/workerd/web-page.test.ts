import { expect, it } from "vitest";
import { plainOutput } from "#src/agent/tools/shells/plain-output.ts";
import { readPage } from "#src/agent/tools/web/read-page.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";

const serving =
  (contentType: string, body: Uint8Array): SafeFetch =>
  async (url) => ({
    status: 200,
    headers: new Headers({ "content-type": contentType }),
    body,
    url,
    truncated: false,
  });

it("converts a page where the service runs", async () => {
  const html = new TextEncoder().encode('<h1>Beds</h1><p><a href="sow">Sowing</a></p>');
  const page = await readPage(serving("text/html", html), "https://example.com/docs/", 1_000);
  expect(page.text).toBe("# Beds\n\n[Sowing](https://example.com/docs/sow)");
});

it.each([
  ["windows-1252", [0xfc], "ü"],
  ["shift_jis", [0x82, 0xa0], "あ"],
])("knows %s there", async (charset, bytes, text) => {
  const page = await readPage(
    serving(`text/plain; charset=${charset}`, Uint8Array.from(bytes)),
    "https://a.test/",
    1,
  );
  expect(page.text).toBe(text);
});

it("reads a terminal's output there", () => {
  expect(plainOutput(new TextEncoder().encode("\u001b[31mred\u001b[0m\r\n"))).toBe("red\n");
});
