import { expect, it } from "vitest";
import { prefersHtml } from "#src/http/prefers-html.ts";

it.each([
  ["text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", true],
  ["TEXT/HTML", true],
  ["text/*", true],
  ["application/json;q=0.5, text/html", true],
  [undefined, false],
  ["application/json, text/plain, */*", false],
  ["text/html, application/json", false],
  ["text/html;q=0, */*", false],
  [";;;=,,q", false],
])("a client that accepts %s rather has a page: %s", (accept, prefers) => {
  const headers = accept === undefined ? {} : { accept };
  expect(prefersHtml(new Request("https://service.test", { headers }))).toBe(prefers);
});
